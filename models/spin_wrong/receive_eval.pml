/* A receive that compares with a variable and stores in it.
 *
 * expect: verified
 * states: 6
 * transitions: 7
 *
 * SPIN's verifier puts the new value back into the channel when it takes the receive back: 5 states, 5 transitions.
 */

byte v = 1;
chan q = [1] of { byte, byte };

active proctype Receiver() {
    q?v, eval(v)
}

active proctype Sender() {
    q!0, 1
}
