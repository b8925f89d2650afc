/* A local variable with the name of its set of constants.
 *
 * expect: verified
 *
 * Every process has its own. SPIN makes it one variable for all, and reports the assertion.
 */

mtype:role = { follower, leader };

active [2] proctype P() {
    mtype:role role = follower;
    assert(role == follower);
    role = leader;
    assert(role == leader)
}
