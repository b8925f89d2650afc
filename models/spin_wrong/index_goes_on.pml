/* An index outside the array.
 *
 * expect: violated
 * errors: runtime
 *
 * The execution ends there. SPIN's verifier reports an assertion, then really writes outside the array and goes on with
 * whatever that did to the other variables.
 */

byte a[2];
byte i;

init {
    i = 2;
    a[i] = 3;
    assert(false)
}
