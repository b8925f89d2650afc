/* printf and printm: output in simulations, a plain step in verification.
 *
 * expect: verified
 * states: 412
 * transitions: 475
 */

mtype = { north, east, south, west };

active proctype Walker()
{
	mtype way = north;
	int x, y;
	byte steps;

	printf("start at (%d, %d)\n", x, y);
	do
	:: steps < 3 ->
		if
		:: way = north; y++
		:: way = east;  x++
		:: way = south; y--
		:: way = west;  x--
		fi;
		steps++;
		printm(way);
		printf("step %u: %e -> (%d, %d), hex %x, octal %o, char %c\n", steps, way, x, y, steps, steps, 'a')
	:: else -> break
	od;
	printf("tab\t quote \" backslash \\ percent %%\n");
	assert(x * x + y * y <= 9)
}
