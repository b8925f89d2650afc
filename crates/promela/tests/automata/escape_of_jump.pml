/* Control flow: a jump that an escape may interrupt. */
active proctype P0() {
  byte v4;
  atomic {
    {
      goto L0
    } unless
    {
      skip
    }
  };
  v4 = 1;
  L0:
  skip
}
