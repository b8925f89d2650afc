/* A notrace assertion fails when its whole event sequence can be matched.
 *
 * expect: violated
 * errors: trace
 * states: 7
 * transitions: 8
 * shortest: 3
 *
 * It claims that never an "open" is followed by a "shut" with the same number;
 * that happens, of course.
 */

mtype = { open, shut };

chan valve = [1] of { mtype, byte };

notrace {
end_quiet:
	valve!open, 1;
end_opened:
	valve!shut, 1
}

active proctype Operator()
{
	valve!open, 1;
	if
	:: valve!shut, 1
	:: skip
	fi
}

active proctype Machine()
{
end:	do
	:: valve?_, _
	od
}
