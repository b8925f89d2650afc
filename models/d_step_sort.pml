/* d_step: a whole deterministic computation in one transition.
 *
 * expect: verified
 * states: 832
 * transitions: 898
 *
 * Every permutation of a small array is sorted, a pass of bubble sort per
 * step.  Nondeterminism inside d_step is resolved to the first choice.
 */

#define N  4

byte a[N];
byte passes;

active proctype Sorter()
{
	byte i, j, t;

	/* some array of small values */
	for (i in a) {
		select (t : 1 .. 3);
		a[i] = t
	}
	t = 0;

	do
	:: passes < N - 1 ->
		d_step {
			i = 0;
			do
			:: i < N - 1 && a[i] > a[i + 1] ->
				t = a[i]; a[i] = a[i + 1]; a[i + 1] = t;
				i++
			:: i < N - 1 && a[i] <= a[i + 1] ->
				i++
			:: else -> break
			od;
			i = 0;
			t = 0;
			if
			:: j = 1         /* always this one */
			:: j = 2
			fi;
			passes++
		}
	:: else -> break
	od;
	assert(a[0] <= a[1] && a[1] <= a[2] && a[2] <= a[3]);
	assert(j == 1)
}
