/* A test-and-set spinlock, and what goes wrong if test and set are two steps.
 *
 * expect: violated
 * errors: assertion
 * states: 360
 * transitions: 985
 * shortest: 7
 *
 * Define ATOMIC_TAS (spin -DATOMIC_TAS) and the violation disappears.
 */

bool locked;
byte users;

inline acquire()
{
#ifdef ATOMIC_TAS
	atomic { !locked -> locked = true }
#else
	!locked;                 /* another thread may slip in right here */
	locked = true
#endif
}

active [3] proctype Thread()
{
	do
	:: 	acquire();
		users++;
		assert(users == 1);
		users--;
		locked = false
	od
}
