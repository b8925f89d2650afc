/* Leader election by Dolev-Klawe-Rodeh / Peterson: O(n log n) messages.
 *
 * expect: verified
 * states: 1014
 * transitions: 2741
 * ltl: elected verified
 *
 * An active node compares three neighbouring values per phase.  It survives,
 * taking over its left neighbour's value, only if that value is a local
 * maximum; otherwise it becomes a relay.  At least half of the active nodes
 * drop out in each phase.
 */

#define N    4
#define CAP  2

chan ring[N] = [CAP] of { byte };
byte leaders;
byte winning_value;

proctype Node(chan left, right; byte id)
{
	byte value = id;         /* the value this node currently stands for */
	byte first, second;

	/* active */
	do
	:: 	right!value;
		left?first;
		if
		:: first == value -> goto elected      /* went all the way round */
		:: else
		fi;
		right!(value > first -> value : first);
		left?second;
		if
		:: first >= value && first >= second -> value = first
		:: else -> break
		fi
	od;

	/* relay; remains here for good, which is a fine way to end */
end_relay:
	left?first;
	right!first;
	goto end_relay;

elected:
	leaders++;
	winning_value = value;
	assert(leaders == 1 && value == N)
}

init {
	atomic {
		run Node(ring[0], ring[1], 3);
		run Node(ring[1], ring[2], 1);
		run Node(ring[2], ring[3], 4);
		run Node(ring[3], ring[0], 2)
	}
}

ltl elected { <> (leaders == 1) }
