/* Requests to an object that may move from one server to another, in the way of
 * CORBA's GIOP: a server that no longer has it forwards the client.
 *
 * expect: verified
 * states: 59074
 * transitions: 231685
 * ltl: answered violated
 * ltl: one_reply verified
 *
 * answered fails: the object can move each time just before the request gets
 * there, and the client is forwarded for ever.
 */

#define CLIENTS  3

mtype = { reply, location_forward };

chan request[2] = [CLIENTS] of { byte };
chan answer[CLIENTS] = [1] of { mtype };

bit home;                                       /* which server has the object */
bool requested, replied;                        /* of client 0 */
byte replies;

active proctype Mover()
{
end:	do
	:: home = 1 - home
	od
}

proctype Server(bit me)
{
	byte client;

end:	do
	:: request[me]?client ->
		if
		:: atomic { home == me -> replies++; answer[client]!reply }
		:: atomic { home != me -> answer[client]!location_forward }
		fi
	od
}

proctype Client(byte me)
{
	bit place;

	do
	:: atomic { request[place]!me; if :: me == 0 -> requested = true :: else fi };
		do
		:: answer[me]?location_forward -> place = 1 - place; request[place]!me
		:: atomic {
			answer[me]?reply;
			replies--;
			if
			:: me == 0 -> requested = false; replied = true
			:: else
			fi;
			break
		   }
		od;
		if
		:: me == 0 -> replied = false
		:: else
		fi
	od
}

init
{
	byte i;

	atomic {
		run Server(0);
		run Server(1);
		for (i : 0 .. CLIENTS - 1) {
			run Client(i)
		}
	}
}

ltl answered  { [] (requested -> <> (replied && !requested)) }
ltl one_reply { [] (replies <= CLIENTS) }
