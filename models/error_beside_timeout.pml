/* Run-time errors in conditions that ask for a timeout, too: a rendezvous
 * channel cannot be polled.  What is tried in vain may be done when nothing
 * else can, and then other things go wrong.
 *
 * expect: violated
 * errors: runtime, assertion
 * states: 15
 * transitions: 18
 */

chan wire = [0] of { byte };
byte calls;

active proctype Patient()
{
	if
	:: timeout || wire?[1] -> assert(calls == 2)
	fi
}

active proctype Hasty()
{
	do
	:: !timeout && wire?[1] -> break
	:: calls == 1 -> break
	od;
	skip;
	d_step {
		(timeout || wire?[2]);
		calls++;
		assert(calls == 1)
	}
}

active proctype Caller()
{
	calls = 1
}
