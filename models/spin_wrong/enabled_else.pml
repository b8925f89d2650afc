/* A process asks whether another one, which stands before an `else`, is enabled.
 *
 * expect: verified
 * states: 4
 * transitions: 13
 *
 * It always is. SPIN's verifier decides about the `else` by whether the asking process has had an option before: 11
 * transitions.
 */

chan q = [1] of { bit };

active proctype P0() {
    skip
}

active proctype P1() {
    do
    :: else
    od
}

active proctype P2() {
    do
    :: q!0
    :: enabled(1)
    od
}
