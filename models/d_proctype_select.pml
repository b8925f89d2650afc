/* A `select` whose range is no pair of literals is a loop that may stop at any
 * value: a D_proctype may not do that.
 *
 * expect: violated
 * errors: runtime
 * states: 15
 * transitions: 15
 */

byte last = 2;
byte chosen;

active D_proctype Chooser()
{
	byte i;

	select (i : 0 .. last);
	chosen = i
}
