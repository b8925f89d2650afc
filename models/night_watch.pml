/* A watchman answers each alarm; the alarm may ring at any time.
 *
 * expect: verified
 * states: 8
 * transitions: 15
 * ltl: answered violated
 * ltl: answered verified fair
 * ltl: not_before verified
 *
 * answered: each alarm is answered.  The watchman can always move once it
 * rings, so a weakly fair execution lets him.
 * not_before: he does not go out before the first alarm.
 */

bool alarm, out;

active proctype Alarm()
{
	do
	:: !alarm -> alarm = true
	:: alarm		/* it rings on */
	od
}

active proctype Watchman()
{
end:	do
	:: alarm -> out = true; alarm = false; out = false
	od
}

ltl answered { [] (alarm -> <> out) }
ltl not_before { !out W alarm }
