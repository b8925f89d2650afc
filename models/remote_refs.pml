/* Remote references: P[i]@label, P@label and P[i]:variable.
 *
 * expect: verified
 * states: 200
 * transitions: 366
 * ltl: exclusive verified
 * ltl: reaches_ten verified
 */

byte turn;

active [2] proctype Worker()
{
	byte count;

	do
	:: count < 5 ->
		turn == _pid;
busy:		count++;
		assert(!Worker[1 - _pid]@busy);
		turn = 1 - turn
	:: else -> break
	od;
finished:
	skip
}

active proctype Observer()
{
	/* waits for both, looking into their local variables */
	(Worker[0]:count + Worker[1]:count == 10);
watching:
	assert(Worker[0]:count == 5 && Worker[1]:count == 5);
	turn = 9
}

ltl exclusive   { [] !(Worker[0]@busy && Worker[1]@busy) }
ltl reaches_ten { <> (Observer@watching && Worker[0]:count == 5) }
