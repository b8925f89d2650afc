/* An assignment whose index depends on the array assigned to.
 *
 * expect: verified
 *
 * SPIN's verifier looks for the element with the new contents of the array when it takes the assignment back, restores
 * another one, and then reports the assertion.
 */

byte a[3];

active proctype P() {
    if
    :: a[(a[0] + a[1] + a[2]) % 3] = 2
    :: skip -> assert(a[0] == 0)
    fi
}
