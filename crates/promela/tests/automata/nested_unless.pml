/* Control flow: nested unless. */
byte x;
chan q = [1] of { byte };

active proctype P() {
    { x = 1; atomic { x = 2; if :: q!1 :: x = 3; x = 4 fi }; d_step { x = 5; x = 6 } } unless { q?x; x = 7 };
start:
    { do :: x = 8 :: x > 9 -> break od; goto start } unless { x == 5 -> if :: x = 9 :: q?x -> goto last fi };
    atomic { { x = 10; x = 11 } unless { q?x -> x = 12 } };
    x = 13 unless q?x;
last: skip
}
