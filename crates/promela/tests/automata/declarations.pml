/* Control flow: declarations. */
byte g = 4; int gg = g + 1;
proctype P(byte a; byte b) {
  byte x = 1; byte z = x + a;
  do :: g < 9 -> { byte y = 3; y++; g = g + y } ;
  :: g > 3 -> byte q; q = 3; break od;
  if :: skip -> int y2 = 5; y2++ :: else fi;
  { byte w = g; w++ }
  byte late; late++;
  byte late2 = g; late++;
}
init { byte y2; run P(1,2) }
