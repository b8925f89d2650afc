/* Twin of servers_at_rest.argos. A client that ends and a server that may stay.
 *
 * expect: verified
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
end:	do
	:: ask?question(n) -> reply!answer(n * n)
	od
}
