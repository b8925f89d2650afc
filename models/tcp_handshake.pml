/* A TCP-like three-way handshake with sequence numbers over a lossy network.
 *
 * expect: verified
 * states: 321
 * transitions: 518
 *
 * Old duplicate SYNs are in the network when the connection is set up.  The
 * handshake protects against them: when both sides are established they
 * agree on both initial sequence numbers.
 */

mtype = { syn, syn_ack, ack, rst };
mtype:state = { closed, syn_sent, syn_received, established };

#define OLD_ISN   1      /* of an earlier incarnation        */
#define NEW_ISN   2      /* of this one                      */
#define SERV_ISN  5

chan to_server = [2] of { mtype, byte, byte };   /* kind, seq, ack */
chan to_client = [2] of { mtype, byte, byte };

mtype:state client = closed, server = closed;
byte server_peer;        /* the ISN the server has for the client */

active proctype Client()
{
	byte seq, acked;

	to_server!syn(NEW_ISN, 0);
	client = syn_sent;

end:	do
	:: to_client?syn_ack(seq, acked) ->
		if
		:: acked == NEW_ISN + 1 ->
			client = established;
			to_server!ack(NEW_ISN + 1, seq + 1)
		:: else ->                       /* answers an old duplicate */
			to_server!rst(acked, 0)
		fi
	:: client == syn_sent && timeout ->
		to_server!syn(NEW_ISN, 0)
	od
}

active proctype Server()
{
	byte seq, acked;

end:	do
	:: to_server?syn(seq, _) ->
		if
		:: server == closed || (server == syn_received && seq == server_peer) ->
			server_peer = seq;
			server = syn_received;
			to_client!syn_ack(SERV_ISN, seq + 1)
		:: else                          /* one connection at a time */
		fi
	:: to_server?ack(seq, acked) ->
		if
		:: server == syn_received && acked == SERV_ISN + 1 && seq == server_peer + 1 ->
			server = established;
			assert(client == established && server_peer == NEW_ISN)
		:: else
		fi
	:: to_server?rst(seq, _) ->
		if
		:: server == syn_received && seq == server_peer + 1 ->
			server = closed;
			server_peer = 0
		:: else
		fi
	:: server == syn_received && timeout ->  /* the half-open state must not last */
		to_client!syn_ack(SERV_ISN, server_peer + 1)
	od
}

/* the network: delivers one stale SYN, and loses up to two segments */
active proctype Network()
{
	byte losses;

	if
	:: to_server!syn(OLD_ISN, 0)
	:: skip
	fi;
end:	do
	:: atomic { losses < 2 && nempty(to_server) -> to_server?_, _, _; losses++ }
	:: atomic { losses < 2 && nempty(to_client) -> to_client?_, _, _; losses++ }
	od
}
