/* A d_step that begins with an assertion, beside a rendezvous.
 *
 * expect: verified
 * states: 8
 * transitions: 10
 *
 * A rendezvous is one step. SPIN's verifier forgets to ask whether one is under way before a d_step that begins with
 * `assert`, runs it between the send and the receive, and counts transitions that are none.
 */

byte x;
byte y;
chan q = [0] of { byte };

active proctype Sender() {
    q!1
}

active proctype Other() {
    d_step {
        assert(true);
        x = 1
    }
}

active proctype Receiver() {
    q?y
}
