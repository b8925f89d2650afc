/* Priorities and blocking: a blocked process stops nobody below it.
 *
 * expect: verified
 * states: 5035
 * transitions: 7496
 *
 * The handler has the highest priority but mostly waits.  As soon as it can
 * run, it does so before the others take another step.
 */

bool interrupt;
byte handled, work;

active proctype Handler() priority 9
{
end:	do
	:: interrupt ->
		interrupt = false;
		handled++
	od
}

/* two of equal priority: these interleave freely */
active [2] proctype Worker() priority 4
{
	byte before;

	do
	:: work < 4 ->
		before = handled;
		if
		:: 	interrupt = true;
			/* we only get here again when the handler has finished */
			assert(!interrupt && handled > before)
		:: skip
		fi;
		work++
	:: else -> break
	od
}

active proctype Background() priority 2
{
	/* runs only when both workers are done, and not a step earlier */
	assert(work >= 4);
	assert(!interrupt);
	set_priority(0, 1);              /* demote the handler... */
	interrupt = true;
	assert(interrupt);               /* ...which does not come first any more */
	assert(get_priority(0) == 1)
}
