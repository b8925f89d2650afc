/* eval and constants in receives: only matching messages are taken.
 *
 * expect: verified
 * states: 333
 * transitions: 681
 *
 * Two sessions share one channel.  Each takes only messages that carry its own
 * number: eval(x) matches the value of x instead of assigning to it.
 */

mtype = { open, data, close };

chan line = [2] of { mtype, pid, byte };
byte total[3];

active proctype Mux()
{
	byte n1, n2;

	line!open, 1, 0;
	line!open, 2, 0;
	do
	:: n1 < 2 -> n1++; line!data, 1, n1
	:: n2 < 2 -> n2++; line!data, 2, 10 * n2
	:: n1 == 2 && n2 == 2 -> break
	od;
	line!close, 2, 0;
	line!close, 1, 0
}

active [2] proctype Session()
{
	byte x;

	line??open, eval(_pid), 0;
	do
	:: line?data, eval(_pid), x -> total[_pid] = total[_pid] + x
	:: line?close, eval(_pid), eval(total[0]) -> break
	od;
	assert(total[_pid] == (_pid == 1 -> 3 : 30))
}
