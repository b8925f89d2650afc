/* Integer widths: bit, byte, short, int and unsigned x : n all wrap around.
 *
 * expect: verified
 * states: 251
 * transitions: 251
 */

unsigned nibble : 4 = 14;
unsigned tri    : 3;
byte b = 254;
short s = 32766;
int i;
bit flip;
bool odd;

active proctype Count()
{
	unsigned mine : 2 = 3;
	byte steps;

	do
	:: steps < 20 ->
		nibble++;
		tri = tri + 3;
		b++;
		s++;
		flip = flip + 1;
		odd = !odd;
		mine++;
		i = i - 1;
		steps++;
		assert(nibble < 16 && tri < 8 && mine < 4);
		assert(flip == odd)
	:: else -> break
	od;
	assert(nibble == (14 + 20) % 16);
	assert(tri == (3 * 20) % 8);
	assert(b == (254 + 20) % 256);
	assert(s == -32768 + 18);
	assert(i == -20 && mine == 3);
	assert(-7 / 2 == -3 && -7 % 2 == -1);          /* as in C */
	assert((1 << 4) == 16 && (255 >> 3) == 31 && (6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5);
	assert(~0 == -1 && !5 == 0)
}
