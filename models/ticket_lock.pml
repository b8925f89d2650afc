/* A ticket lock: fetch-and-increment a ticket, wait until it is called.
 *
 * expect: verified
 * states: 1709
 * transitions: 4408
 * ltl: served_in_order verified
 *
 * The two counters wrap around modulo 4, which is safe for three threads.
 */

#define THREADS  3

unsigned next_ticket : 2;
unsigned now_serving : 2;
byte holder;

active [THREADS] proctype Thread()
{
	unsigned mine : 2;

	do
	:: 	d_step { mine = next_ticket; next_ticket++ };
wait:		(now_serving == mine);
		holder++;
		assert(holder == 1);
		holder--;
		now_serving++
	od
}

/* never more tickets outstanding than threads */
ltl served_in_order { [] (((next_ticket - now_serving + 4) % 4) <= THREADS) }
