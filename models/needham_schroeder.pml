/* Needham-Schroeder public key: Lowe's man-in-the-middle attack is found.
 *
 * expect: violated
 * errors: assertion
 * states: 152
 * transitions: 199
 *
 *   1.  A -> B : { A, Na } pk(B)
 *   2.  B -> A : { Na, Nb } pk(A)
 *   3.  A -> B : { Nb } pk(B)
 *
 * The intruder owns the network.  It reads only what is encrypted with its
 * own key, but can keep, replay and drop what it cannot read.  When Bob ends
 * a session that he believes to be with Alice, Alice must have meant Bob.
 */

mtype:agent = { nobody, alice, bob, intruder };
mtype:nonce = { none, Na, Nb, Ni };
mtype:step  = { msg1, msg2, msg3 };

/* step, for whom it is encrypted, the name in it, and two nonces */
chan wire     = [0] of { mtype:step, mtype:agent, mtype:agent, mtype:nonce, mtype:nonce };
chan to_alice = [0] of { mtype:step, mtype:agent, mtype:agent, mtype:nonce, mtype:nonce };
chan to_bob   = [0] of { mtype:step, mtype:agent, mtype:agent, mtype:nonce, mtype:nonce };

mtype:agent alice_talks_to = nobody;

active proctype Alice()
{
	mtype:nonce theirs = none;

	if
	:: alice_talks_to = bob
	:: alice_talks_to = intruder
	fi;
	wire!msg1, alice_talks_to, alice, Na, none;
end:
	to_alice?msg2, alice, _, Na, theirs;
	wire!msg3, alice_talks_to, nobody, theirs, none
}

active proctype Bob()
{
	mtype:agent partner = nobody;
	mtype:nonce theirs = none;

end:
	to_bob?msg1, bob, partner, theirs, _;
	wire!msg2, partner, nobody, theirs, Nb;
end_wait:
	to_bob?msg3, bob, _, Nb, _;
	assert(partner != alice || alice_talks_to == bob)
}

active proctype Intruder()
{
	bool knows_Na, knows_Nb;
	mtype:step s;                    /* the message kept for replay */
	mtype:agent key = nobody, who = nobody;
	mtype:nonce x = none, y = none;

#define learn(n) \
	if \
	:: n == Na -> knows_Na = true \
	:: n == Nb -> knows_Nb = true \
	:: else \
	fi

end:	do
	:: wire?s, key, who, x, y ->
		if
		:: key == intruder ->
			atomic { learn(x); learn(y); s = 0; key = nobody; who = nobody; x = none; y = none }
		:: else
		fi

	/* replay something that we could not read */
	:: to_alice!s, key, who, x, y
	:: to_bob!s, key, who, x, y

	/* start a session with Bob, as ourselves or as somebody else */
	:: to_bob!msg1, bob, intruder, Ni, none
	:: to_bob!msg1, bob, alice, (knows_Na -> Na : Ni), none

	/* forge answers from what we know */
	:: to_alice!msg2, alice, nobody, (knows_Na -> Na : Ni), (knows_Nb -> Nb : Ni)
	:: to_bob!msg3, bob, nobody, (knows_Nb -> Nb : Ni), none
	od
}
