/* Priority inversion: a medium task keeps a high one waiting for a low one.
 *
 * expect: violated
 * errors: assertion
 * states: 19780
 * transitions: 30386
 * shortest: 21
 *
 * Strict priorities are modelled by "provided": a task runs only while no
 * task above it is ready.  The high task blocks on a lock held by the low
 * task, which the unrelated medium task keeps from running.  Define INHERIT
 * (priority inheritance) and the deadline is met.
 */

bool lock;
bool high_ready, high_blocked, medium_ready;
byte delay;              /* steps of the medium task while the high one waits */

#define DEADLINE  2

#ifdef INHERIT
#define low_may_run  (high_blocked || (!high_ready && !medium_ready))
#define medium_may_run  (!high_blocked && !high_ready)
#else
#define low_may_run  (!(high_ready && !high_blocked) && !medium_ready)
#define medium_may_run  (!(high_ready && !high_blocked))
#endif

active proctype Low() provided (low_may_run)
{
end:	do
	:: 	atomic { !lock -> lock = true };
		skip;                            /* use the shared bus */
		lock = false
	od
}

active proctype Medium() provided (medium_may_run)
{
	byte work;

	do
	:: 	medium_ready = true;
		for (work : 1 .. 3) {
			if
			:: high_blocked ->
				delay++;
				assert(delay <= DEADLINE)
			:: else
			fi
		}
		medium_ready = false
	od
}

active proctype High()
{
	do
	:: 	high_ready = true;
		if
		:: atomic { !lock -> lock = true }
		:: else ->
			high_blocked = true;
			atomic { !lock -> lock = true };
			atomic { high_blocked = false; delay = 0 }
		fi;
		lock = false;
		high_ready = false
	od
}
