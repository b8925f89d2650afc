/* A counter incremented five times by each of two processes can end at two.
 *
 * expect: violated
 * errors: assertion
 * states: 13561
 * transitions: 24588
 * shortest: 48
 *
 * Reading and writing back are separate steps.  It is a pleasant puzzle to
 * find the interleaving by hand; the counterexample tells.
 */

#define TIMES  5

byte n, finished;

active [2] proctype Incrementer()
{
	byte i, copy;

	for (i : 1 .. TIMES) {
		copy = n;
		n = copy + 1
	}
	finished++
}

active proctype Check()
{
	finished == 2;
	assert(n > 2)
}
