/* A ticket queue in which the clerk may prefer late comers: a claim finds who waits for ever.
 *
 * expect: verified
 * states: 15
 * transitions: 29
 * never: violated
 *
 * The claim guesses when customer 0 begins to wait and then sees to it that
 * it still waits, for ever: it goes round an accepting state.
 */

bool waits[2];

active [2] proctype Customer()
{
	do
	:: !waits[_pid] -> waits[_pid] = true
	od
}

active proctype Clerk()
{
	do
	:: waits[0] -> waits[0] = false
	:: waits[1] -> waits[1] = false
	od
}

never {
	do
	:: true
	:: waits[0] -> goto accept_waiting
	od;
accept_waiting:
	do
	:: waits[0]
	od
}
