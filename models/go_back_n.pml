/* Go-back-N sliding window: three sequence numbers, window of two.
 *
 * expect: verified
 * states: 8143
 * transitions: 15048
 *
 * A window of at most SEQ - 1 frames lets the receiver tell old from new.
 */

#define SEQ      3        /* sequence numbers 0 .. SEQ-1             */
#define WINDOW   2        /* unacknowledged frames in flight         */
#define PAYLOAD  4        /* payloads 0 .. PAYLOAD-1, to check order */

chan frames = [WINDOW] of { byte, byte };        /* sequence number, payload */
chan acks   = [WINDOW] of { byte };              /* next number expected     */

inline advance(x, mod) { x = (x + 1) % mod }

active proctype Sender()
{
	byte base, base_payload;         /* oldest frame not yet acknowledged */
	byte outstanding;                /* how many follow, base included    */
	byte upto, k;

	do
	:: outstanding < WINDOW && nfull(frames) ->
		frames!(base + outstanding) % SEQ, (base_payload + outstanding) % PAYLOAD;
		outstanding++

	:: acks?upto ->
		/* cumulative: slide up to the number the receiver waits for */
		k = (upto + SEQ - base) % SEQ;
		if
		:: k <= outstanding ->
			base = upto;
			base_payload = (base_payload + k) % PAYLOAD;
			outstanding = outstanding - k
		:: else
		fi

	:: timeout ->                    /* go back: send the window again */
		k = 0;
		do
		:: k < outstanding ->
			frames!(base + k) % SEQ, (base_payload + k) % PAYLOAD;
			k++
		:: else -> break
		od
	od
}

active proctype Receiver()
{
	byte seq, payload, expected, next;

	do
	:: frames?seq, payload ->
		if
		:: seq == expected ->
			assert(payload == next);
			advance(expected, SEQ);
			advance(next, PAYLOAD)
		:: else                  /* out of order: discard */
		fi;
		if
		:: nfull(acks) -> acks!expected
		:: true                  /* the acknowledgement is lost */
		fi
	od
}
