/* An array declared with an initial value after the first statement.
 *
 * expect: verified
 *
 * Every element gets the value, as at the start of a process. SPIN's verifier sets the first element only, and reports
 * the assertion.
 */

active proctype P() {
    skip;
    byte a[2] = 4;
    assert(a[0] == 4 && a[1] == 4)
}
