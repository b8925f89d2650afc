/* provided: a process may take a step only while its condition is true.
 *
 * expect: verified
 * states: 41
 * transitions: 53
 *
 * The clause is evaluated before every step, here as a scheduler that allows
 * each worker a quantum of steps.
 */

#define QUANTUM  2

byte running, used;
byte progress[2];

active [2] proctype Worker() provided (running == _pid && used < QUANTUM)
{
	do
	:: progress[_pid] < 3 ->
		d_step { progress[_pid]++; used++ }
	:: else -> break
	od;
	used = QUANTUM                   /* give the rest back */
}

active proctype Scheduler()
{
end:	do
	:: used >= QUANTUM && _nr_pr > 1 ->
		d_step { used = 0; running = 1 - running };
		assert(progress[0] <= progress[1] + 4 && progress[1] <= progress[0] + 4)
	od
}
