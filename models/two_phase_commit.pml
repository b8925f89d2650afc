/* Two-phase commit with a reliable coordinator: atomic commitment.
 *
 * expect: verified
 * states: 14655
 * transitions: 44773
 * ltl: decided verified
 */

#define N  3

mtype = { yes, no, prepare, commit, abort };

chan to_participant[N] = [1] of { mtype };
chan votes = [N] of { mtype };

mtype outcome[N];
byte finished;

active proctype Coordinator()
{
	byte i;
	mtype v, decision = commit;

	for (i in to_participant) {
		to_participant[i]!prepare
	}
	for (i : 1 .. N) {
		votes?v;
		if
		:: v == no -> decision = abort
		:: else
		fi
	}
	for (i in to_participant) {
		to_participant[i]!decision
	}
}

active [N] proctype Participant()
{
	byte me = _pid - 1;              /* the coordinator has pid 0 */
	mtype my_vote, d;

	to_participant[me]?prepare;
	if
	:: my_vote = yes
	:: my_vote = no
	fi;
	votes!my_vote;
	to_participant[me]?d;
	assert(d == abort || my_vote == yes);
	outcome[me] = d;
	assert(outcome[(me + 1) % N] == 0 || outcome[(me + 1) % N] == d);
	finished++
}

ltl decided { <> (finished == N) }
