/* xr and xs: a process claims exclusive receive or send access to a channel.
 *
 * expect: verified
 * states: 144
 * transitions: 294
 *
 * The claims help partial order reduction and are checked during the search
 * when it is on.  They hold here.
 */

chan raw = [1] of { byte };
chan cooked = [1] of { byte };

active proctype Source()
{
	xs raw;
	byte i;

	for (i : 1 .. 4) {
		raw!i
	}
}

active proctype Filter()
{
	xr raw;
	xs cooked;
	byte x;

end:	do
	:: raw?x ->
		if
		:: x % 2 == 0 -> cooked!x
		:: else
		fi
	od
}

active proctype Sink()
{
	xr cooked;
	byte y, last;

end:	do
	:: cooked?y ->
		assert(y % 2 == 0 && y > last);
		last = y
	od
}
