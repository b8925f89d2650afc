/* A desk with two counters, all by rendezvous: one customer is served for ever.
 *
 * expect: verified
 * states: 7
 * transitions: 13
 * ltl: answered violated
 * ltl: answered violated fair
 * ltl: answered verified strong
 *
 * answered: whoever asks at the first counter gets an answer.  The clerk may
 * always turn to the second one: the cycle is made of rendezvous.
 */

mtype = { question, answer };
chan first = [0] of { mtype };
chan second = [0] of { mtype };
bool asking;

active proctype Clerk()
{
end:	do
	:: first?question -> first!answer
	:: second?question -> second!answer
	od
}

active proctype Patient()
{
end:	do
	:: asking = true; first!question; first?answer; asking = false
	od
}

active proctype Busy()
{
end:	do
	:: second!question; second?answer
	od
}

ltl answered { [] (asking -> <> !asking) }
