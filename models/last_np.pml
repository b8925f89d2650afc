/* _last and np_ in a never claim: strict alternation and non-progress.
 *
 * expect: verified
 * states: 13
 * transitions: 14
 * never: verified
 *
 * _last is the process that took the last step; np_ is true when no process
 * is at a label that starts with "progress".
 */

byte turn, laps;

active [2] proctype Runner()
{
	do
	:: turn == _pid ->
progress:	laps = (laps + 1) % 4;
		turn = 1 - turn
	od
}

/* accepts a run on which, from some point on, process 1 never moves again
 * or no progress is made */
never {
	do
	:: true
	:: np_ -> goto accept_np
	:: _last == 0 -> goto accept_zero
	od;
accept_np:
	do
	:: np_
	od;
accept_zero:
	do
	:: _last == 0
	od
}
