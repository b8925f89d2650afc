/* Control flow: jumps. */
byte x;
active proctype A() {
  atomic { if :: x == 1 -> goto l :: x == 2 -> goto m fi; m: x = 3; l: x = 4 };
  x = 5;
  atomic { x = 6; goto n; x = 7; n: skip };
  atomic { x = 8; goto o; };
  x = 9;
o: atomic { x = 10; p: x = 11; x = 12 };
  atomic { if :: x = 13; goto p :: x = 14; goto s :: x == 20; goto r fi; x = 15 };
  d_step { x = 16; x = 17 };
  r: if :: x = 18; goto r :: goto o :: goto s fi;
  s: goto o
}
active proctype B() { do :: x = 1; if :: x = 2 :: x = 3 -> break fi :: else -> goto z :: x == 5 -> do :: x == 6 -> x = 5 :: else -> break od od; z: { skip } ; end: goto q; q: { { x = 1 } }; if :: { x = 3; x = 4 } :: { { x = 5 }; x = 6 } :: if :: x = 7 :: else fi :: x = 8 fi }
