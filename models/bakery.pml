/* Lamport's bakery algorithm with bounded tickets.
 *
 * expect: verified
 * states: 5382
 * transitions: 10311
 *
 * The real algorithm needs unbounded tickets.  Here a customer that would
 * draw a ticket above LIMIT waits until the shop has emptied a little, which
 * keeps the state space finite without weakening the algorithm.
 */

#define N      2
#define LIMIT  5

bool choosing[N];
byte ticket[N];
byte served;

/* customer (a, i) goes before (b, j) */
#define before(a, i, b, j)  ((a) < (b) || ((a) == (b) && (i) < (j)))

active [N] proctype Customer()
{
	byte k, highest;

	do
	:: 	choosing[_pid] = true;
		highest = 0;
		k = 0;
		do
		:: k < N && ticket[k] > highest -> highest = ticket[k]; k++
		:: k < N && ticket[k] <= highest -> k++
		:: k == N -> break
		od;

		if
		:: highest < LIMIT ->
			ticket[_pid] = highest + 1;
			choosing[_pid] = false
		:: else ->                       /* out of paper: try later */
			choosing[_pid] = false;
			goto leave
		fi;

		k = 0;
		do
		:: k < N ->
			(!choosing[k]);
			(ticket[k] == 0 || k == _pid || before(ticket[_pid], _pid, ticket[k], k));
			k++
		:: else -> break
		od;

		served++;
		assert(served == 1);
		served--;
leave:		ticket[_pid] = 0
	od
}
