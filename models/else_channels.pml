/* else with channel tests, and buffered and rendezvous guards in one do.
 *
 * expect: verified
 * states: 669
 * transitions: 1171
 *
 * else is executable when no other option of the same if or do is.  SPIN does
 * not accept it next to send, receive or nfull, so the options test the queue
 * with len or a poll.
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
		:: len(q) < 2 -> q!i
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
	:: len(q) > 0 -> q?x; taken++
	:: else -> break                         /* empty */
	od;
	assert(taken + dropped == 4)
}
