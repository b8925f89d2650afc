/* Control flow: choices and loops. */
byte x; chan r=[1] of {byte};
active proctype A() {
  if :: x < 5 -> x = 1 :: x > 6 -> goto L2 :: else fi;
  x = 2;
  do :: x < 5 -> if :: x==1 -> break :: x==2 fi :: goto L1 :: break :: atomic { x == 9; x = 10 }; x = 3 od;
L1: x = 3;
  goto L3;
  x = 99;
L2: skip;
L3: 
  atomic { x = 1; if :: x = 2; x = 3 :: x = 4 fi; x = 5 };
  atomic { x = 6; do :: x = 7 :: break od };
  d_step { x = 8; x = 9 };
  { x = 10; x = 11 } unless { x == 3; x = 12 };
  do :: { x = 1; x = 2 } unless { x == 5 -> break } od;
end: do :: r?x :: r!x od
}
active proctype B() { goto L; x = 1; L: do :: goto M od; M: if :: if :: x = 1 :: x = 2 fi; x= 3 :: x = 4 fi }
