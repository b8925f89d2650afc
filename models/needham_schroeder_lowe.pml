/* Needham-Schroeder-Lowe: naming the responder in message 2 repairs it.
 *
 * expect: verified
 * states: 14418
 * transitions: 41564
 *
 *   1.  A -> B : { A, Na } pk(B)
 *   2.  B -> A : { B, Na, Nb } pk(A)
 *   3.  A -> B : { Nb } pk(B)
 *
 * Compare needham_schroeder.pml, where message 2 does not contain B.
 */

mtype:agent = { nobody, alice, bob, intruder };
mtype:nonce = { none, Na, Nb, Ni };
mtype:step  = { msg1, msg2, msg3 };

typedef Packet {
	mtype:step step;
	mtype:agent key;                 /* encrypted for           */
	mtype:agent who;                 /* the name in the message */
	mtype:nonce x;
	mtype:nonce y
};

chan wire     = [0] of { Packet };       /* all that the honest agents send */
chan to_alice = [0] of { Packet };
chan to_bob   = [0] of { Packet };

mtype:agent alice_talks_to = nobody;
bool bob_done;

inline fill(p, s, k, w, n1, n2)
{
	d_step { p.step = s; p.key = k; p.who = w; p.x = n1; p.y = n2 }
}

active proctype Alice()
{
	Packet p;

	if
	:: alice_talks_to = bob
	:: alice_talks_to = intruder
	fi;
	fill(p, msg1, alice_talks_to, alice, Na, none);
	wire!p;
end:
	to_alice?p;
	if
	:: p.step == msg2 && p.key == alice && p.x == Na && p.who == alice_talks_to ->
		fill(p, msg3, alice_talks_to, nobody, p.y, none);
		wire!p
	:: else                          /* not for me: give up */
	fi
}

active proctype Bob()
{
	Packet p;
	mtype:agent partner;

end:
	to_bob?p;
	if
	:: p.step == msg1 && p.key == bob -> partner = p.who
	:: else -> goto give_up
	fi;
	fill(p, msg2, partner, bob, p.x, Nb);
	wire!p;
end_wait:
	to_bob?p;
	if
	:: p.step == msg3 && p.key == bob && p.x == Nb ->
		assert(partner != alice || alice_talks_to == bob);
		bob_done = true
	:: else
	fi;
give_up:
	skip
}

active proctype Intruder()
{
	bool knows_Na, knows_Nb;
	Packet kept, forged;

#define learn(n) \
	if \
	:: n == Na -> knows_Na = true \
	:: n == Nb -> knows_Nb = true \
	:: else \
	fi

end:	do
	:: wire?kept ->
		if
		:: kept.key == intruder ->
			atomic { learn(kept.x); learn(kept.y); fill(kept, 0, 0, 0, 0, 0) }
		:: else
		fi

	/* pass on what we could not read, or what we made up */
	:: to_alice!kept
	:: to_bob!kept
	:: to_alice!forged
	:: to_bob!forged

	/* make up something from what we know */
	:: fill(forged, msg1, bob, intruder, Ni, none)
	:: knows_Na -> fill(forged, msg1, bob, alice, Na, none)
	:: knows_Na -> fill(forged, msg2, alice, intruder, Na, Ni)
	:: knows_Na && knows_Nb -> fill(forged, msg2, alice, intruder, Na, Nb)
	:: knows_Nb -> fill(forged, msg3, bob, nobody, Nb, none)
	od
}
