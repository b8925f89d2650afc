/* Chang-Roberts leader election in a unidirectional ring.
 *
 * expect: verified
 * states: 785
 * transitions: 2136
 * ltl: at_most_one verified
 * ltl: elected verified
 *
 * A node forwards candidates better than itself, swallows worse ones, and is
 * the leader when its own number comes back.  The leader then announces
 * itself so that everybody can stop.
 */

#define N  4

mtype = { candidate, leader };

chan ring[N] = [N] of { mtype, byte };
byte leaders, done;

/* a fixed but scrambled assignment of identities to positions */
#define identity(p)  ((p) == 0 -> 2 : ((p) == 1 -> 4 : ((p) == 2 -> 1 : 3)))

active [N] proctype Node()
{
	byte my_id = identity(_pid), id, known;
	chan from_left = ring[_pid];
	chan to_right = ring[(_pid + 1) % N];

	to_right!candidate(my_id);
	do
	:: from_left?candidate(id) ->
		if
		:: id > my_id  -> to_right!candidate(id)
		:: id < my_id  -> skip                     /* swallowed */
		:: id == my_id ->
			leaders++;
			known = my_id;
			to_right!leader(my_id)
		fi
	:: from_left?leader(id) ->
		if
		:: id == my_id -> skip
		:: else -> known = id; to_right!leader(id)
		fi;
		break
	od;
	assert(known == N && leaders == 1);
	done++
}

ltl at_most_one { [] (leaders <= 1) }
ltl elected     { <> (leaders == 1) }
