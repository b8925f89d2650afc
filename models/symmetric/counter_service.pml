/* Five customers bring a channel of their own to a desk and wait for the answer there.
 *
 * expect: verified
 *
 * The clerk turns a customer away when the desk is full, who then waits for ever; the others go on.
 */

chan desk = [3] of { chan };

active [5] proctype Customer()
{
	chan mine = [1] of { bool };

end:	do
	::	desk ! mine;
wait:		mine ? true
	od
}

active proctype Clerk()
{
	chan customer;

end:	do
	:: full(desk) -> desk ? customer
	:: nfull(desk) -> desk ? customer; customer ! true
	od
}
