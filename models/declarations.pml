/* Declarations: at the start they are free, later ones are assignment steps.
 *
 * expect: verified
 * states: 5682
 * transitions: 13077
 *
 * Variables declared before the first statement get their values when the
 * process is created.  A declaration further down is an assignment of its own,
 * of zero if it has no initialiser, and takes a step each time it is passed.
 */

byte g = 1;

proctype Started(byte x)
{
	byte y = x + g;                  /* the value of g at the time of run */
	byte z = y * 2;

	assert(y == x + 1 && z == 2 * y);
	g = 5;
	byte late = g;                   /* evaluated here, after the assignment */
	assert(late >= 5);

	byte i;
	do
	:: i < 3 ->
		byte inner;              /* zero again in every round */
		inner++;
		assert(inner == 1);
		i++
	:: else -> break
	od;

	{
		byte scoped = i + 4;
		assert(scoped == 7)
	};
	{
		byte scoped = late;      /* another variable of that name */
		assert(scoped >= 5)
	}
}

active proctype Interfere()
{
	(g == 5);
	if
	:: g = 6
	:: skip
	fi
}

init {
	atomic { run Started(3); run Started(8) }
}
