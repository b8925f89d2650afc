/* Run-time error in an option: it counts as not possible, so `else` is taken,
 * and nobody is stuck.
 *
 * expect: violated
 * errors: runtime, assertion
 * states: 12
 * transitions: 12
 */

chan wire = [0] of { byte };
byte rounds;

active proctype Impatient()
{
	byte x;

	do
	:: wire?[x] -> rounds = 7
	:: rounds == 3 -> break
	:: else -> rounds++
	od;
	skip;
	d_step {
		if
		:: wire?[1] -> rounds = 0
		:: else -> rounds++
		fi
	}
	atomic {
		skip;
		if
		:: wire?[1] -> skip
		:: else -> assert(rounds != 4)
		fi
	}
}
