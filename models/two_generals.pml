/* The two generals: no number of messengers makes the attack safe.
 *
 * expect: violated
 * errors: assertion
 * states: 113
 * transitions: 145
 * shortest: 23
 *
 * Each general attacks if he has heard enough.  Whoever sends the last
 * messenger cannot know whether it arrives: one general attacks alone.
 */

#define MESSENGERS  3

chan hill[2] = [1] of { byte };
bool attacks[2], decided[2];
byte sent;

active [2] proctype General()
{
	byte heard, msg;

	if
	:: _pid == 0 -> goto send
	:: else
	fi;

listen:
	if
	:: hill[_pid]?msg -> heard = msg
	:: timeout -> goto decide                /* no more news tonight */
	fi;
send:
	if
	:: sent < MESSENGERS ->
		sent++;
		if
		:: hill[1 - _pid]!heard + 1
		:: skip                          /* the messenger is caught */
		fi;
		goto listen
	:: else
	fi;
decide:
	/* attack when at least all but the last message are known to have arrived */
	attacks[_pid] = (heard >= MESSENGERS - 1);
	decided[_pid] = true;
	(decided[1 - _pid]);
	assert(attacks[0] == attacks[1])
}
