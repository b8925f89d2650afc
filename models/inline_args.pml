/* inline: textual substitution, with expressions and names as arguments.
 *
 * expect: verified
 * states: 71
 * transitions: 72
 *
 * A parameter is replaced by the text of its argument, so it may be assigned
 * to if that is a variable, and is evaluated again at each use.
 */

byte stack[4], top;
bool ok;

inline push(v)       { assert(top < 4); stack[top] = v; top++ }
inline pop(into)     { assert(top > 0); top--; into = stack[top]; stack[top] = 0 }
inline swap(a, b)
{
	byte tmp;
	tmp = a;
	a = b;
	b = tmp;
	tmp = 0
}
inline check(cond)   { ok = (cond); assert(ok) }

active proctype Calculator()
{
	byte x, y;

	push(2 + 1);             /* an expression */
	push(x + 4);
	pop(y);
	push(y * 2);
	pop(y);
	pop(x);
	check(x == 3 && y == 8);
	swap(x, y);
	check(x == 8 && y == 3);
	if
	:: push(x - y)
	:: push(x * y); push(1); pop(x)
	fi;
	pop(x);
	check(x == 5 || x == 24);
	swap(stack[0], stack[3]);
	check(top == 0)
}
