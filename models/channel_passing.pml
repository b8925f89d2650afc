/* Channels as values: in messages, as parameters, in arrays and in variables.
 *
 * expect: verified
 * states: 17699
 * transitions: 50185
 *
 * Clients send the server the channel on which they want to be answered; the
 * server starts an agent for each of them.
 */

#define CLIENTS  2

mtype = { hello, bye };

chan server_port = [1] of { mtype, chan };
chan pool[2] = [1] of { byte };
byte sessions, answers;

proctype Agent(chan client; byte start)
{
	byte i;

	for (i : start .. start + 1) {
		client!i
	}
	sessions--
}

active proctype Server()
{
	chan who;
	mtype what;

end:	do
	:: server_port?what(who) ->
		if
		:: what == hello ->
			sessions++;
			run Agent(who, 10 * who)         /* a channel is just a number */
		:: what == bye ->
			skip
		fi
	od
}

active [CLIENTS] proctype Client()
{
	chan mine = [0] of { byte };
	chan answer;
	byte x, y;

	if
	:: answer = mine                         /* a private rendezvous channel */
	:: answer = pool[_pid - 1]               /* a shared array of channels   */
	fi;
	server_port!hello(answer);
	answer?x;
	answer?y;
	assert(y == x + 1 && x == 10 * answer);
	answers++;
	server_port!bye(answer)
}
