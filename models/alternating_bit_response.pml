/* The alternating bit protocol again, asked whether every message gets through.
 *
 * expect: verified
 * states: 50
 * transitions: 60
 * ltl: delivered violated
 *
 * delivered fails: a channel that may lose every message does so for ever, and
 * the sender sends the same one again and again.
 */

mtype = { data, ack };

chan forward  = [1] of { mtype, bit };
chan backward = [1] of { mtype, bit };

bool sent, received, answered;

active proctype Sender()
{
	bit seq, got;

	do
	:: 	atomic { forward!data(seq); sent = true };
		do
		:: backward?ack(got) ->
			if
			:: got == seq -> break
			:: else                          /* old acknowledgement */
			fi
		:: timeout -> forward!data(seq)
		od;
		atomic { sent = false; answered = true };
		seq = 1 - seq;
		answered = false
	od
}

active proctype Receiver()
{
	bit seq, expected;

	do
	:: forward?data(seq);
		if
		:: seq == expected ->
			received = true;
			expected = 1 - expected;
			received = false
		:: else
		fi;
		backward!ack(seq)
	od
}

/* the wire: takes away any message, at any time */
active proctype Gremlin()
{
end:	do
	:: forward?_, _
	:: backward?_, _
	od
}

ltl delivered { [] (sent -> (<> received || <> answered)) }
