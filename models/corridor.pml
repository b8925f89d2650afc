/* Two people meet in a corridor, and each steps aside for the other.
 *
 * expect: verified
 * states: 80
 * transitions: 141
 * acceptance: violated
 *
 * The accept label says that nobody should step aside again and again.  They
 * can, and never get past each other.
 */

bool left[2];
bool passed;

active [2] proctype Person()
{
	do
	:: passed -> break
	:: !passed && left[0] == left[1] ->
accept:		left[_pid] = !left[_pid]
	:: atomic { !passed && left[0] != left[1] -> passed = true }
	:: !passed && left[0] != left[1] -> left[_pid] = !left[_pid]	/* too polite */
	od
}
