/* A railway crossing: gate, train and controller talk by rendezvous.
 *
 * expect: verified
 * states: 18
 * transitions: 22
 * ltl: closed_for_train verified
 * ltl: opens_again violated
 *
 * The train reports when it approaches and must be given the signal before it
 * crosses.  opens_again fails: trains may come one after another.
 */

mtype = { approach, cleared, signal_green, lower, raise, is_down };

chan train_ctl = [0] of { mtype };
chan ctl_gate  = [0] of { mtype };

bool gate_down, train_crossing;

active proctype Train()
{
	do
	:: 	train_ctl!approach;
		train_ctl?signal_green;
		train_crossing = true;
		assert(gate_down);
		train_crossing = false;
		train_ctl!cleared
	od
}

active proctype Gate()
{
	do
	:: 	ctl_gate?lower ->
		if
		:: !gate_down -> gate_down = true
		:: else
		fi;
		ctl_gate!is_down
	:: 	ctl_gate?raise ->
		assert(!train_crossing);
		gate_down = false
	od
}

active proctype Controller()
{
	do
	:: 	train_ctl?approach;
		ctl_gate!lower;
		ctl_gate?is_down;
		train_ctl!signal_green;
		train_ctl?cleared;
		if
		:: ctl_gate!raise                /* nobody in sight */
		:: skip                          /* next train is near: leave it down */
		fi
	od
}

ltl closed_for_train { [] (train_crossing -> gate_down) }
ltl opens_again      { [] (gate_down -> <> !gate_down) }
