/* A cash machine and a bank: money is neither lost nor printed.
 *
 * expect: verified
 * states: 2097
 * transitions: 2700
 * ltl: card_returned violated
 *
 * Two customers share one account.  card_returned fails as a customer who
 * cannot remember the PIN keeps the machine busy until the card is eaten.
 */

#define CUSTOMERS  2
#define MAX_TRIES  3

mtype = { card, pin_ok, pin_bad, withdraw, take_cash, refused, eject };

chan keypad  = [0] of { mtype };
chan display = [0] of { mtype };
chan bank    = [0] of { mtype };
chan answer  = [0] of { mtype };

byte account = 3, paid_out;
bool machine_free = true;
bool has_card[CUSTOMERS] = true;

active [CUSTOMERS] proctype Customer()
{
	mtype reaction;

end:	do
	:: atomic { machine_free && has_card[_pid] -> machine_free = false };
		has_card[_pid] = false;
		keypad!card;
retry:		if
		:: keypad!pin_ok
		:: keypad!pin_bad
		fi;
		display?reaction;
		if
		:: reaction == pin_bad -> goto retry
		:: reaction == refused -> goto gone      /* card eaten */
		:: reaction == pin_ok
		fi;
		keypad!withdraw;
		display?reaction;
		assert(reaction == take_cash || reaction == refused);
		display?eject;
		has_card[_pid] = true;
gone:		machine_free = true
	od
}

active proctype Machine()
{
	byte tries;

end:	do
	:: 	keypad?card;
		tries = 0;
again:		if
		:: keypad?pin_ok -> display!pin_ok
		:: keypad?pin_bad ->
			tries++;
			if
			:: tries < MAX_TRIES -> display!pin_bad; goto again
			:: else -> display!refused; goto reset
			fi
		fi;
		keypad?withdraw;
		bank!withdraw;
		if
		:: answer?take_cash -> paid_out++; display!take_cash
		:: answer?refused   -> display!refused
		fi;
		assert(account + paid_out == 3);
		display!eject;
reset:		tries = 0
	od
}

active proctype Bank()
{
end:	do
	:: bank?withdraw ->
		if
		:: account > 0 -> account--; answer!take_cash
		:: else -> answer!refused
		fi
	od
}

ltl card_returned { [] (!has_card[0] -> <> has_card[0]) }
