/* A bounded buffer whose consumers test with "if" where "while" is needed.
 *
 * expect: violated
 * errors: assertion, deadlock
 * states: 332
 * transitions: 555
 * shortest: 23
 *
 * Mesa-style condition variables: a signalled thread must look again, because
 * somebody else may have been faster.  The assertion fails on an empty
 * buffer.  And since one condition serves both sides, a signal can also wake
 * the wrong kind of thread, so that all end up asleep.
 */

#define SLOTS  1

bool mutex;
byte count;
byte sleepers;           /* threads waiting on the condition variable */
byte wakeups;            /* signals on their way                      */

inline lock()   { atomic { !mutex -> mutex = true } }
inline unlock() { mutex = false }
inline wait()
{
	d_step { sleepers++; mutex = false };
	atomic { wakeups > 0 -> wakeups--; sleepers-- };
	lock()
}
inline signal()
{
	d_step {
		if
		:: sleepers > wakeups -> wakeups++
		:: else
		fi
	}
}

active proctype Producer()
{
	do
	:: 	lock();
		do
		:: count == SLOTS -> wait()
		:: else -> break
		od;
		count++;
		signal();
		unlock()
	od
}

active [2] proctype Consumer()
{
	do
	:: 	lock();
		if
		:: count == 0 -> wait()          /* the bug: should be a loop */
		:: else
		fi;
		assert(count > 0);
		count = (count > 0 -> count - 1 : 0);
		signal();
		unlock()
	od
}
