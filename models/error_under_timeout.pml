/* Run-time error: a receive from a channel that was never installed.  A
 * timeout may interrupt it, but it is tried before.
 *
 * expect: violated
 * errors: runtime
 *
 * SPIN reports it, too, and ends its search there.
 */

chan reply;
byte sent;

active proctype Client()
{
	byte x;

	{ reply?x } unless { timeout }
}

active proctype Server()
{
	sent = 1
}
