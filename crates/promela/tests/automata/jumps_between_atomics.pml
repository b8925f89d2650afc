/* Control flow: jumps between atomics. */
bool e1; byte x;
active proctype A() {
   goto l1;
   l1: atomic{goto f12;}
   l3:  goto stop;
   atomic{skip;
   f11: goto f12;
   f12: e1=0;goto f13;
   f13: goto l3;
   f14:  goto stop
   }
   stop: skip
}
active proctype B() {
   atomic { x = 1; goto a; b: x = 3; a: goto c; d: x = 5 };
   c: x = 2; goto b
}
active proctype C() {
   atomic { x = 1; goto a; b: x = 3; a: goto c; d: x = 5 };
   x = 9;
   c: goto f; 
   x = 10;
   f: x = 11; if :: goto b :: x = 12; goto b fi
}
