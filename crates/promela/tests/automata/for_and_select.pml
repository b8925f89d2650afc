/* Control flow: for and select. */
typedef M { byte a; byte b }; chan q = [3] of {M}; byte n = 3; M ms[3];
init { byte i; M m; byte x;
 for (m in q) { x = m.a }
 for (i : 0 .. 2 ) { if :: x > 2 -> break :: else fi }
 for (i in ms) { ms[i].a = 1 }
 select (i : 1 .. n);
 select (i : 1 .. 40);
 L: for (i : n .. n+1) { skip; goto L }
 L2: select (i : 0 .. 2);
 atomic { for (i : 1..2) { x++ } }
 atomic { x = 2; select(i : 1..3) }
}
