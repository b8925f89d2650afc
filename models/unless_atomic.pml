/* unless around atomic and d_step, with jumps and with an escape that loops.
 *
 * expect: verified
 * states: 272
 * transitions: 477
 *
 * The escape is tried before every step of the main sequence, also between the
 * statements of an atomic sequence, but not within a d_step.
 */

byte x, escapes;
bool signal;

active proctype Main()
{
restart:
	{
		atomic { x = 1; x = 2 };
		d_step { x = 3; x = 4 };
		if
		:: x == 4 -> goto done           /* a jump leaves the scope */
		:: x == 0 -> skip
		fi
	} unless {
		signal ->
		signal = false;
		assert(x == 0 || x == 2 || x == 4);
		escapes++;
		x = 0;
		goto restart
	};
done:
	(escapes <= 2);
	x = 9
}

active proctype Kick()
{
	byte n;

	do
	:: n < 2 && !signal -> signal = true; n++
	:: break
	od
}
