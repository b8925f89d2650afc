/* A hand-written never claim: a request must be granted before the next one.
 *
 * expect: verified
 * states: 37
 * transitions: 57
 * never: violated
 *
 * Without the claim the model has no error.  With it SPIN finds a run that
 * matches the claim: the second request comes before the first grant.
 */

byte requests, grants;

active proctype Client()
{
	do
	:: requests < 3 -> requests++
	:: else -> break
	od
}

active proctype Server()
{
	do
	:: grants < requests -> grants++
	:: grants == 3 -> break
	od
}

never {
watch:
	do
	:: requests == grants -> goto watch
	:: requests == grants + 1
	:: requests > grants + 1 -> break       /* reaching the end is an error */
	od
}
