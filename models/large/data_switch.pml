/* The control protocol of a data switch: calls, alerting, clearing, and data with flow control on every hop.
 *
 *   User  <->  Line  <->  Control  <->  Host        (four processes, six channels)
 *
 * User and Host call each other. A call is answered by an alert and then accepted or refused; a Host that was refused
 * waits until the user is free. Where two calls meet, the user's wins. The party that called clears the call when its
 * data are through, or gives up while the other is alerted; the Host may also drop a call that it has just answered, so
 * that two clears can meet: then neither is confirmed. Line and Control pass everything on, hold blocks of data until the
 * next hop has room for them, and throw away what is under way when a call is cleared. Control takes a circuit from a
 * pool for each call.
 *
 * How many states it has is not known, but more than 10^8: a depth-first search with `--exact --store hash-compact` had stored
 * 256,452,096 when it was stopped. So it is no model for a complete search: `--search escalate` is made for it.
 * BLOCKS=1 is small enough to be searched whole. ERROR=1 to 10 seeds a mistake that leads to a deadlock:
 *    1  the user, clearing, takes no notice of the host's clear
 *    2  the host, clearing, takes no notice of the user's clear
 *    3  an idle host does not confirm a clear
 *    4  a host that waits for an alert does not confirm a clear
 *    5  the line does not acknowledge a block that it had to hold
 *    6  the control does not note that the line has room again
 *    7  a circuit is not given back when a call is refused
 *    8  where two calls meet, the host insists on its own
 *    9  line and control, when a call is cleared, do not note that its blocks have left the next hop
 *   10  a host that waits for the user to be free takes no notice of a call
 *   11  all of these
 */

#ifndef ERROR
#define ERROR 0
#endif
#define MISTAKE(n) (ERROR == n || ERROR == 11)
#ifndef BLOCKS
#define BLOCKS 8        /* blocks of data that each side sends in a call */
#endif
#ifndef CIRCUITS
#define CIRCUITS 4
#endif
#ifndef WINDOW
#define WINDOW 3        /* blocks that may be on a hop, not acknowledged */
#endif
#define SLOTS (2 * WINDOW + 4)  /* enough for all that can be under way: no sender ever waits */

mtype = { call, alert, accept, busy, free, clear, cleared, data, ack };

chan user_line    = [SLOTS] of { mtype, byte };
chan line_user    = [SLOTS] of { mtype, byte };
chan line_control = [SLOTS] of { mtype, byte };
chan control_line = [SLOTS] of { mtype, byte };
chan control_host = [SLOTS] of { mtype, byte };
chan host_control = [SLOTS] of { mtype, byte };

/* The data phase of an end: send a block, take one, or take an acknowledgement. */
#define SEND(out)     atomic { left > 0 && unacked < WINDOW -> out!data(left); left--; unacked++; fresh = false }
#define TAKE(in, out) atomic { in?data(block) -> assert(block == expected); expected--; block = 0; out!ack(0); fresh = false }
#define NOTE(in)      atomic { in?ack(_) -> unacked-- }

active proctype User()
{
    byte left, unacked, block, expected;
    bool fresh, owes, caller;

idle:
    atomic { left = 0; block = 0; expected = 0; unacked = 0; fresh = false; caller = false }
end_idle:
    do
    :: atomic { user_line!call(0); owes = false; caller = true } goto calling
    :: owes -> atomic { user_line!free(0); owes = false }
    :: line_user?call(_) -> user_line!alert(0); goto ringing
    :: line_user?clear(_) -> user_line!cleared(0); owes = false
    od;

calling:
    do
    :: line_user?call(_)                        /* two calls meet: ours wins */
    :: line_user?alert(_) -> goto alerting
    :: line_user?clear(_) -> user_line!cleared(0); goto idle
    od;

alerting:
    do
    :: line_user?accept(_) -> goto connected
    :: line_user?busy(_) -> goto idle
    :: user_line!clear(0) -> goto clearing      /* it takes too long */
    od;

ringing:
    do
    :: user_line!accept(0) -> goto connected
    :: atomic { user_line!busy(0); owes = true } goto idle
    :: line_user?clear(_) -> user_line!cleared(0); goto idle
    od;

connected:
    left = BLOCKS; expected = BLOCKS;
    do
    :: SEND(user_line)
    :: TAKE(line_user, user_line)
    :: NOTE(line_user)
    :: line_user?clear(_) -> user_line!cleared(0); goto idle
    :: caller && left == 0 && unacked == 0 -> user_line!clear(0); goto clearing
    od;

clearing:
    do
    :: line_user?cleared(_) -> goto idle
    :: line_user?clear(_) ->                    /* two clears meet */
        if
        :: MISTAKE(1)
        :: else -> goto idle
        fi
    :: line_user?data(_)
    :: line_user?ack(_)
    :: line_user?accept(_)
    :: line_user?busy(_)
    :: line_user?call(_)
    :: line_user?alert(_)
    od
}

active proctype Host()
{
    byte left, unacked, block, expected;
    bool fresh, caller;

idle:
    atomic { left = 0; block = 0; expected = 0; unacked = 0; fresh = false; caller = false }
end_idle:
    do
    :: atomic { host_control!call(0); caller = true } goto calling
    :: control_host?call(_) -> host_control!alert(0); goto ringing
    :: control_host?clear(_) ->
        if
        :: MISTAKE(3)
        :: else -> host_control!cleared(0)
        fi
    :: control_host?free(_)
    od;

calling:
    do
    :: control_host?alert(_) -> goto alerting
    :: control_host?call(_) ->                  /* two calls meet: the user's wins */
        if
        :: MISTAKE(8)
        :: else -> caller = false; host_control!alert(0); goto ringing
        fi
    :: control_host?clear(_) ->
        if
        :: MISTAKE(4)
        :: else -> host_control!cleared(0); goto idle
        fi
    :: control_host?free(_)
    od;

alerting:
    do
    :: control_host?accept(_) -> goto connected
    :: control_host?busy(_) -> goto camping
    :: control_host?free(_)
    :: host_control!clear(0) -> goto clearing
    od;

camping:                                        /* until the user is free */
    caller = false;
    do
    :: control_host?free(_) -> goto idle
    :: control_host?call(_) ->
        if
        :: MISTAKE(10)
        :: else -> host_control!alert(0); goto ringing
        fi
    :: control_host?clear(_) -> host_control!cleared(0); goto idle
    od;

ringing:
    do
    :: atomic { host_control!accept(0); fresh = true } goto connected
    :: host_control!busy(0) -> goto idle
    :: control_host?clear(_) -> host_control!cleared(0); goto idle
    :: control_host?free(_)
    od;

connected:
    left = BLOCKS; expected = BLOCKS;
    do
    :: SEND(host_control)
    :: TAKE(control_host, host_control)
    :: NOTE(control_host)
    :: control_host?clear(_) -> host_control!cleared(0); goto idle
    :: caller && left == 0 && unacked == 0 -> host_control!clear(0); goto clearing
    :: !caller && fresh -> host_control!clear(0); goto clearing
    od;

clearing:
    do
    :: control_host?cleared(_) -> goto idle
    :: control_host?clear(_) ->                 /* two clears meet */
        if
        :: MISTAKE(2)
        :: else -> goto idle
        fi
    :: control_host?data(_)
    :: control_host?ack(_)
    :: control_host?accept(_)
    :: control_host?busy(_)
    :: control_host?call(_)
    :: control_host?free(_)
    :: control_host?alert(_)
    od
}

#define PASSING       0         /* no call, or a call that nobody clears */
#define CLEARING_UP   1         /* the user has cleared: what comes down is thrown away until that is confirmed */
#define CLEARING_DOWN 2         /* the host has: the same for what goes up */

/* A message that came from `back` goes `onward`; `away` if such messages are thrown away, `ours` if a clear from there is
 * to be confirmed. `held` blocks wait in this direction, from
 * number `first` down; the onward hop has `room` for more. The same of the other direction ends in `_back`. */
inline pass(back, onward, held, first, room, held_back, first_back, room_back, away, ours, keeps_ack, keeps_room)
{
    if
    :: kind == clear || kind == cleared ->
        onward!kind(0);
        if
        :: kind == clear && state == PASSING -> state = ours
        :: else -> state = PASSING
        fi;
#if ERROR != 9 && ERROR != 11
        room = WINDOW; room_back = WINDOW;
#endif
        held = 0; first = 0; held_back = 0; first_back = 0
    :: state == away && kind != clear && kind != cleared
    :: kind == data && state != away ->
        if
        :: room > 0 -> room--; onward!data(block); back!ack(0)
        :: room == 0 && held == 0 -> first = block; held = 1
        :: else -> held++
        fi
    :: kind == ack && state != away ->
        if
        :: held_back > 0 ->
            back!data(first_back); held_back--;
            if
            :: held_back > 0 -> first_back--
            :: else -> first_back = 0
            fi;
            if
            :: keeps_ack
            :: else -> onward!ack(0)
            fi
        :: held_back == 0 && keeps_room
        :: else -> room_back++
        fi
    :: else -> onward!kind(0)
    fi
}

active proctype Line()
{
    byte state, block, held_up, held_down, first_up, first_down, room_up = WINDOW, room_down = WINDOW;
    mtype kind;

end:
    do
    :: atomic {
        user_line?kind(block) ->
        pass(line_user, line_control, held_up, first_up, room_up, held_down, first_down, room_down, CLEARING_DOWN, CLEARING_UP, false, false);
        kind = 0; block = 0 }
    :: atomic {
        control_line?kind(block) ->
        pass(line_control, line_user, held_down, first_down, room_down, held_up, first_up, room_up, CLEARING_UP, CLEARING_DOWN, MISTAKE(5), false);
        kind = 0; block = 0 }
    od
}

/* A call takes a circuit, unless it meets another one; a call that is refused or cleared gives it back. */
inline account()
{
    if
    :: kind == call && !circuit -> spare > 0; spare--; circuit = true
    :: circuit && ((kind == busy && !MISTAKE(7)) || kind == cleared || (kind == clear && state != PASSING)) ->
        spare++; circuit = false
    :: kind == busy && MISTAKE(7) -> circuit = false
    :: else
    fi
}

active proctype Control()
{
    byte state, block, held_up, held_down, first_up, first_down, room_up = WINDOW, room_down = WINDOW;
    byte spare = CIRCUITS;
    bool circuit;
    mtype kind;

end:
    do
    :: atomic {
        line_control?kind(block) ->
        if
        :: state == CLEARING_DOWN && kind != clear && kind != cleared
        :: else -> account()
        fi;
        pass(control_line, control_host, held_up, first_up, room_up, held_down, first_down, room_down, CLEARING_DOWN, CLEARING_UP, false, MISTAKE(6));
        kind = 0; block = 0 }
    :: atomic {
        host_control?kind(block) ->
        if
        :: state == CLEARING_UP && kind != clear && kind != cleared
        :: else -> account()
        fi;
        pass(control_host, control_line, held_down, first_down, room_down, held_up, first_up, room_up, CLEARING_UP, CLEARING_DOWN, false, false);
        kind = 0; block = 0 }
    od
}
