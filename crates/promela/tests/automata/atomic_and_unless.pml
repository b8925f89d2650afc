/* Control flow: atomic and unless. */
byte x; chan r=[1] of {byte};
active proctype A() {
  atomic { x = 1; if :: x==1 -> goto out :: x == 2 -> x = 3; goto in; x = 4 fi; in: x = 5; goto out; x = 6 };
  x = 7;
out: x = 8;
  atomic { x = 9; atomic { x = 10; x = 11 }; d_step { x = 12; x = 13 } };
  atomic { do :: x = 14; break :: x = 15 od };
  atomic { if :: x = 16 :: x = 17; x = 18 fi };
  atomic { { x = 19; x = 20 } unless { x = 21; x = 22 } };
  { atomic { x = 23; x = 24 }; x = 25 } unless { atomic { x = 26; x = 27 } ; x = 28};
  { { x = 29; x = 30 } unless { x == 31 -> x = 32 } } unless { x == 33 -> x = 34 };
  { x = 35; { x = 36 ; x = 37} unless { x == 38 } ; x = 39} unless { if :: x == 40 -> x = 41 :: x== 42 fi };
  { x = 50; d_step { x = 51; x = 52 } ; if :: x = 53 :: x = 54; x = 55 fi } unless { x == 56 };
  atomic { x = 1 };
  atomic { skip };
  atomic { x = 1; goto out }
}
