/* Wolf, goat and cabbage: the assertion violation is the solution.
 *
 * expect: violated
 * errors: assertion
 * states: 84
 * transitions: 99
 * shortest: 29
 *
 * Everything starts on the left bank (false).  An unsafe crossing
 * ends the game.  The counterexample shows how to get everybody across.
 */

bool farmer, wolf, goat, cabbage;

#define safe      ((wolf != goat && goat != cabbage) || farmer == goat)
#define all_over  (farmer && wolf && goat && cabbage)

/* cross with x aboard, if it is on the farmer's side */
inline take(x)
{
	d_step {
		x == farmer ->
		farmer = !farmer;
		x = farmer
	}
}

active proctype River()
{
	do
	:: 	assert(!all_over);
		if
		:: farmer = !farmer; printf("alone\n")
		:: take(wolf);       printf("wolf\n")
		:: take(goat);       printf("goat\n")
		:: take(cabbage);    printf("cabbage\n")
		fi;
		if
		:: safe
		:: else -> goto eaten
		fi
	od;
eaten:
	skip
}
