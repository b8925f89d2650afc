/* Two escapes, one that can be taken and a rendezvous that finds no partner.
 *
 * expect: verified
 *
 * The escape that can be taken hides what it interrupts: nothing is ever entered. SPIN's
 * verifier forgets the choice when the rendezvous fails, and goes on with the interrupted sequence.
 */

bool entered;
chan q = [0] of { byte };

active proctype P() {
start:
    {
        {
            entered = true;
            skip
        } unless {
            true
        }
    } unless {
        q!4
    }
    assert(!entered)
}
