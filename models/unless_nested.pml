/* unless: escapes, nested two deep, interrupt a sequence at any statement.
 *
 * expect: verified
 * states: 158
 * transitions: 241
 *
 * The inner escape (a full tank) belongs to the loop, the outer one (the
 * emergency stop) to the whole sequence, escape included.
 */

bool emergency;
byte level, stopped_at = 99;
byte overflows;

active proctype Tank()
{
	{
		do
		:: 	{
				level++;                 /* filling */
				level++;
				level++
			} unless {
				level >= 4 ->
				level = 0;               /* drain */
				overflows = 1
			}
		od
	} unless {
		emergency ->
		stopped_at = level
	};
	assert(stopped_at <= 6);
	assert(stopped_at == level)
}

active proctype Operator()
{
	if
	:: level >= 2 -> skip
	:: true
	fi;
	emergency = true
}
