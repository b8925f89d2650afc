/* Dynamic processes: run as a value and as a guard, _nr_pr and pid reuse.
 *
 * expect: verified
 * states: 8665
 * transitions: 27456
 *
 * Processes die in the reverse order of their creation, so a finished process
 * keeps its number until all younger ones are gone.  Parent and children use
 * this to wait for each other.
 */

byte alive, deepest;

proctype Child(byte depth)
{
	pid kid;

	alive++;
	if
	:: depth < 3 ->
		kid = run Child(depth + 1);
		assert(kid > _pid);
		(_nr_pr <= kid)                  /* until the child is gone */
	:: depth < 3 -> skip                     /* no offspring */
	:: depth == 3 -> deepest = depth
	fi;
	alive--
}

init {
	pid first, second;

	assert(_pid == 0 && _nr_pr == 1);
	first = run Child(1);
	second = run Child(2);
	assert(first == 1 && second >= 1);       /* 1 again if the first is gone */
	(_nr_pr == 1);
	assert(alive == 0);
	if
	:: run Child(3) -> skip                  /* true: it could be started */
	:: run Child(3) -> run Child(3)
	fi;
	(_nr_pr == 1);
	assert(deepest == 3)
}
