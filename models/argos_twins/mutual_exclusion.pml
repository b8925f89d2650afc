/* Twin of mutual_exclusion.argos. Mutual exclusion by an arbiter. The assertion is a variable that the sends to the monitor channel set.
 *
 * expect: verified
 * states: 87
 * transitions: 179
 */
mtype { A_wants, B_wants, go, done, A_enter, A_leave, B_enter, B_leave };
chan monitor = [1] of { mtype };
chan free = [1] of { mtype };
chan a = [1] of { mtype };
chan b = [1] of { mtype };
chan arbiter = [2] of { mtype };
byte exclusion;		/* 0: nobody is inside, 1: A, 2: B, 3: violated */

active proctype A()
{
end:	do
	:: arbiter!A_wants; a?go;
	   d_step { monitor!A_enter; assert(exclusion == 0); exclusion = (exclusion == 0 -> 1 : 3) };
	   d_step { monitor!A_leave; assert(exclusion == 1); exclusion = (exclusion == 1 -> 0 : 3) };
	   free!done
	od
}

active proctype B()
{
end:	do
	:: arbiter!B_wants; b?go;
	   d_step { monitor!B_enter; assert(exclusion == 0); exclusion = (exclusion == 0 -> 2 : 3) };
	   d_step { monitor!B_leave; assert(exclusion == 2); exclusion = (exclusion == 2 -> 0 : 3) };
	   free!done
	od
}

active proctype referee()
{
end:	do
	:: arbiter?A_wants -> a!go; free?done
	:: arbiter?B_wants -> b!go; free?done
	od
}

active proctype watchman()
{
end:	do
	:: monitor?A_enter
	:: monitor?A_leave
	:: monitor?B_enter
	:: monitor?B_leave
	od
}
