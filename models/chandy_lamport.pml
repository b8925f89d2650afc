/* Chandy-Lamport snapshot: the recorded state of a bank adds up.
 *
 * expect: verified
 * states: 3229
 * transitions: 11591
 *
 * Three branches send money to each other over FIFO channels.  Branch 0 starts
 * a snapshot: record the balance, send markers, then record what arrives on
 * each channel before the marker does.  No money may be lost or duplicated
 * in the recorded global state, although it may never have existed.
 */

#define N      3
#define START  1         /* initial balance of every branch */

mtype = { money, marker };

chan pipe[9] = [3] of { mtype };         /* pipe[from * N + to] */
byte recorded;           /* money found by the snapshot so far  */
byte markers;            /* channels finished                   */
byte transfers = 2;      /* keep it finite                      */

#define link(from, to)  pipe[(from) * N + (to)]
#define p1  ((_pid + 1) % N)
#define p2  ((_pid + 2) % N)

inline record_state()
{
	snapped = true;
	recorded = recorded + balance;
	link(_pid, p1)!marker;
	link(_pid, p2)!marker
}

inline handle(from, closed)
{
	if
	:: link(from, _pid)?money ->
		balance++;
		if
		:: snapped && !closed -> recorded++      /* was in the channel */
		:: else
		fi
	:: link(from, _pid)?marker ->
		if
		:: !snapped -> record_state()
		:: else
		fi;
		closed = true;
		markers++
	fi
}

active [N] proctype Branch()
{
	byte balance = START;
	bool snapped, closed1, closed2;

end:	do
	:: atomic { _pid == 0 && !snapped -> record_state() }
	:: atomic { balance > 0 && transfers > 0 -> transfers--; balance--; link(_pid, p1)!money }
	:: atomic { balance > 0 && transfers > 0 -> transfers--; balance--; link(_pid, p2)!money }
	:: atomic { nempty(link(p1, _pid)) -> handle(p1, closed1) }
	:: atomic { nempty(link(p2, _pid)) -> handle(p2, closed2) }
	od
}

active proctype Auditor()
{
	markers == N * (N - 1);
	assert(recorded == N * START)
}
