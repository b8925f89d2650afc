/* A ticket can be lost: its owner never moves again, and the others do not notice.
 *
 * expect: verified
 * states: 12
 * transitions: 23
 * stuck: violated
 *
 * There is no deadlock, since the clock ticks on.  `--property stuck` finds
 * the owner.
 */

chan window = [1] of { byte };
chan reply = [1] of { byte };

active proctype Owner()
{
	byte n;
	window!7; reply?n
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
