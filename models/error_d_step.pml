/* Run-time error: a d_step blocks in the middle.
 *
 * expect: violated
 * errors: runtime
 *
 * Only the first statement of a d_step may be unexecutable; later it is too
 * late to turn back.  SPIN stops with "block in d_step seq".
 */

byte coins;

active proctype Payer()
{
	do
	:: coins < 3 -> coins++
	:: coins > 0 -> coins--
	:: break
	od
}

active proctype Buyer()
{
end:	d_step {
		coins > 0 ->
		coins--;
		coins > 0;               /* a second coin may not be there */
		coins--
	}
}
