/* Several mtype sets: mtype, mtype:fruit and mtype:colour.
 *
 * expect: verified
 * states: 5475
 * transitions: 10246
 *
 * Each set is numbered on its own, the last name of a declaration being 1.
 */

mtype = { start, stop };
mtype:fruit  = { apple, pear, plum };
mtype:colour = { green, yellow, blue };
mtype = { pause };                       /* more of the first set */

mtype:colour skin[3];
chan basket = [2] of { mtype:fruit, mtype:colour };
mtype state = stop;

active proctype Picker()
{
	mtype:fruit f;
	byte n;

	state = start;
	for (n : 1 .. 3) {
		if
		:: f = apple; basket!f, green
		:: f = apple; basket!f, yellow
		:: f = pear;  basket!f, yellow
		:: f = plum;  basket!f, blue
		fi
	}
	state = pause
}

active proctype Sorter()
{
	mtype:fruit f;
	mtype:colour c;
	byte n;

	for (n in skin) {
		basket?f, c;
		skin[n] = c;
		assert(f != plum || c == blue);
		assert(c != blue || f == plum)
	}
	(state == pause);
	assert(plum == 1 && apple == 3 && blue == 1 && green == 3)
}
