/* Twin of patient.argos. A timeout that happens only when nothing else can.
 *
 * expect: verified
 * states: 15
 * transitions: 19
 */
mtype { first, last, ack };
chan wire = [1] of { mtype };
chan back = [1] of { mtype };
chan user = [1] of { mtype };
byte once;	/* 0: first is next, 1: last, 2: the end, 3: violated */

active proctype sender()
{	wire!first;
	do
	:: back?ack -> break
	:: timeout && empty(back) -> wire!first
	od;
	wire!last;
end:	false
}

active proctype receiver()
{	do
	:: wire?first ->
		d_step { user!first; assert(once == 0); once = (once == 0 -> 1 : 3) };
		back!ack
	:: wire?last ->
		d_step { user!last; assert(once == 1); once = (once == 1 -> 2 : 3) };
		break
	od;
end:	false
}

active proctype reader()
{	do
	:: user?first
	:: user?last -> break
	od;
end:	false
}
