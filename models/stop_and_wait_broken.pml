/* Stop-and-wait without sequence numbers: a lost ack duplicates a message.
 *
 * expect: violated
 * errors: assertion
 * states: 42
 * transitions: 45
 * shortest: 11
 *
 * The sender cannot know whether the message or its acknowledgement was lost,
 * and the receiver cannot tell a retransmission from a new message.
 */

#define MESSAGES  3

chan message = [1] of { byte };
chan reply   = [1] of { bool };

active proctype Sender()
{
	byte n;

	for (n : 1 .. MESSAGES) {
		message!n;
		do
		:: reply?true -> break
		:: timeout -> message!n
		od
	}
}

active proctype Receiver()
{
	byte n, last;

end:	do
	:: message?n ->
		assert(n == last + 1);
		last = n;
		if
		:: reply!true
		:: skip                  /* the acknowledgement is lost */
		fi
	od
}
