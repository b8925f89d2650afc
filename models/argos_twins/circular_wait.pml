/* Twin of circular_wait.argos. Three processes that wait for each other.
 *
 * expect: violated
 * errors: deadlock
 * states: 1
 * transitions: 1
 */
mtype { word };
chan A = [1] of { mtype };
chan B = [1] of { mtype };
chan C = [1] of { mtype };

active proctype a() { A?word; B!word; end: false }
active proctype b() { B?word; C!word; end: false }
active proctype c() { C?word; A!word; end: false }
