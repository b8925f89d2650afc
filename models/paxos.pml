/* Single-decree Paxos: two proposers, three acceptors, one value chosen.
 *
 * expect: verified
 * states: 38500
 * transitions: 76535
 *
 * Messages between a proposer and an acceptor are modelled as a remote call
 * in one step, which may silently not happen (lost).  A proposer gives up
 * when it cannot collect a majority.  Agreement: no two proposers ever see
 * different values chosen.
 */

#define PROPOSERS  2
#define ACCEPTORS  3
#define MAJORITY   2

byte promised[ACCEPTORS];        /* highest ballot promised               */
byte voted_ballot[ACCEPTORS];    /* ballot of the last vote, 0 for none   */
byte voted_value[ACCEPTORS];
byte chosen;                     /* ghost: the value chosen, 0 when none  */

active [PROPOSERS] proctype Proposer()
{
	byte ballot = _pid + 1;
	byte value = _pid + 1;           /* our wish, unless we learn better */
	byte best, count, a;

	/* phase 1: prepare */
	a = 0;
	do
	:: a < ACCEPTORS ->
		if
		:: d_step {
				promised[a] < ballot ->
				promised[a] = ballot;
				count++;
				if
				:: voted_ballot[a] > best ->
					best = voted_ballot[a];
					value = voted_value[a]
				:: else
				fi
			}
		:: skip                          /* lost, or refused */
		fi;
		a++
	:: else -> break
	od;
	if
	:: count < MAJORITY -> goto give_up
	:: else
	fi;

	/* phase 2: accept */
	count = 0;
	a = 0;
	do
	:: a < ACCEPTORS ->
		if
		:: d_step {
				promised[a] <= ballot ->
				promised[a] = ballot;
				voted_ballot[a] = ballot;
				voted_value[a] = value;
				count++
			}
		:: skip
		fi;
		a++
	:: else -> break
	od;
	if
	:: count >= MAJORITY ->
		assert(chosen == 0 || chosen == value);
		chosen = value
	:: else
	fi;
give_up:
	skip
}
