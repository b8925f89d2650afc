/* An elevator for four floors that sweeps up and down: every call is answered.
 *
 * expect: verified
 * states: 784
 * transitions: 2297
 * ltl: answered verified
 *
 * Nobody can call a floor that is called already, so that riders cannot keep
 * the cabin from moving.
 */

#define FLOORS  4

bool called[FLOORS];
byte floor;
bool door_open;

active proctype Riders()
{
end:	do
	:: d_step { !called[0] -> called[0] = true }
	:: d_step { !called[1] -> called[1] = true }
	:: d_step { !called[2] -> called[2] = true }
	:: d_step { !called[3] -> called[3] = true }
	od
}

active proctype Cabin()
{
	bool down;

	do
	:: 	if
		:: called[floor] ->
			door_open = true;
			called[floor] = false;
			door_open = false
		:: else
		fi;
		if
		:: floor == 0 -> down = false
		:: floor == FLOORS - 1 -> down = true
		:: else
		fi;
		if
		:: down -> floor--
		:: else -> floor++
		fi;
		assert(floor < FLOORS)
	od
}

ltl answered { [] (called[2] -> <> (floor == 2 && door_open)) }
