/* A global that is initialised with another one.
 *
 * expect: verified
 *
 * Initial values are computed in the order of the text. SPIN's verifier goes by type, bytes before ints, and reports the
 * assertion.
 */

int five = 5;
byte copy = five;

active proctype P() {
    assert(copy == 5)
}
