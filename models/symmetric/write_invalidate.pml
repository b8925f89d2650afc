/* Five caches and one line of memory: a write invalidates the copies of the others.
 *
 * expect: verified
 *
 * Each cache has its row of an array by its process number; the owner is a process number, too.
 */

#define CACHES 5
#define NOBODY 255

mtype = { invalid, shared, modified };

mtype line[CACHES] = invalid;
byte owner = NOBODY;
byte copies;

active [CACHES] proctype Cache()
{
end:	do
	:: atomic { line[_pid] == invalid && owner == NOBODY -> line[_pid] = shared; copies++ }
	:: atomic { line[_pid] == shared && owner == NOBODY -> line[_pid] = invalid; copies-- }
	:: atomic { line[_pid] == shared && owner == NOBODY && copies == 1 -> line[_pid] = modified; owner = _pid; copies = 0 }
	:: atomic { owner == _pid -> assert(line[_pid] == modified && copies == 0); owner = NOBODY; line[_pid] = invalid }
	:: line[_pid] == modified -> assert(owner == _pid || owner == NOBODY)
	od
}
