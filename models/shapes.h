/* Shared by preprocessor.pml: a few macros, included like a C header. */

#ifndef SHAPES_H
#define SHAPES_H

#define AREA(w, h)      ((w) * (h))
#define IS_SQUARE(w, h) ((w) == (h))
#define MAX(a, b)       ((a) > (b) -> (a) : (b))

#endif
