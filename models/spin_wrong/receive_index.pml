/* A receive that stores in the variable that selects its channel.
 *
 * expect: verified
 *
 * SPIN's verifier looks for the channel with the new value of the variable when it takes the receive back, and stops with
 * "qrecv bad queue".
 */

chan q[2] = [1] of { byte };

active proctype P() {
    byte v;
    if
    :: q[0]!1; q[v]?v
    :: skip
    fi;
    q[0]!1;
    q[0]?v
}
