/* goto into, out of and inside atomic; else and break; labels on all kinds.
 *
 * expect: verified
 * states: 233
 * transitions: 520
 *
 * An atomic sequence ends when control jumps out of it, and a jump to its
 * middle goes on atomically from there.
 */

byte x, y, rounds;

active proctype Jumper()
{
again:
	atomic {
		x = 1;
		if
		:: y == 0 -> goto outside
		:: else
		fi;
middle:
		x = 2;
		x = 3;
		x = 0
	};
	if
	:: rounds < 2 -> rounds++; goto again
	:: else -> goto finish
	fi;

outside:                                 /* not atomic: x == 1 is visible */
	y++;
	goto middle;

finish:
	skip
}

active [2] proctype Watcher()
{
	if
	:: x == 1 -> assert(y <= 1)
	:: rounds == 2
	fi;
	assert(x != 2 && x != 3)
}
