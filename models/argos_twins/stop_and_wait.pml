/* Twin of stop_and_wait.argos. Stop-and-wait with a sequence bit. The assertion is a variable that the sends to the user set.
 *
 * expect: verified
 * states: 159
 * transitions: 331
 */
mtype { frame, ack, even, odd };
chan wire = [1] of { mtype, short };
chan back = [1] of { mtype };
chan user = [1] of { mtype };
byte alternation;	/* 0: even is next, 1: odd, 2: violated */

active proctype sender()
{	short b;
end:	do
	:: wire!frame(b);
	   do
	   :: back?ack -> break
	   :: empty(back) -> wire!frame(b)
	   od;
	   b = (b + 1) % 2
	od
}

active proctype receiver()
{	short b, wanted;
end:	do
	:: wire?frame(b) ->
		if
		:: b == wanted ->
			if
			:: b == 0 -> d_step { user!even; assert(alternation == 0); alternation = (alternation == 0 -> 1 : 2) }
			:: b == 1 -> d_step { user!odd; assert(alternation == 1); alternation = (alternation == 1 -> 0 : 2) }
			fi;
			wanted = (wanted + 1) % 2;
			back!ack
		:: b != wanted
		fi
	od
}

active proctype reader()
{
end:	do
	:: user?even
	:: user?odd
	od
}
