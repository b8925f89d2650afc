/* Sorted send (!!) and random receive (??): a priority queue of jobs.
 *
 * expect: verified
 * states: 23356
 * transitions: 45054
 *
 * Jobs are (urgency, kind, number).  A sorted send inserts a message before
 * the first one that is greater, comparing all fields from left to right.
 * So the front of the queue is always the smallest, whatever the order of
 * arrival, and random receives can still take jobs out of the middle.
 */

mtype = { print, backup };

chan jobs = [4] of { byte, mtype, byte };
byte done;

active proctype Submitter()
{
	byte u;

	/* two producers' worth of nondeterministic order */
	do
	:: len(jobs) < 4 && u < 6 ->
		if
		:: jobs!!(7 * u) % 5, print, u
		:: jobs!!(3 * u) % 5, backup, u
		fi;
		u++
	:: u == 6 -> break
	od;
	jobs!!9, print, 255              /* sentinel: sorts behind everything */
}

active proctype Printer()
{
	byte urgency, n, peek;

	do
	:: jobs??urgency, print, n ->            /* first print job, anywhere */
		if
		:: n == 255 -> break
		:: else -> done++
		fi
	:: jobs?<peek, backup, _> ->             /* a backup waits in front: leave it */
		assert(peek <= 4);
		jobs?urgency, _, n;
		assert(urgency <= peek);         /* nothing smaller can be behind */
		done++;
		if
		:: n == 255 -> break
		:: else
		fi
	od;
	/* what is left are backups, in sorted order */
	peek = 0;
end:	do
	:: jobs?urgency, backup, n ->
		assert(urgency >= peek);
		peek = urgency;
		done++
	od
}
