/* A trace assertion that holds: requests and replies alternate.
 *
 * expect: verified
 * states: 24
 * transitions: 24
 *
 * The trace automaton watches all sends on the channel names it mentions; any
 * such event that it cannot follow is an error.  The end label matters: when
 * the system stops, the trace must be in an end state, too.
 */

mtype = { ask, tell };

chan question = [1] of { mtype, byte };
chan reply    = [1] of { mtype, byte };

trace {
end:	do
	:: question!ask, _;
	   reply!tell, _
	od
}

active proctype Client()
{
	byte i, answer;

	for (i : 1 .. 3) {
		question!ask, i;
		reply?tell, answer;
		assert(answer == i * i)
	}
}

active proctype Server()
{
	byte x;

end:	do
	:: question?ask, x -> reply!tell, x * x
	od
}
