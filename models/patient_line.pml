/* The same line, which loses no two messages in a row: every execution that goes on delivers.
 *
 * expect: verified
 * states: 38
 * transitions: 42
 * progress: verified
 */

chan line = [0] of { bit };
chan wire = [0] of { bit };
chan back = [0] of { bit };

active proctype Sender()
{
	bit number, ack;
end:	do
	:: line!number; back?ack;
		if
		:: ack == number -> number = 1 - number
		:: else
		fi
	od
}

active proctype Line()
{
	bit number;
	bool lost;
end:	do
	:: line?number ->
		if
		:: !lost -> lost = true; back!(1 - number)	/* as if an old acknowledgement came */
		:: lost = false; wire!number
		fi
	od
}

active proctype Receiver()
{
	bit number, expected;
end:	do
	:: wire?number ->
		if
		:: number == expected -> progress: expected = 1 - expected
		:: else
		fi;
		back!number
	od
}
