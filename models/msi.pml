/* MSI cache coherence on a snooping bus: three caches, one line.
 *
 * expect: verified
 * states: 2412
 * transitions: 5818
 * ltl: one_owner verified
 *
 * A cache is Invalid, Shared or Modified.  Bus transactions are serialised by
 * a bus lock; each takes several steps, during which other caches may still
 * hit on their own copies.  Every read must return the last value written.
 */

#define CACHES  3

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
		:: atomic { state[_pid] != Modified && !bus_busy -> bus_busy = true };
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
