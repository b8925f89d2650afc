/* MSI cache coherence with a seeded bug: an upgrade forgets the other sharers.
 *
 * expect: violated
 * errors: assertion
 * states: 409
 * transitions: 1097
 * shortest: 27
 * ltl: one_owner violated
 *
 * A cache that already holds the line Shared "knows" that memory is up to
 * date, and so its author saved a bus transaction when it wants to write.
 */

#define CACHES  2

mtype:line = { Invalid, Shared, Modified };

mtype:line state[CACHES] = Invalid;
bit copy[CACHES];
bit memory;
bit latest;              /* ghost: the value of the last write */
bool bus_busy;

#define modified(c)  (state[c] == Modified)

/* make every other cache give up its copy, writing back if it was dirty */
inline snoop(victim, demote)
{
	for (victim : 0 .. CACHES - 1) {
		if
		:: victim != _pid && modified(victim) ->
			d_step { memory = copy[victim]; state[victim] = demote }
		:: victim != _pid && state[victim] == Shared && demote == Invalid ->
			state[victim] = Invalid
		:: else
		fi
	}
}

active [CACHES] proctype Cache()
{
	byte c;

	do
	:: /* read */
		if
		:: atomic { state[_pid] != Invalid -> assert(copy[_pid] == latest) }
		:: atomic { state[_pid] == Invalid && !bus_busy -> bus_busy = true };
			snoop(c, Shared);
			c = 0;
			d_step { copy[_pid] = memory; state[_pid] = Shared; bus_busy = false }
		fi
	:: /* write */
		if
		:: d_step { state[_pid] == Modified -> copy[_pid] = 1 - copy[_pid]; latest = copy[_pid] }
		:: d_step {                      /* the bug: no invalidation */
				state[_pid] == Shared ->
				state[_pid] = Modified;
				copy[_pid] = 1 - copy[_pid];
				latest = copy[_pid]
			}
		:: atomic { state[_pid] == Invalid && !bus_busy -> bus_busy = true };
			snoop(c, Invalid);
			c = 0;
			d_step {
				copy[_pid] = 1 - latest;
				latest = copy[_pid];
				state[_pid] = Modified;
				bus_busy = false
			}
		fi
	od
}

ltl one_owner { [] !(modified(0) && modified(1)) }
