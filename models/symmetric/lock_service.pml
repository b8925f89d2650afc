/* A lock service: five clients ask by message, the server answers each on its own channel.
 *
 * expect: verified
 *
 * The clients are told apart by a parameter, which subscripts the channels for answers and stands in requests.
 */

#define CLIENTS 5
#define NOBODY  255

chan asks = [2] of { byte };
chan releases = [1] of { byte };
chan granted[CLIENTS] = [1] of { bool };

byte holder = NOBODY;

proctype Client(byte id)
{
end:	do
	::	asks ! id;
		granted[id] ? true;
		assert(holder == id);
		releases ! id
	od
}

active proctype Server()
{
	byte who = NOBODY;

end:	do
	:: holder == NOBODY ->
		asks ? who;
		holder = who;
		granted[who] ! true
	:: holder != NOBODY ->
		releases ? who;
		assert(who == holder);
		holder = NOBODY
	od
}

init
{
	byte i;

	atomic {
		for (i : 0 .. CLIENTS - 1) {
			run Client(i)
		}
	}
}
