/* Process priorities: only the highest priority that can run does run.
 *
 * expect: verified
 * states: 20
 * transitions: 21
 *
 * get_priority and set_priority (and assignment to _priority) read and change
 * a priority while the system runs.
 *
 * (Without a local variable in Idle, SPIN would not tell its priorities apart.)
 */

byte next_slot;
byte slot[4];

inline log_me(n) { slot[next_slot] = n; next_slot++ }

active proctype Urgent() priority 10
{
	log_me(1);
	assert(get_priority(_pid) == 10);
	set_priority(_pid, 3);           /* now the middle one goes first */
	log_me(3)
}

active proctype Middle() priority 5
{
	log_me(2);
	assert(_priority == 5)
}

active proctype Idle()
{
	byte usual = 1;

	log_me(4);
	assert(slot[0] == 1 && slot[1] == 2 && slot[2] == 3 && slot[3] == 4);
	if
	:: _priority = 7
	:: skip
	fi;
	assert(get_priority(_pid) == 7 || get_priority(_pid) == usual)
}
