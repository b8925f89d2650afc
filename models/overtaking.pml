/* Peterson's algorithm, and a claim that nobody is overtaken twice.
 *
 * expect: verified
 * states: 32
 * transitions: 55
 * never: verified
 *
 * The claim looks for an execution in which process 0 waits while process 1
 * enters, leaves and enters again.
 */

bool wants[2], inside[2];
bit turn;

active [2] proctype P()
{
	do
	:: wants[_pid] = true; turn = 1 - _pid;
waiting:	(!wants[1 - _pid] || turn == _pid);
		inside[_pid] = true; inside[_pid] = false;
		wants[_pid] = false
	od
}

#define waits0	(P[0]@waiting)

never {
watch:	do
	:: true
	:: waits0 && !inside[1] -> goto once
	od;
once:	do
	:: waits0 && !inside[1]
	:: waits0 && inside[1] -> goto first
	od;
first:	do
	:: waits0 && inside[1]
	:: waits0 && !inside[1] -> goto again
	od;
again:	do
	:: waits0 && !inside[1]
	:: waits0 && inside[1] -> break
	od
}
