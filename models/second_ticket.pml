/* The same with an owner who asks again: nobody is stuck.
 *
 * expect: verified
 * states: 38
 * transitions: 91
 * stuck: verified
 * ltl: served violated
 *
 * served: that the owner is served is still not promised.
 */

chan window = [1] of { byte };
chan reply = [1] of { byte };
bool done;

active proctype Owner()
{
	byte n;
	window!7;
	do
	:: reply?n -> done = true; break
	:: empty(window) && empty(reply) -> window!7
	od
}

active proctype Post()
{
	byte n;
end:	do
	:: window?n -> reply!n
	:: window?_
	od
}

active proctype Clock()
{
	bit now;
	do
	:: now = 1 - now
	od
}

ltl served { <> done }
