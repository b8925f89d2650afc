/* Twin of two_at_once.argos. One message that two assertions forbid.
 *
 * expect: violated
 * errors: assertion
 * states: 6
 * transitions: 7
 */
mtype { a, b };
chan c = [2] of { mtype };
byte order;	/* 0: a is next, 1: b, 2: the end, 3: violated */
byte begun;	/* 0: a is next, 1: anything, 2: violated */

active proctype p()
{	d_step {
		c!b;
		assert(order == 1 && begun == 1);
		order = (order == 1 -> 2 : 3);
		begun = (begun == 1 -> 1 : 2)
	};
	/* What was violated is not followed any further. */
	d_step {
		c!a;
		assert((order == 0 || order == 3) && (begun <= 1 || begun == 2));
		order = (order == 0 -> 1 : 3);
		begun = (begun <= 1 -> 1 : 2)
	};
end:	false
}

active proctype q()
{	c?b; c?a;
end:	false
}
