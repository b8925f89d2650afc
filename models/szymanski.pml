/* Szymanski's algorithm: a waiting room with a door, three processes.
 *
 * expect: verified
 * states: 805
 * transitions: 1776
 *
 * Each process needs one shared variable of five values.  The "for all" and
 * "exists" tests of the algorithm are evaluated in one step each.
 */

#define N  3

/* 0 outside, 1 wants in, 2 waiting for others, 3 in the doorway, 4 inside */
byte stage[N];
byte critical;

#define low(i)      (stage[i] <= 2)
#define not_mid(i)  (stage[i] <= 1 || stage[i] >= 4)

active [N] proctype Process()
{
	do
	:: 	stage[_pid] = 1;
		(low(0) && low(1) && low(2));
		stage[_pid] = 3;
		if
		:: stage[0] == 1 || stage[1] == 1 || stage[2] == 1 ->
			stage[_pid] = 2;
			(stage[0] == 4 || stage[1] == 4 || stage[2] == 4)
		:: else
		fi;
		stage[_pid] = 4;

		/* lower numbered processes go first */
		((_pid <= 0 || stage[0] <= 1) && (_pid <= 1 || stage[1] <= 1));
		critical++;
		assert(critical == 1);
		critical--;

		/* nobody may be left in the doorway behind us */
		((_pid >= 1 || not_mid(1)) && (_pid >= 2 || not_mid(2)));
		stage[_pid] = 0
	od
}
