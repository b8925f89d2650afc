/* An ltl formula may stand before what it speaks of.
 *
 * expect: verified
 * states: 6
 * transitions: 7
 * ltl: bounded verified
 */

ltl bounded { [] (x < 3) }

byte x;

active proctype Cycle() {
    do
    :: x < 2 -> x++
    :: x == 2 -> x = 0
    od
}
