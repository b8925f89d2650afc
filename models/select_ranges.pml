/* select: a nondeterministic choice from a range, one step per value tried.
 *
 * expect: violated
 * errors: assertion
 * states: 352
 * transitions: 428
 * shortest: 10
 *
 * The assertion says that there is no Pythagorean triple; 3, 4, 5 shows up.
 */

active proctype Pythagoras()
{
	byte a, b, c;

	select (a : 1 .. 6);
	select (b : a .. 6);
	select (c : b .. a + b);
	assert(a * a + b * b != c * c)
}
