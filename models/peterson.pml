/* Peterson's mutual exclusion for two processes.
 *
 * expect: verified
 * states: 38
 * transitions: 65
 * ltl: exclusion verified
 * ltl: progress0 violated
 *
 * progress0 fails without a fairness assumption: the other process may
 * simply go round its own loop for ever while process 0 is never scheduled.
 */

bool wants[2];          /* wants[i]: process i would like to enter */
byte favoured;          /* who goes first when both want to        */
byte inside;            /* how many are in the critical section    */

active [2] proctype Worker()
{
	byte me = _pid, other = 1 - _pid;

	do
	:: 	wants[me] = true;
		favoured = other;
		(!wants[other] || favoured == me);
critical:	inside++;
		assert(inside == 1);
		inside--;
		wants[me] = false
	od
}

ltl exclusion { [] (inside <= 1) }
ltl progress0 { [] (wants[0] -> <> Worker[0]@critical) }
