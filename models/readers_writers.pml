/* Readers and writers: many readers or one writer, guarded by a monitor.
 *
 * expect: verified
 * states: 116
 * transitions: 449
 * ltl: no_mixing verified
 * ltl: writers_get_in violated
 *
 * Readers are preferred, so writers may starve: writers_get_in is violated.
 */

#define READERS  3
#define WRITERS  2

byte reading, writing;

active [READERS] proctype Reader()
{
	do
	:: 	atomic { writing == 0 -> reading++ };
		assert(writing == 0);
		reading--
	od
}

active [WRITERS] proctype Writer()
{
	do
	:: 	true;                                   /* decide to write */
try:		atomic { reading == 0 && writing == 0 -> writing++ };
		assert(reading == 0 && writing == 1);
		writing--
	od
}

ltl no_mixing      { [] !(reading > 0 && writing > 0) }
ltl writers_get_in { [] (Writer[READERS]@try -> <> (writing > 0)) }
