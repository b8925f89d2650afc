/* Raft-like leader election: at most one leader per term.
 *
 * expect: verified
 * states: 46690
 * transitions: 196609
 *
 * Three servers, three terms, messages may be lost (a send to a full inbox, or
 * by choice, goes nowhere).  A vote is given once per term.
 *
 * (A local variable with the name of its mtype set would be global in SPIN.)
 */

#define N         3
#define MAX_TERM  3
#define MAJORITY  2

mtype = { request, granted };
mtype:role = { follower, candidate, leader };

chan inbox[N] = [1] of { mtype, byte, byte };    /* kind, term, sender */
byte leaders_in[MAX_TERM + 1];

inline send_to(to, kind, t)
{
	if
	:: nfull(inbox[to]) -> inbox[to]!kind, t, _pid
	:: skip                                  /* lost */
	fi
}

active [N] proctype Server()
{
	mtype:role my_role = follower;
	byte term, votes, t, from;

end:	do
	/* election timeout: stand for the next term and vote for oneself */
	:: atomic {
			my_role != leader && term < MAX_TERM ->
			term++;
			my_role = candidate;
			votes = 1;
			send_to((_pid + 1) % N, request, term);
			send_to((_pid + 2) % N, request, term)
		}

	:: atomic {
			inbox[_pid]?request(t, from) ->
			if
			:: t > term ->           /* newer term: follow, and vote */
				term = t;
				my_role = follower;
				votes = 0;
				send_to(from, granted, term)
			:: else                  /* stale, or vote already given */
			fi;
			t = 0; from = 0
		}

	:: atomic {
			inbox[_pid]?granted(t, from) ->
			if
			:: my_role == candidate && t == term ->
				votes++;
				if
				:: votes == MAJORITY ->
					my_role = leader;
					leaders_in[term]++;
					assert(leaders_in[term] == 1)
				:: else
				fi
			:: else
			fi;
			t = 0; from = 0
		}
	od
}
