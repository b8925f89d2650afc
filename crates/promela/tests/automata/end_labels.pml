/* Control flow: end labels. */
chan r = [1] of {byte}; byte x;
active proctype A() { end: { r?x; x = 1 } unless { x == 3 } }
active proctype B() { end1: atomic { r?x; x = 2 } }
active proctype C() { end2: { r?x; x = 2 } }
active proctype D() { end3: d_step { r?x; x = 2 } }
active proctype E() { end4: if :: r?x -> x = 3 fi }
active proctype F() { end5: x = 1; progress: goto l; l: skip }
active proctype G() { end5: goto k; x = 1; k: x = 2; end6: }
