/* A channel that is a field of a record can be taken away: zero is no channel.
 * The end of a comment that is none is ignored, as SPIN does.
 *
 * expect: verified
 * states: 64
 * transitions: 105
 */

typedef Port {
	chan to;
	byte sent
}

chan line = [2] of { byte };
Port port[2];

active [2] proctype Sender()
{
	port[_pid].to = line;
	port[_pid].to!_pid;
	port[_pid].sent++;
	port[_pid].to = 0;
	assert(port[_pid].to == 0 && len(line) > 0)
} */
