/* Setting the priority of a process that has ended.
 *
 * expect: verified
 * states: 10
 * transitions: 14
 *
 * It has no effect. SPIN's verifier takes it back by giving the oldest process priority 0: 6 states, 6 transitions.
 */

byte g;

active proctype First() {
    g++;
    set_priority(1, 3)
}

active proctype Second() {
    skip
}
