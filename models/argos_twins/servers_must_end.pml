/* Twin of servers_must_end.argos. The same where the server may not stay.
 *
 * expect: violated
 * errors: deadlock
 * states: 23
 * transitions: 23
 */
mtype { question, answer };
chan ask = [1] of { mtype, short };
chan reply = [1] of { mtype, short };

active proctype client()
{	short n = 3, got;
	do
	:: n > 0 -> ask!question(n); reply?answer(got); got == n * n; n = n - 1
	:: n == 0 -> break
	od;
end:	false
}

active proctype server()
{	short n;
	do
	:: ask?question(n) -> reply!answer(n * n)
	od
}
