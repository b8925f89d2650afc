/* Run-time error: a send to a channel variable that was never initialised.
 *
 * expect: violated
 * errors: runtime
 */

chan main_line = [1] of { byte };
chan backup_line;

active proctype Operator()
{
	chan use;

	if
	:: use = main_line
	:: use = backup_line             /* nobody has installed it yet */
	fi;
end:	use!42
}
