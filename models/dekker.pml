/* Dekker's algorithm, the first software solution to mutual exclusion.
 *
 * expect: verified
 * states: 168
 * transitions: 315
 *
 * Compare with Peterson: a process that loses the tie takes its flag down,
 * waits for its turn, and raises the flag again.
 */

bool flag[2];
bit turn;
byte owner = 255;        /* pid of the process in the critical section */

active [2] proctype Process()
{
	bit me = _pid;

again:
	flag[me] = true;
	do
	:: flag[1 - me] ->
		if
		:: turn == me -> skip            /* the other one will yield */
		:: else ->
			flag[me] = false;
			(turn == me);
			flag[me] = true
		fi
	:: else -> break
	od;

	owner = _pid;                            /* critical section */
	assert(owner == _pid);

	turn = 1 - me;
	flag[me] = false;
	goto again
}
