/* Five guests shake hands: who has met whom is kept in a table by two numbers.
 *
 * expect: verified
 *
 * A guest offers a hand, another takes it. Between handshakes the table is symmetric.
 */

#define GUESTS 5
#define NOBODY 255

typedef Row { bit with[GUESTS] };
Row met[GUESTS];
byte offering = NOBODY;
bool is_taken;

proctype Guest(byte me)
{
	byte other = NOBODY;

end:	do
	:: atomic { offering == NOBODY -> offering = me }
	:: atomic { offering != NOBODY && offering != me && !is_taken -> other = offering; is_taken = true };
		met[me].with[other] = 1;
		met[other].with[me] = 1;
		assert(met[me].with[other] == met[other].with[me]);
		atomic { offering = NOBODY; is_taken = false; other = NOBODY }
	od
}

init
{
	atomic { run Guest(0); run Guest(1); run Guest(2); run Guest(3); run Guest(4) }
}
