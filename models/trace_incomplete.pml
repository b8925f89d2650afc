/* A trace assertion that is still waiting when the system stops.
 *
 * expect: violated
 * errors: deadlock
 * states: 12
 * transitions: 16
 * shortest: 5
 *
 * All processes have reached their end states, but the trace automaton stands at a state that is
 * not marked as an end state: SPIN calls this an invalid end state.
 */

chan bell = [2] of { bit };

trace {
	bell!1;
	bell!0;
	bell!1
}

active proctype Ringer()
{
	bell!1;
	bell!0;
	if
	:: bell!1
	:: skip                  /* forgets the third ring */
	fi
}

active proctype Listener()
{
end:	do
	:: bell?_
	od
}
