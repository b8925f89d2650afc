/* Storage qualifiers: hidden and local variables, and the write-only "_".
 *
 * expect: verified
 * states: 176
 * transitions: 362
 *
 * A hidden variable is not part of the state, so the two paths that differ
 * only in "scratch" meet again in the same state.  "local" promises that
 * only one process uses a global; it changes nothing in the semantics.
 */

hidden byte scratch;
local byte private_count;
byte shared_count;

active proctype Counter()
{
	chan c = [2] of { byte };
	byte k;

	for (k : 1 .. 3) {
		if
		:: scratch = k
		:: scratch = 100 + k
		:: _ = 17                        /* assigned to nobody */
		fi;
		private_count++;
		c!k;
		c?_;
		shared_count++
	}
	assert(private_count == 3)
}

active proctype Other()
{
	do
	:: shared_count < 10 -> shared_count = shared_count + 5
	:: else -> break
	od
}
