/* Dining philosophers repaired: everybody takes the lower numbered fork first.
 *
 * expect: verified
 * states: 249088
 * transitions: 1343041
 * ltl: neighbours verified
 */

#define N  6

bool fork[N];            /* true: taken */
bool eating[N];

active [N] proctype Philosopher()
{
	byte first, second;

	if
	:: _pid < N - 1 -> first = _pid; second = _pid + 1
	:: else         -> first = 0;    second = N - 1
	fi;

	do
	:: 	atomic { !fork[first]  -> fork[first]  = true };
		atomic { !fork[second] -> fork[second] = true };
		eating[_pid] = true;
		assert(!eating[(_pid + 1) % N] && !eating[(_pid + N - 1) % N]);
		eating[_pid] = false;
		fork[second] = false;
		fork[first] = false
	od
}

ltl neighbours { [] !(eating[0] && eating[1]) }
