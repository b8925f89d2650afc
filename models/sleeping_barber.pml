/* The sleeping barber: a barber, a waiting room and impatient customers.
 *
 * expect: verified
 * states: 566
 * transitions: 1413
 */

#define CHAIRS     2
#define CUSTOMERS  3

chan waiting_room = [CHAIRS] of { pid };
chan done[CUSTOMERS] = [0] of { bool };
byte turned_away;
bool asleep;

active [CUSTOMERS] proctype Customer()
{
	do
	:: atomic { nfull(waiting_room) -> waiting_room!_pid };
		done[_pid]?true
	:: full(waiting_room) -> turned_away = 1
	od
}

active proctype Barber()
{
	pid who;

	do
	:: nempty(waiting_room) ->
		asleep = false;
		waiting_room?who;
		assert(who < CUSTOMERS);
		done[who]!true;
		who = 0
	:: empty(waiting_room) -> asleep = true
	od
}
