/* Die-hard water jugs: measure four gallons with a five and a three.
 *
 * expect: violated
 * errors: assertion
 * states: 16
 * transitions: 113
 * shortest: 7
 */

#define BIG    5
#define SMALL  3
#define GOAL   4

byte big, small;

#define min(a, b)  ((a) < (b) -> (a) : (b))

inline pour(from, to, size)
{
	d_step {
		amount = min(from, size - to);
		from = from - amount;
		to = to + amount;
		amount = 0
	}
}

active proctype Bruce()
{
	byte amount;

	do
	:: big = BIG
	:: small = SMALL
	:: big = 0
	:: small = 0
	:: pour(big, small, SMALL)
	:: pour(small, big, BIG)
	:: assert(big != GOAL)
	od
}
