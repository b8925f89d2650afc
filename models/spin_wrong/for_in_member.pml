/* A loop over an array that is a member of an element of an array.
 *
 * expect: verified
 * states: 14
 * transitions: 14
 *
 * SPIN loops as often as the outer array is long, twice: 11 states and a violated assertion.
 */

typedef Row { byte cell[3] }

Row table[2];
byte count;

active proctype Walk() {
    byte i;
    for (i in table[0].cell) {
        count++
    }
    assert(count == 3)
}
