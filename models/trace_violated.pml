/* A trace assertion that fails: the second client breaks the alternation.
 *
 * expect: violated
 * errors: trace
 * states: 54
 * transitions: 90
 * shortest: 2
 *
 * The end labels say that the trace may stop anywhere.
 */

mtype = { get, put };

chan door = [2] of { mtype };

trace {
end:	do
	:: door!get;
end_got:   door!put
	od
}

active [2] proctype Visitor()
{
	door!get;
	door!put
}

active proctype Porter()
{
	byte n;

end:	do
	:: door?_ -> n++
	od
}
