/* Polling a channel: ?[..] and ??[..], copying receives ?<..> and ??<..>.
 *
 * expect: verified
 * states: 59
 * transitions: 65
 *
 * Polls are side-effect free and so may occur in expressions; the copying
 * receives bind variables but leave the message where it is.
 */

mtype = { red, green, blue };

chan box = [3] of { mtype, byte };
bool saw_blue_behind;

active proctype Filler()
{
	box!red, 1;
	if
	:: box!green, 2
	:: box!red, 4
	fi;
	box!blue, 3
}

active proctype Looker()
{
	mtype colour;
	byte n, before;

	do
	:: box?[red, _] && box??[blue, 3] ->     /* blue is somewhere behind red */
		saw_blue_behind = true;
		before = len(box);
		box?? <blue, n>;                 /* copy blue from the middle... */
		assert(n == 3 && len(box) == before);
		box?<colour, n>;                 /* ...and the first one */
		assert(colour == red && len(box) == before);
		box?red, n
	:: box??[green, eval(2)] ->
		box??green, n;                   /* take green from wherever it is */
		assert(n == 2)
	:: box?[blue, 3] && len(box) == 1 ->
		box?_, n;
		break
	:: box?[red, 4] -> box?red, n
	:: len(box) == 1 && !box?[blue, _] && saw_blue_behind -> assert(false)
	od;
	assert(empty(box))
}
