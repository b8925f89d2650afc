/* atomic: control is lost when it blocks, and passes on at a rendezvous.
 *
 * expect: verified
 * states: 54
 * transitions: 86
 *
 * An atomic sequence may block in the middle; others then run until it can go
 * on.  A rendezvous send inside atomic hands control to the receiver, which
 * keeps it if the receive is inside an atomic sequence itself.
 */

chan hand = [0] of { byte };
byte a, b, phase;
bool interrupted;

active proctype Blocker()
{
	atomic {
		a = 1;
		a = 2;
		(b == 2);                        /* blocks: b is still 0 */
		a = 3;
		assert(a == 3);
		phase++
	};
	atomic {
		phase++;
		hand!7;                          /* control moves to the receiver */
		assert(phase == 5);
		phase = 9
	}
}

active proctype Helper()
{
	byte x;

	b = 1;
	assert(a == 0 || a == 2);                /* never sees a == 1 */
	b = 2;
	atomic {
		hand?x;
		assert(x == 7 && phase == 2);    /* nobody came in between */
		phase = 4;
		phase = 5
	}
}

active proctype Bystander()
{
	if
	:: a == 2 -> interrupted = true          /* only while Blocker is blocked */
	:: a == 3
	fi;
	assert(phase != 4)
}
