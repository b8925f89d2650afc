/* The corridor with a rule: only the first of the two steps aside.
 *
 * expect: verified
 * states: 10
 * transitions: 13
 * acceptance: verified
 * ltl: past verified
 */

bool left[2];
bool passed;

active [2] proctype Person()
{
	do
	:: passed -> break
	:: _pid == 0 && !passed && left[0] == left[1] ->
accept:		left[_pid] = !left[_pid]
	:: atomic { !passed && left[0] != left[1] -> passed = true }
	od
}

ltl past { <> passed }
