/* A receive into a hidden variable that changes before the receive is taken back.
 *
 * expect: verified
 *
 * SPIN's verifier restores the message from the variable, which the d_step has changed for good: it finds states with a
 * message that nobody sent.
 */

hidden byte h;
chan q = [1] of { byte };

active proctype R() {
    skip;
    d_step { h = 5; h = 5 }
}

active proctype P() {
    do
    :: q!0 ->
        if
        :: q?h
        :: q?[5] -> assert(false)
        :: true
        fi
    :: break
    od
}
