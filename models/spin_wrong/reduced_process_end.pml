/* The end of a process changes the number of processes.
 *
 * expect: violated
 * errors: assertion
 * states: 15
 * transitions: 25
 *
 * SPIN's partial order reduction, which is on unless pan.c is compiled with -DNOREDUCE, takes the end of a process for a
 * step that nobody can see, and finds no error.
 */

active proctype Watch() {
    assert(_nr_pr != 2)
}

active proctype A() {
    skip
}

active proctype B() {
    skip
}
