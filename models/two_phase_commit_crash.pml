/* Two-phase commit is a blocking protocol: the coordinator crashes.
 *
 * expect: violated
 * errors: deadlock
 * states: 738
 * transitions: 1685
 * shortest: 14
 *
 * A participant that voted yes may neither commit nor abort on its own.  If
 * the coordinator dies between the two phases it waits for ever.
 */

#define N  2

mtype:vote     = { yes, no };
mtype:decision = { undecided, commit, abort };

chan ballot[N]  = [1] of { mtype:vote };
chan verdict[N] = [1] of { mtype:decision };

active proctype Coordinator()
{
	mtype:vote v;
	mtype:decision d = commit;
	byte i;

	do
	:: i < N ->
		ballot[i]?v;
		if
		:: v == no -> d = abort
		:: else
		fi;
		i++
	:: i == N -> break
	od;

	i = 0;
	do
	:: i < N -> verdict[i]!d; i++
	:: i == N -> break
	:: goto crashed                  /* perhaps half way through */
	od;
crashed:
	skip
}

active [N] proctype Participant()
{
	byte me = _pid - 1;
	mtype:decision d = undecided;

	if
	:: ballot[me]!yes; verdict[me]?d
	:: ballot[me]!no;  d = abort     /* may abort unilaterally */
	fi;
	assert(d != undecided)
}
