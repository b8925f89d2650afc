/* Run-time error: a fork bomb runs into the limit of 255 processes.
 *
 * expect: violated
 * errors: runtime
 *
 * SPIN's verifier first runs out of space for the state; compiled with
 * -DVECTORSZ=8192 it says "too many processes".
 */

byte started;

active proctype Bomb()
{
	do
	:: 	run Sleeper();
		started++
	od
}

proctype Sleeper()
{
end:	false
}
