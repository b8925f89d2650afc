/* Control flow: select in inline. */
byte g0;
inline inl1(dst) {
  select (g0 : 0 .. 0); select(dst : 1 .. 3)
}
active proctype P0() {
  inl1(g0); select(g0 : 0 .. 0)
}
