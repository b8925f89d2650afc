/*
 * Plain old telephones: two users, two telephone handlers, calls in both directions. The handlers change state by messages
 * that may cross, and one thing was forgotten: a handler that hears `hangup` while it rings does not tell its
 * user's telephone to stop. So one side talks to nobody, and in
 * the end nothing moves.
 *
 * The invariant that users expect: who talks has a partner who talks, rings, or has just hung up.
 *
 *     panoptes check models/pots.pml --invariant '!(talks[0] && idle[1]) && !(talks[1] && idle[0])'
 *
 * expect: violated
 * errors: deadlock
 * states: 63762
 * transitions: 160514
 */
mtype = { lift, hook, dial, ring, answered, engaged, hangup };

chan user[2] = [0] of { mtype };   /* from the user's hand */
chan net[2] = [2] of { mtype };    /* from the other handler */

bool talks[2], idle[2] = true;

proctype person(byte me)
{
end_rest:
	do
	:: user[me]!lift;
		do
		:: user[me]!dial
		:: user[me]!hook; break
		od
	od
}

proctype handler(byte me)
{
	byte peer = 1 - me;
end_idle:
	idle[me] = true;
	if
	:: user[me]?lift -> idle[me] = false; goto dialling
	:: net[me]?ring -> idle[me] = false; goto ringing
	:: net[me]?hangup -> goto end_idle
	:: net[me]?answered -> net[peer]!hangup; goto end_idle
	:: net[me]?engaged -> goto end_idle
	fi;

dialling:
	if
	:: user[me]?dial -> net[peer]!ring; goto calling
	:: user[me]?hook -> goto end_idle
	:: net[me]?ring -> net[peer]!engaged; goto dialling
	:: net[me]?hangup -> goto dialling
	fi;

calling:
	if
	:: net[me]?answered -> talks[me] = true; goto talking
	:: net[me]?engaged -> goto off_hook
	:: net[me]?ring -> net[peer]!engaged; goto calling
	:: net[me]?hangup -> goto off_hook
	:: user[me]?dial -> goto calling
	:: user[me]?hook -> net[peer]!hangup; goto end_idle
	fi;

ringing:
	if
	:: user[me]?lift -> net[peer]!answered; talks[me] = true; goto talking
	:: net[me]?ring -> goto ringing
	:: net[me]?engaged -> goto ringing
	/* forgotten: net[me]?hangup -> goto end_idle */
	fi;

talking:
	if
	:: net[me]?hangup -> talks[me] = false; goto off_hook
	:: user[me]?hook -> talks[me] = false; net[peer]!hangup; goto end_idle
	:: user[me]?dial -> goto talking
	:: net[me]?ring -> net[peer]!engaged; goto talking
	:: net[me]?answered -> goto talking
	:: net[me]?engaged -> goto talking
	fi;

off_hook:
	if
	:: user[me]?hook -> goto end_idle
	:: user[me]?dial -> goto off_hook
	:: net[me]?ring -> net[peer]!engaged; goto off_hook
	:: net[me]?hangup -> goto off_hook
	:: net[me]?answered -> net[peer]!hangup; goto off_hook
	:: net[me]?engaged -> goto off_hook
	fi
}

init {
	atomic {
		run person(0); run person(1);
		run handler(0); run handler(1)
	}
}
