/* Control flow: skips. */
byte x;
active proctype A() { skip; skip; skip; x = 1; skip; x = 2; if :: skip -> skip; skip; x = 3 :: true -> L: skip; x = 4 :: x = 5; skip; skip fi; goto L }
active proctype B() { atomic { skip; skip; x = 1; skip; skip }; do :: skip; skip :: skip; break od; skip; (1); true; 2; skip; end: skip; (x == 1 || 1); skip; goto k; x = 3; k: skip }
active proctype C() { if :: 1 -> skip; x = 1 :: 2 -> skip; x = 2 :: skip; goto m :: x = 5; skip; goto m fi; skip; skip; m: skip; skip; x = 3 }
