/* Rendezvous: both sides polite, nobody listens.
 *
 * expect: violated
 * errors: deadlock
 * states: 22
 * transitions: 32
 *
 * Each of the two would rather speak first.  If both have decided to speak,
 * or both to listen, there is nobody for a handshake.
 */

chan a_to_b = [0] of { byte };
chan b_to_a = [0] of { byte };
byte spoken;

active proctype A()
{
	byte x;

	if
	:: true -> a_to_b!1; b_to_a?x            /* decides alone */
	:: true -> b_to_a?x; a_to_b!1
	fi;
	assert(x == 2);
	spoken++
}

active proctype B()
{
	byte x;

	if
	:: b_to_a!2 -> a_to_b?x                  /* whatever the other is ready for */
	:: a_to_b?x -> b_to_a!2
	:: true -> b_to_a!2; a_to_b?x            /* decides alone */
	fi;
	assert(x == 1);
	spoken++
}
