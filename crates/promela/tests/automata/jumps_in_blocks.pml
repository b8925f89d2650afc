/* Control flow: jumps in blocks. */
byte x;
active proctype A() {
   atomic { x = 1; { x = 2; if :: x = 3; goto c :: x = 7; goto d fi; x = 3; goto c; x = 4 }; x = 5 };
   c: x = 6; d: atomic { x = 8; goto c } 
}
active proctype B() {
   { x = 20; goto k; x = 21 };
   x = 22;
   atomic { x = 23; { x = 24; k: x = 25; goto l; x = 26}; l: x = 27 }
}
active proctype C() {
   atomic { x = 1; goto k2; x = 2 };
   x = 3;
   atomic { x = 4; k2: goto k3; x = 5 };
   k3: x = 6;
   atomic { x = 7; k4: goto k3; x = 8 };
   atomic { x = 9; goto k4; x = 10 };
   if :: x = 11; goto k4 :: goto k4 fi
}
