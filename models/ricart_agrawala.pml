/* Ricart-Agrawala: distributed mutual exclusion with Lamport timestamps.
 *
 * expect: verified
 * states: 110530
 * transitions: 224704
 *
 * To enter, a node asks every other node and waits for all replies.  A node
 * that has an older request of its own defers the reply until it leaves.
 */

#define N       3
#define ROUNDS  2

mtype = { request, reply };

chan inbox[N] = [2 * N] of { mtype, byte, byte };        /* kind, time, from */
byte inside;

#define to_others(kind, t) \
	inbox[(_pid + 1) % N]!kind, t, _pid; \
	inbox[(_pid + 2) % N]!kind, t, _pid

active [N] proctype Node()
{
	byte clock, stamp, replies, rounds, t, from;
	bool wanting, deferred[N];

end:	do
	:: atomic {
			!wanting && rounds < ROUNDS ->
			rounds++;
			clock++;
			stamp = clock;
			wanting = true;
			replies = 0;
			to_others(request, stamp)
		}
	:: atomic {
			inbox[_pid]?request(t, from) ->
			clock = (t > clock -> t : clock) + 1;
			if
			:: wanting && (stamp < t || (stamp == t && _pid < from)) ->
				deferred[from] = true
			:: else ->
				inbox[from]!reply, clock, _pid
			fi;
			t = 0; from = 0
		}
	:: atomic { inbox[_pid]?reply(t, from) -> replies++; t = 0; from = 0 }
	:: wanting && replies == N - 1 ->
		inside++;
		assert(inside == 1);
		inside--;
		atomic {
			wanting = false;
			stamp = 0;
			replies = 0;
			for (from in deferred) {
				if
				:: deferred[from] ->
					deferred[from] = false;
					inbox[from]!reply, clock, _pid
				:: else
				fi
			}
			from = 0
		}
	od
}
