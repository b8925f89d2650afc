/* A channel with room for more than 255 messages.
 *
 * expect: verified
 * states: 259
 * transitions: 259
 */

chan store = [256] of { byte };

active proctype Filler() {
    do
    :: store!1
    :: full(store) -> break
    od
}
