/* Two processes are created in two steps.
 *
 * expect: violated
 * errors: assertion
 *
 * SPIN's statement merging, which is on unless the model is generated with -o3, glues the two assignments together, and
 * finds no error: there seem never to be three processes.
 */

active proctype Watch() {
    assert(_nr_pr != 3)
}

proctype P() {
end:
    false
}

init {
    pid a, b;
    a = run P();
    b = run P();
    a = 0
}
