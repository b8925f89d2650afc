/* unless with a rendezvous as the escape: a telephone call is interrupted.
 *
 * expect: verified
 * states: 50
 * transitions: 69
 */

mtype = { ring, hangup, fire };

chan phone = [0] of { mtype };
chan alarm = [0] of { mtype };
byte words;
bool evacuated;

active proctype Person()
{
	{
		phone?ring;
		do
		:: words = (words + 1) % 3
		:: phone?hangup -> goto quiet
		od
	} unless {
		alarm?fire ->
		evacuated = true
	};
quiet:
	do
	:: phone?_               /* voice mail */
	:: alarm?fire -> evacuated = true
	:: timeout -> break
	od;
	assert(evacuated)
}

active proctype Caller()
{
	phone!ring;
	phone!hangup
}

active proctype Detector()
{
	alarm!fire
}
