/* Records declared late: the declaration is a step, but an empty one.
 *
 * expect: verified
 * states: 17
 * transitions: 17
 *
 * The fields of a record get their values when the process is created, also if
 * the record is declared after the first statement, and keep what was assigned
 * when the declaration is passed again.  A plain variable would be set anew.
 */

typedef Box {
  int first = 3;
  chan link = [1] of { byte };
  int second
};

byte round;

init {
  do
  :: round < 2 ->
    round++;
    Box box;
    assert(box.first == (round == 1 -> 3 : 5));
    box.link!box.second;
    box.link?box.second;
    box.first = 5
  :: else -> break
  od
}
