/* A deadlock behind a rendezvous.
 *
 * expect: violated
 * errors: deadlock
 * shortest: 1
 *
 * After the handshake both processes wait for another one. SPIN's breadth-first search does not see it.
 */

chan q = [0] of { byte };

active proctype Sender() {
    q!1;
    q!2
}

active proctype Receiver() {
    q?1;
    q?3
}
