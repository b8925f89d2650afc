/* The preprocessor: #include, macros with arguments, #if, #elif, #undef.
 *
 * expect: verified
 * states: 850
 * transitions: 1681
 */

#include "shapes.h"

#define LEVEL  2

#if LEVEL == 1
#define LIMIT  3
#elif LEVEL == 2 && defined(AREA)
#define LIMIT  4
#else
#error "unknown LEVEL"
#endif

#ifndef LIMIT
#define LIMIT  100
#endif

#define GROW(x)  \
	if \
	:: x < LIMIT -> x = x + 1 \
	:: else \
	fi

byte w = 1, h = 1;
byte best;

active proctype Builder()
{
	do
	:: AREA(w, h) < AREA(LIMIT, LIMIT - 1) ->
		if
		:: true -> GROW(w)
		:: true -> GROW(h)
		fi;
		best = MAX(best, AREA(w, h))
	:: else -> break
	od;
	assert(AREA(w, h) >= 12 && best == AREA(w, h));
	assert(IS_SQUARE(w, h) || MAX(w, h) == LIMIT)
}

#undef LIMIT
#define LIMIT  2                 /* later uses see the new value */

active proctype Small()
{
	byte k;

	do
	:: k < LIMIT -> k++
	:: else -> break
	od;
	assert(k == 2)
}
