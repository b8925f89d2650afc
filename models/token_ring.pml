/* Mutual exclusion by a token that travels round a ring of stations.
 *
 * expect: verified
 * states: 36
 * transitions: 41
 * ltl: everybody violated
 *
 * everybody: station 1 uses the medium again and again.  It does not have to,
 * as a station may always pass the token on without transmitting.
 */

#define N  4

chan link[N] = [1] of { bit };
byte transmitting;

active [N] proctype Station()
{
	bool has_token = (_pid == 0);

	do
	:: has_token ->
		if
		:: skip                          /* nothing to send */
		:: 	transmitting++;
send:			assert(transmitting == 1);
			transmitting--
		fi;
		has_token = false;
		link[(_pid + 1) % N]!1
	:: link[_pid]?1 ->
		assert(!has_token);
		has_token = true
	od
}

ltl everybody { [] <> Station[1]@send }
