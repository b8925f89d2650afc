/* timeout: true only when nothing else in the whole system can happen.
 *
 * expect: verified
 * states: 178
 * transitions: 282
 *
 * The watchdog restarts a worker that may hang.  Its timeout cannot fire while
 * any other process still has something to do.
 */

chan work = [1] of { bit };
byte restarts, done;
bool hung;

active proctype Feeder()
{
	byte n;

	for (n : 1 .. 3) {
		work!1
	}
}

active proctype Worker()
{
	do
	:: 	work?1;
		if
		:: done++
		:: 	hung = true;
			(!hung);                         /* hangs until the watchdog acts */
			done++
		fi
	:: done == 3 -> break
	od
}

active proctype Watchdog()
{
	do
	:: timeout ->
		if
		:: hung -> hung = false; restarts++
		:: else -> break
		fi
	od;
	assert(done == 3 && restarts <= 3)
}
