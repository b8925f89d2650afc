/* Conditional expressions (c -> a : b), nested, and short-circuit operators.
 *
 * expect: verified
 * states: 143
 * transitions: 248
 */

byte x, y;
chan out = [1] of { byte };

#define abs(v)   ((v) < 0 -> -(v) : (v))
#define sign(v)  ((v) == 0 -> 0 : ((v) > 0 -> 1 : -1))

active [2] proctype Mover()
{
	int here = (_pid == 0 -> -2 : 3);

	do
	:: here != 0 ->
		here = here - sign(here);
		x = (x > 9 -> 0 : x + abs(here))
	:: else -> break
	od;
	out!(_pid == 0 -> 10 : 20)
}

active proctype Judge()
{
	byte v, w;

	out?v;
	out?w;
	assert(v + w == 30);
	y = ((v > w && x >= 0) || v == 0 -> v : w);
	assert(y == 20);
	/* the right side is not evaluated if the left decides */
	assert(y == 20 || 1 / (y - 20) == 0);
	assert(!(y != 20 && 1 % (y - 20) == 0))
}
