//! What is allowed but hardly meant.

use super::{accept, check};
use expect_test::expect;

#[test]
fn fine() {
    accept("bit b[2], c;\nbyte x;\ninit { b[0] = 1; b[1] = c; b[0] = (x > 3); c = x }");
    accept("chan q = [1] of { byte };\ninit { if :: nempty(q) -> q?1 :: else fi }");
}

#[test]
fn else_beside_a_receive() {
    check(
        "chan q = [1] of { byte };\nbyte x;\ninit { if :: q?x :: else fi }",
        expect![[r#"
            warning[else-beside-message]: dubious use of `else` beside a send or receive
             --> model.pml:3:21
              |
            3 | init { if :: q?x :: else fi }
              |              ---    ^^^^
              |              |
              |              `else` is taken whenever this one cannot be executed at once
              |
              = help: ask for the channel's state with `nempty`, `nfull` or `len`, or wait with `timeout`
        "#]],
    );
}

#[test]
fn else_beside_a_send() {
    check(
        "chan q = [1] of { byte };\ninit { do :: q!1 :: else -> break od }",
        expect![[r#"
            warning[else-beside-message]: dubious use of `else` beside a send or receive
             --> model.pml:2:21
              |
            2 | init { do :: q!1 :: else -> break od }
              |              ---    ^^^^
              |              |
              |              `else` is taken whenever this one cannot be executed at once
              |
              = help: ask for the channel's state with `nempty`, `nfull` or `len`, or wait with `timeout`
        "#]],
    );
}

#[test]
fn bit_array_keeps_bytes() {
    check(
        "bit b[2];\nbool c[2];\ninit { b[1] = 3; c[0]++; b[0] = c[1] + 1 }",
        expect![[r#"
            warning[wide-bit]: `b[1]` keeps a whole byte: values above 1 are not cut to a bit
             --> model.pml:3:8
              |
            3 | init { b[1] = 3; c[0]++; b[0] = c[1] + 1 }
              |        ^^^^
              |
              = help: bits in arrays take a byte each, as in SPIN: assign 0 or 1

            warning[wide-bit]: `c[0]` keeps a whole byte: values above 1 are not cut to a bit
             --> model.pml:3:18
              |
            3 | init { b[1] = 3; c[0]++; b[0] = c[1] + 1 }
              |                  ^^^^
              |
              = help: bits in arrays take a byte each, as in SPIN: assign 0 or 1

            warning[wide-bit]: `b[0]` keeps a whole byte: values above 1 are not cut to a bit
             --> model.pml:3:26
              |
            3 | init { b[1] = 3; c[0]++; b[0] = c[1] + 1 }
              |                          ^^^^
              |
              = help: bits in arrays take a byte each, as in SPIN: assign 0 or 1
        "#]],
    );
}

#[test]
fn record_initialiser_is_ignored() {
    check(
        "typedef T { int x };\nT t = 3;\ninit { t.x = 1 }",
        expect![[r#"
            warning[record-initialiser]: a record cannot be initialised as a whole: the value for `t` is ignored
             --> model.pml:2:3
              |
            2 | T t = 3;
              |   ^
              |
              = help: give initial values to the fields in the typedef, or assign to them
        "#]],
    );
}

#[test]
fn claim_with_side_effect() {
    check(
        "int x;\nnever { x = 1 }\ninit { skip }",
        expect![[r#"
            warning[claim-side-effect]: a never claim with a side effect
             --> model.pml:2:9
              |
            2 | never { x = 1 }
              |         ^
              |
              = help: it changes the system that it is to watch
        "#]],
    );
}

#[test]
fn label_nobody_stands_at() {
    check(
        "active proctype P() { do :: skip od; L: skip }\ninit { assert(!P@L) }",
        expect![[r#"
            warning[always-false]: no process ever stands at `L`: this is always false
             --> model.pml:2:18
              |
            2 | init { assert(!P@L) }
              |                  ^
              |
              = help: its statement cannot be reached, or is passed in the middle of a d_step
        "#]],
    );
}

#[test]
fn pid_of_nobody() {
    check(
        "int x = _pid;\nnever { _pid == 1 }\nltl { [] (_pid == 1) }\ninit { skip }",
        expect![[r#"
            warning[no-executing-process]: `_pid` is 0 here: no process executes this
             --> model.pml:1:9
              |
            1 | int x = _pid;
              |         ^^^^
              |
              = help: to speak of a process, write `P:variable` or `P@label`

            warning[no-executing-process]: `_pid` is 0 here: no process executes this
             --> model.pml:2:9
              |
            2 | never { _pid == 1 }
              |         ^^^^
              |
              = help: to speak of a process, write `P:variable` or `P@label`

            warning[no-executing-process]: `_pid` is 0 here: no process executes this
             --> model.pml:3:11
              |
            3 | ltl { [] (_pid == 1) }
              |           ^^^^
              |
              = help: to speak of a process, write `P:variable` or `P@label`
        "#]],
    );
}

#[test]
fn the_end_of_a_comment_that_is_none() {
    check(
        "byte x;\n/* a /* b */ */\ninit { x = 1 */\n x = 2 }",
        expect![[r#"
        warning[stray-comment-end]: `*/` without a comment that it could end
         --> model.pml:2:14
          |
        2 | /* a /* b */ */
          |              ^^
          |
          = help: it is ignored; comments do not nest: the first `*/` ends one

        warning[stray-comment-end]: `*/` without a comment that it could end
         --> model.pml:3:14
          |
        3 | init { x = 1 */
          |              ^^
          |
          = help: it is ignored; comments do not nest: the first `*/` ends one
    "#]],
    );
}
