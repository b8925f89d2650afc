/* Run-time error: division by zero on one of several paths.
 *
 * expect: violated
 * errors: runtime
 *
 * SPIN's verifier crashes here (a floating point exception).
 */

byte total = 12, parts;

active proctype Split()
{
	parts = 3;
	do
	:: parts > 0 -> parts--
	:: total / parts > 3 -> break            /* evaluated with parts == 0, too */
	od
}
