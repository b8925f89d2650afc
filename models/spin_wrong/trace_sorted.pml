/* A trace assertion over sorted sends.
 *
 * expect: verified
 *
 * The second message sent is 1, as the trace wants; it is put before the 2. SPIN's verifier looks at the last message of
 * the channel instead of the one that was sent, and reports an event error.
 */

chan q = [2] of { byte };

active proctype P() {
    q!!2;
    q!!1;
    q?1;
    q?2
}

trace {
    q!2;
    q!1;
    end: do
    :: q?_
    od
}
