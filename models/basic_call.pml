/*
 * The basic call: N subscribers with a half-call process each, which talk to each other by queues. A subscriber picks up, dials,
 * hears ringing or engaged, answers, talks, hangs up. The half calls ask one another and wait for the answer; two that call
 * each other at the same moment wait for ever (glare).
 *
 * expect: violated
 * errors: deadlock
 * states: 11120
 * transitions: 31892
 */
#ifndef N
#define N 2
#endif

mtype = { off_hook, on_hook, digits, setup, alerting, busy, connect, release };

chan line[N] = [0] of { mtype, byte };      /* from the subscriber */
chan trunk[N] = [1] of { mtype, byte };     /* from another half call */

proctype subscriber(byte me)
{
	byte number;
end_idle:
	do
	:: line[me]!off_hook, 0 ->
		if
		:: select(number : 0 .. N - 1);
			line[me]!digits, number
		:: skip
		fi;
		line[me]!on_hook, 0
	od
}

proctype half_call(byte me)
{
	byte peer, other;
end_idle:
	if
	:: line[me]?off_hook, _ -> goto dial
	:: trunk[me]?setup, peer ->
		trunk[peer]!alerting, me;
		goto ringing
	:: trunk[me]?release, _ -> goto end_idle
	:: line[me]?on_hook, _ -> goto end_idle
	fi;

dial:
	if
	:: line[me]?digits, peer ->
		if
		:: peer == me -> goto refused
		:: else -> trunk[peer]!setup, me
		fi
	:: line[me]?on_hook, _ -> goto end_idle
	:: trunk[me]?setup, other -> trunk[other]!busy, me; goto dial
	:: trunk[me]?release, _ -> goto dial
	fi;

wait_answer:
	/* A call of somebody else must wait until this one is answered. */
	if
	:: trunk[me]?alerting, eval(peer) -> goto ring_back
	:: trunk[me]?busy, eval(peer) -> goto refused
	fi;

ring_back:
	if
	:: trunk[me]?connect, eval(peer) -> goto talk
	:: line[me]?on_hook, _ -> trunk[peer]!release, me; goto end_idle
	:: trunk[me]?setup, other -> trunk[other]!busy, me; goto ring_back
	:: trunk[me]?release, _ -> goto refused
	fi;

ringing:
	if
	:: line[me]?off_hook, _ -> trunk[peer]!connect, me; goto talk
	:: trunk[me]?release, eval(peer) -> goto end_idle
	:: trunk[me]?setup, other -> trunk[other]!busy, me; goto ringing
	fi;

talk:
	if
	:: line[me]?on_hook, _ -> trunk[peer]!release, me; goto end_idle
	:: line[me]?digits, _ -> goto talk
	:: trunk[me]?release, eval(peer) -> goto refused
	:: trunk[me]?setup, other -> trunk[other]!busy, me; goto talk
	fi;

refused:
	if
	:: line[me]?on_hook, _ -> goto end_idle
	:: line[me]?digits, _ -> goto refused
	:: trunk[me]?setup, other -> trunk[other]!busy, me; goto refused
	:: trunk[me]?release, _ -> goto refused
	fi
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run subscriber(i);
			run half_call(i)
		}
	}
}
