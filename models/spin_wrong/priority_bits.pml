/* A process with a priority whose only variable is a bit.
 *
 * expect: verified
 * states: 6
 * transitions: 10
 *
 * SPIN's verifier takes the bit for padding and leaves it out of the state: 4 states, 6 transitions.
 */

byte g;

init {
    bool seen = false;
    skip;
    do
    :: seen = true
    :: g == get_priority(_pid) - 1
    :: break
    od
}
