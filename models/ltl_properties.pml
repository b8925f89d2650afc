/* Several ltl blocks: one traffic light, safety and liveness side by side.
 *
 * expect: verified
 * states: 14
 * transitions: 21
 * ltl: never_both verified
 * ltl: order verified
 * ltl: cars_go verified
 * ltl: walkers_go violated
 * ltl: until_pressed verified
 * ltl: keywords verified
 */

mtype = { red, amber, green };

mtype cars = red, walkers = red;
bool pressed;

active proctype Light()
{
	do
	:: 	cars = green;
		do
		:: pressed -> break
		:: !pressed -> skip
		od;
		cars = amber;
		cars = red;
		walkers = green;
		pressed = false;
		walkers = red
	od
}

active proctype Walker()
{
	do
	:: !pressed && walkers == red -> pressed = true
	od
}

#define both_go  (cars == green && walkers == green)

ltl never_both    { always !both_go }
ltl order         { [] (cars == amber -> (cars == amber U cars == red)) }
ltl cars_go       { []<> (cars == green) }
ltl walkers_go    { []<> (walkers == green) }
ltl until_pressed { (walkers == red) W pressed }
ltl keywords      { eventually (cars == green) && (pressed implies <> (walkers == green)) }
