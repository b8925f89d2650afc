/* One key for two doors: what weak and strong fairness promise.
 *
 * expect: verified
 * states: 7
 * transitions: 9
 * ltl: ada violated
 * ltl: ada violated fair
 * ltl: ada verified strong
 * ltl: one_at_a_time verified
 *
 * ada: Ada gets in again and again.  Bob may take the key each time.  While
 * he has it Ada cannot move, so weak fairness, which is about those who can
 * move without a break, owes her nothing.  Strong fairness does.
 */

bool key = true, ada_in, bob_in;

active proctype Ada()
{
	do
	:: atomic { key -> key = false }; ada_in = true; ada_in = false; key = true
	od
}

active proctype Bob()
{
	do
	:: atomic { key -> key = false }; bob_in = true; bob_in = false; key = true
	od
}

ltl ada { [] <> ada_in }
ltl one_at_a_time { [] !(ada_in && bob_in) }
