/* enabled() and pc_value(): a claim that looks at processes from outside.
 *
 * expect: verified
 * states: 22
 * transitions: 30
 * never: verified
 *
 * pc_value(p) is a number that identifies the control state of process p, and
 * enabled(p) says whether p could take a step now.
 */

byte x;
bool go;

active proctype First()
{
	x = 1;
	(go);
	x = 2
}

active proctype Second()
{
	go = true;
	x = x + 2
}

#define stuck  (!enabled(0) && !enabled(1))

never {
	do
	:: stuck && pc_value(0) > 0 && !go -> break     /* cannot happen */
	:: else
	od
}
