/* Run-time error: an array index out of bounds.
 *
 * expect: violated
 * errors: runtime
 *
 * The loop condition is off by one.  SPIN calls this an assertion violation
 * ("invalid array index"), and goes on to overwrite other memory.
 */

#define SIZE  3

byte a[SIZE];

active proctype Fill()
{
	byte i;

	do
	:: i <= SIZE ->
		a[i] = i;                        /* a[3] does not exist */
		i++
	:: else -> break
	od
}
