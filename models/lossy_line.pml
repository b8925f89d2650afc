/* Retransmission over a line that may lose everything: no progress is promised.
 *
 * expect: verified
 * states: 166
 * transitions: 367
 * progress: violated
 *
 * The receiver passes a progress label for each new message.  A line that
 * always loses keeps the sender busy for ever.
 */

chan line = [1] of { bit };
chan back = [1] of { bit };

active proctype Sender()
{
	bit number, ack;
	do
	:: line!number
	:: back?ack ->
		if
		:: ack == number -> number = 1 - number
		:: else
		fi
	od
}

active proctype Line()
{
	do
	:: line?_
	od
}

active proctype Receiver()
{
	bit number, expected;
	do
	:: line?number ->
		if
		:: number == expected -> progress: expected = 1 - expected
		:: else
		fi;
		back!number
	od
}
