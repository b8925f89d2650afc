/* Control flow: remote labels. */
byte x;

active proctype P() {
    do
    :: x < 3 -> x++
    :: else -> break
    od;
here: goto there;
    x = 9;
there: goto end;
    x = 10;
end: skip
}

active proctype Q() {
    P@here -> x = 1;
    P[0]@there
}
