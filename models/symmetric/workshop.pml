/* Six workers share two benches and a saw: nothing but their control state tells them apart.
 *
 * expect: verified
 */

byte benches = 2;
bool saw_is_free = true;
byte sawing;

active [6] proctype Worker()
{
end:	do
	::	atomic { benches > 0 -> benches-- };
		if
		:: atomic { saw_is_free -> saw_is_free = false };
			sawing++;
			assert(sawing == 1);
			sawing--;
			saw_is_free = true
		:: skip
		fi;
		benches++
	od
}
