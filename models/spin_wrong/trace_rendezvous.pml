/* A trace assertion and a rendezvous that never takes place.
 *
 * expect: violated
 * errors: deadlock
 * states: 1
 * transitions: 1
 *
 * The message is never sent, so there is no event to forbid. SPIN's verifier reports an event error as well.
 */

chan q = [0] of { byte };

active proctype P() {
    q!0
}

trace {
    q!1
}
