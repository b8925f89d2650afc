/* A sense-reversing barrier: no thread is ever a whole phase ahead.
 *
 * expect: verified
 * states: 9472
 * transitions: 24529
 * ltl: together verified
 */

#define THREADS  3

byte waiting = THREADS;
bit sense;
byte phase[THREADS];      /* modulo 4 */

#define ahead(i)  ((phase[i] - phase[_pid] + 4) % 4)

active [THREADS] proctype Thread()
{
	bit my_sense;
	byte position;

	do
	:: 	/* work of this phase, checking where the others are */
		assert(ahead(0) != 2 && ahead(1) != 2 && ahead(2) != 2);
		phase[_pid] = (phase[_pid] + 1) % 4;

		my_sense = 1 - my_sense;
		atomic { waiting--; position = waiting };
		if
		:: position == 0 ->              /* the last one opens the barrier */
			waiting = THREADS;
			sense = my_sense
		:: else ->
			(sense == my_sense)
		fi
	od
}

ltl together { [] (((phase[0] - phase[1] + 4) % 4) != 2) }
