/* Missionaries and cannibals: three of each, a boat for two.
 *
 * expect: violated
 * errors: assertion
 * states: 554
 * transitions: 671
 * shortest: 86
 *
 * The shortest counterexample is the classic solution in eleven crossings.
 */

#define EACH  3
#define BOAT  2

byte m = EACH, c = EACH;         /* left on this bank */
bool far_side;                   /* where the boat is */

#define fine(mm, cc)  ((mm) == 0 || (mm) >= (cc))

active proctype Boat()
{
	byte dm, dc;

	do
	:: 	/* who goes aboard? */
		select (dm : 0 .. BOAT);
		select (dc : 0 .. BOAT);
		if
		:: dm + dc >= 1 && dm + dc <= BOAT &&
		   (!far_side -> (dm <= m && dc <= c) : (dm <= EACH - m && dc <= EACH - c))
		:: else -> goto again            /* impossible: choose again */
		fi;
		d_step {
			if
			:: !far_side -> m = m - dm; c = c - dc
			:: else      -> m = m + dm; c = c + dc
			fi;
			far_side = !far_side
		};
		if
		:: fine(m, c) && fine(EACH - m, EACH - c)
		:: else -> break                 /* somebody gets eaten */
		fi;
		assert(m + c > 0);
again:		dm = 0;
		dc = 0
	od
}
