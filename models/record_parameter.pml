/* A record passed to a process, field by field, as a copy.
 *
 * expect: verified
 * states: 13
 * transitions: 15
 */

typedef Offer {
    byte item;
    short price
}

byte answer;

proctype Clerk(Offer o; byte stock) {
    assert(o.item == 7 && o.price == -2 && stock == 5);
    o.item = 1;
    answer = o.item + stock
}

init {
    Offer mine;
    mine.item = 7;
    mine.price = -2;
    run Clerk(mine, 5);
    answer == 6;
    assert(mine.item == 7)
}
