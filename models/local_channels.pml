/* Channels that live and die with the process that declares them.
 *
 * expect: verified
 * states: 32965
 * transitions: 111587
 *
 * Every job brings its own reply channel.  When the job ends its channel goes
 * too, and the number may be used again by the next one.
 */

chan broker = [1] of { chan, byte };
byte finished;

proctype Job(byte n)
{
	chan reply = [2] of { byte };
	byte r, s;

	broker!reply, n;
	reply?r;
	reply?s;
	assert(r + s == 2 * n + 1);
	finished++
}

active proctype Broker()
{
	chan back;
	byte n;

end:	do
	:: broker?back, n ->
		if
		:: back!n; back!n + 1
		:: back!n + 1; back!n
		fi
	od
}

init {
	byte i;

	for (i : 1 .. 3) {
		run Job(i);
		if
		:: (finished == i)               /* one after the other */
		:: true                          /* or overlapping      */
		fi
	}
	(finished == 3)
}
