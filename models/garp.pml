/*
 * Registration of an attribute in the manner of GARP: N applicants on a link join and leave; a registrar keeps count of
 * whether anybody is a member, and asks all of them from time to time (`leave_all`) to say so again. The link copies what one says
 * to all others. The mistake: queues have one place, applicants answer at once, and the registrar asks while
 * its own queue is full; each then waits for the other to make room.
 *
 * expect: violated
 * errors: deadlock
 * states: 119650
 * transitions: 325711
 */
#ifndef N
#define N 2
#endif

mtype = { join_in, join_empty, leave_in, leave_all };

chan heard[N] = [1] of { mtype };    /* what an applicant hears */
chan said = [1] of { mtype, byte };  /* what the registrar hears */

byte members;                        /* as the registrar sees it: 0 none, 1 some, 2 leaving */

proctype applicant(byte me)
{
	bool member;
end_hear:
	do
	:: heard[me]?leave_all ->
		if
		:: member -> said!join_in, me
		:: else
		fi
	:: heard[me]?join_in            /* another one has said it: silence is enough */
	:: heard[me]?leave_in ->
		if
		:: member -> said!join_in, me
		:: else
		fi
	:: !member -> member = true; said!join_empty, me
	:: member -> member = false; said!leave_in, me
	od
}

proctype registrar()
{
	byte i, who;
	mtype what;
end_serve:
	do
	:: said?what, who ->
		if
		:: what == leave_in -> members = (members == 0 -> 0 : 2)
		:: else -> members = 1
		fi;
		i = 0;
		do
		:: i < N && i != who ->
			if
			:: what == leave_in -> heard[i]!leave_in
			:: else -> heard[i]!join_in
			fi;
			i++
		:: i < N && i == who -> i++
		:: else -> break
		od
	:: members == 2 -> members = 0      /* nobody has joined again in time */
	:: members == 1 ->                  /* time to ask */
		i = 0;
		do
		:: i < N -> heard[i]!leave_all; i++
		:: else -> break
		od
	od
}

init {
	byte i;
	atomic {
		run registrar();
		for (i : 0 .. N - 1) {
			run applicant(i)
		}
	}
}
