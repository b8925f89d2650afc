/* All forms of for: a range, an array's indices, a channel's messages.
 *
 * expect: verified
 * states: 352
 * transitions: 647
 */

typedef Pair { byte key; byte value };

byte squares[4];
chan pairs = [3] of { Pair };            /* for needs a channel of a typedef */

active proctype Loops()
{
	byte i, sum;
	int j;
	Pair p;

	for (i in squares) {                     /* 0 .. 3 */
		squares[i] = i * i
	}
	assert(i == 4);

	for (j : -2 .. 2) {                      /* bounds may be expressions */
		sum = sum + j * j
	}
	assert(sum == 10);

	i = 4;
	for (j : 5 .. i) {
		assert(false)                    /* an empty range */
	}

	for (i : 1 .. 3) {
		p.key = i;
		p.value = squares[i];
		pairs!p
	}
	sum = 0;
	for (p in pairs) {                       /* looks at, but keeps, each message */
		assert(p.value == p.key * p.key);
		sum = sum + p.value
	}
	assert(sum == 14 && len(pairs) == 3);

	for (i : 0 .. 9) {
		if
		:: i == 6 -> break               /* leaves the loop */
		:: else
		fi
	}
	assert(i == 6)
}

active proctype Disturber()
{
	if
	:: pairs?[1, 1] -> skip
	:: true
	fi
}
