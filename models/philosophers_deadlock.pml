/* Dining philosophers who all reach for the left fork first: they deadlock.
 *
 * expect: violated
 * errors: deadlock
 * states: 118
 * transitions: 341
 * shortest: 8
 */

#define N  4

bool fork[N];            /* true: taken */

active [N] proctype Philosopher()
{
	byte left = _pid, right = (_pid + 1) % N;

	do
	:: 	atomic { !fork[left]  -> fork[left]  = true };
		atomic { !fork[right] -> fork[right] = true };
		/* eat */
		fork[right] = false;
		fork[left] = false
	od
}
