/* An elevator for three floors: it never moves with an open door.
 *
 * expect: verified
 * states: 2132
 * transitions: 4696
 * ltl: safe_doors verified
 * ltl: answered violated
 *
 * answered fails: with a rider who keeps calling from floor 0 and nothing but
 * nondeterminism to choose the direction, floor 2 may wait for ever.
 */

#define FLOORS  3

bool called[FLOORS];
byte floor;
bool door_open, moving;

active proctype Riders()
{
	byte f;

	do
	:: 	select (f : 0 .. FLOORS - 1);
		called[f] = true
	od
}

#define above  (floor < FLOORS - 1)
#define below  (floor > 0)
#define somebody_elsewhere  ((called[0] || called[1] || called[2]) && !called[floor])

active proctype Cabin()
{
	do
	:: called[floor] ->
		door_open = true;
		assert(!moving);
		called[floor] = false;
		door_open = false
	:: somebody_elsewhere ->
		moving = true;
		assert(!door_open);
		if
		:: above -> floor++
		:: below -> floor--
		fi;
		assert(floor < FLOORS);
		moving = false
	od
}

ltl safe_doors { [] !(door_open && moving) }
ltl answered   { [] (called[2] -> <> (floor == 2 && door_open)) }
