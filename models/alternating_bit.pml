/* The alternating bit protocol over channels that lose messages.
 *
 * expect: verified
 * states: 82
 * transitions: 98
 *
 * The payload counts modulo 4, so that the receiver can see whether it gets
 * every message exactly once and in order.
 */

#define MOD  4

mtype = { data, ack };

chan forward  = [1] of { mtype, bit, byte };
chan backward = [1] of { mtype, bit };

active proctype Sender()
{
	bit seq, got;
	byte payload;

	do
	:: 	forward!data(seq, payload);
		do
		:: backward?ack(got) ->
			if
			:: got == seq -> break
			:: else                          /* old acknowledgement */
			fi
		:: timeout -> forward!data(seq, payload)
		od;
		seq = 1 - seq;
		payload = (payload + 1) % MOD
	od
}

active proctype Receiver()
{
	bit seq, expected;
	byte payload, next;

	do
	:: forward?data(seq, payload) ->
		if
		:: seq == expected ->
			assert(payload == next);
			next = (next + 1) % MOD;
			expected = 1 - expected
		:: else                                  /* duplicate */
		fi;
		backward!ack(seq)
	od
}

/* the wire: takes away any message, at any time */
active proctype Gremlin()
{
end:	do
	:: forward?_, _, _
	:: backward?_, _
	od
}
