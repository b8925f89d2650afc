/* Twin of telephone.argos. Two telephones and no exchange; the message that nobody takes leaves its receiver where it may not end.
 *
 * expect: violated
 * errors: deadlock
 * states: 20
 * transitions: 31
 */
mtype { ring, answer, bye };
chan l = [2] of { mtype };
chan r = [2] of { mtype };

active proctype left()
{
end_idle:
	do
	:: r!ring -> goto calling
	:: l?ring -> r!answer -> goto talking
	od;
calling:
	if
	:: l?answer -> goto talking
	fi;
talking:
	if
	:: r!bye -> goto closing
	:: l?bye -> r!bye -> goto end_idle
	fi;
closing:
	if
	:: l?bye -> goto end_idle
	fi
}

active proctype right()
{
end_idle:
	do
	:: l!ring -> goto calling
	:: r?ring -> l!answer -> goto talking
	od;
calling:
	if
	:: r?answer -> goto talking
	fi;
talking:
	if
	:: l!bye -> goto closing
	:: r?bye -> l!bye -> goto end_idle
	fi;
closing:
	if
	:: r?bye -> goto end_idle
	fi
}
