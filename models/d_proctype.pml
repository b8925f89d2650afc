/* D_proctype: a process type that claims to be deterministic.
 *
 * expect: verified
 * states: 613
 * transitions: 1316
 *
 * One process walks along a Collatz sequence, a noisy neighbour takes its own
 * nondeterministic way.
 */

short n = 7;
byte length;
byte noise;

active D_proctype Collatz()
{
	do
	:: n == 1 -> break
	:: n > 1 && n % 2 == 0 -> n = n / 2; length++
	:: n > 1 && n % 2 == 1 -> n = 3 * n + 1; length++
	od;
	assert(length == 16)
}

active proctype Neighbour()
{
	do
	:: noise < 3 -> noise++
	:: noise > 0 -> noise--
	:: noise == 3 -> break
	od
}
