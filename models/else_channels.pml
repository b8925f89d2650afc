/* else next to sends and receives, buffered and rendezvous guards mixed.
 *
 * expect: verified
 * states: 596
 * transitions: 1046
 *
 * else is executable when no other option of the same if or do is: here when
 * the queue is empty or full.
 */

chan q = [2] of { byte };
chan sync = [0] of { byte };
byte dropped, empties, taken;

active proctype Sender()
{
	byte i;

	do
	:: i < 4 ->
		if
		:: q!i
		:: else -> dropped++             /* full */
		fi;
		i++
	:: i == 4 -> break
	od;
	sync!dropped
}

active proctype Receiver()
{
	byte x;

	do
	:: q?x -> taken++
	:: sync?x ->
		assert(x == dropped);
		break
	:: empties == 0 ->
		if
		:: q?[_] -> skip
		:: else -> empties = 1
		fi
	od;
	do
	:: q?x -> taken++
	:: else -> break                         /* empty */
	od;
	assert(taken + dropped == 4)
}
