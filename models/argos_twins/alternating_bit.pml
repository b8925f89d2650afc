/* Twin of alternating_bit.argos. The alternating bit over a lossy line, with the requirement that was meant.
 *
 * expect: verified
 * states: 2416
 * transitions: 6865
 */
mtype { data0, data1, ack0, ack1 };
chan to_sender = [1] of { mtype };
chan to_line = [1] of { mtype };
chan to_receiver = [1] of { mtype };
chan to_user = [1] of { mtype };
byte alternation;	/* 0: data1 is next, 1: data0, 2: violated */

active proctype sender()
{
end:	do
	:: to_line!data1;
	   do
	   :: to_sender?ack1 -> break
	   :: to_sender?ack0
	   :: empty(to_sender) -> to_line!data1
	   od;
	   to_line!data0;
	   do
	   :: to_sender?ack0 -> break
	   :: to_sender?ack1
	   :: empty(to_sender) -> to_line!data0
	   od
	od
}

active proctype receiver()
{
end:	do
	:: to_receiver?data1 ->
		to_line!ack1;
		d_step { to_user!data1; assert(alternation == 0); alternation = (alternation == 0 -> 1 : 2) };
		do
		:: to_receiver?data0 ->
			to_line!ack0;
			d_step { to_user!data0; assert(alternation == 1); alternation = (alternation == 1 -> 0 : 2) };
			break
		:: to_receiver?data1 -> to_line!ack1
		od
	:: to_receiver?data0 -> to_line!ack0
	od
}

active proctype user()
{
end:	do
	:: to_user?data0
	:: to_user?data1
	od
}

active proctype line()
{
end:	do
	:: to_line?data0 -> if :: to_receiver!data0 :: skip fi
	:: to_line?data1 -> if :: to_receiver!data1 :: skip fi
	:: to_line?ack0 -> if :: to_sender!ack0 :: skip fi
	:: to_line?ack1 -> if :: to_sender!ack1 :: skip fi
	od
}
