/* A receive into a variable that is narrower than the field.
 *
 * expect: verified
 *
 * The value is cut to one bit in the variable, not in the channel. SPIN's verifier puts the cut value back into the
 * channel when it takes the receive back, and then finds states with the message 0 there.
 */

bit v;
chan q = [1] of { byte };

active proctype Receiver() {
    do
    :: q?v
    :: q?[0] -> assert(false)
    :: break
    od
}

active proctype Sender() {
    q!2
}
