/* Producers and consumers with counting semaphores and a circular buffer.
 *
 * expect: verified
 * states: 1154
 * transitions: 2113
 */

#define SLOTS      2
#define PRODUCERS  2
#define CONSUMERS  2

byte free_slots = SLOTS, used_slots, mutex = 1;
byte buffer[SLOTS];
byte head, tail;
byte in_transit;         /* ghost: items produced but not yet consumed */

inline P(sem) { atomic { sem > 0 -> sem-- } }
inline V(sem) { sem++ }

active [PRODUCERS] proctype Producer()
{
	do
	:: 	P(free_slots);
		P(mutex);
		assert(buffer[tail] == 0);
		buffer[tail] = _pid + 1;
		tail = (tail + 1) % SLOTS;
		in_transit++;
		V(mutex);
		V(used_slots)
	od
}

active [CONSUMERS] proctype Consumer()
{
	byte item;

	do
	:: 	P(used_slots);
		P(mutex);
		item = buffer[head];
		assert(item != 0);
		buffer[head] = 0;
		head = (head + 1) % SLOTS;
		in_transit--;
		assert(in_transit <= SLOTS);
		item = 0;
		V(mutex);
		V(free_slots)
	od
}
