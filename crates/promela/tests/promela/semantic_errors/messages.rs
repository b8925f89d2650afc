//! Channels and messages.

use super::{accept, check};
use expect_test::expect;

#[test]
fn fine() {
    accept("chan q = [1] of { byte, byte };\nbyte a[2], i;\ninit { q?a[0],a[1]; q?a[i],a[i]; q?_,_ }");
    accept("typedef T { int a[2] };\nchan q = [1] of { T };\nT t;\ninit { q!t; q?t }");
    accept("chan c = [1] of { byte };\nchan d;\ninit { d = c; d!1 }");
}

#[test]
fn too_many_fields() {
    check(
        "chan q = [1] of { byte };\nbyte a, b;\ninit { q!1,2; q?a,b }",
        expect![[r#"
            error: 2 fields sent, but messages of `q` have 1
             --> model.pml:3:8
              |
            1 | chan q = [1] of { byte };
              |      - the channel is declared here
            2 | byte a, b;
            3 | init { q!1,2; q?a,b }
              |        ^^^^^

            error: 2 fields received, but messages of `q` have 1
             --> model.pml:3:15
              |
            1 | chan q = [1] of { byte };
              |      - the channel is declared here
            2 | byte a, b;
            3 | init { q!1,2; q?a,b }
              |               ^^^^^
        "#]],
    );
}

#[test]
fn same_variable_twice() {
    check(
        "chan q = [1] of { byte, byte };\nbyte a;\ninit { q?a,a }",
        expect![[r#"
            error: `a` takes two fields of the same message
             --> model.pml:3:12
              |
            3 | init { q?a,a }
              |          - ^
              |          |
              |          the first one
              |
              = help: write `_` for a field that is not needed
        "#]],
    );
}

#[test]
fn not_a_channel() {
    check(
        "int x;\nmtype = { A };\ninit { x!1; A!2; x?3 }",
        expect![[r#"
            error: `x` is not a channel
             --> model.pml:3:8
              |
            3 | init { x!1; A!2; x?3 }
              |        ^
              |
              = help: only a variable of type `chan` can be sent to, received from or asked how full it is

            error: `A` is not a channel
             --> model.pml:3:13
              |
            3 | init { x!1; A!2; x?3 }
              |             ^
              |
              = help: only a variable of type `chan` can be sent to, received from or asked how full it is

            error: `x` is not a channel
             --> model.pml:3:18
              |
            3 | init { x!1; A!2; x?3 }
              |                  ^
              |
              = help: only a variable of type `chan` can be sent to, received from or asked how full it is
        "#]],
    );
}

#[test]
fn bytes_are_no_channels() {
    check(
        "proctype P(byte q) { q!1 }\nchan c = [1] of { byte };\ninit { run P(c) }",
        expect![[r#"
            error: `q` is not a channel
             --> model.pml:1:22
              |
            1 | proctype P(byte q) { q!1 }
              |                      ^
              |
              = help: only a variable of type `chan` can be sent to, received from or asked how full it is
        "#]],
    );
}

#[test]
fn whole_array_in_a_message() {
    check(
        "int a[2];\nchan q = [1] of { int, int };\ninit { q!a; q?a }",
        expect![[r#"
            error: missing array index for `a`
             --> model.pml:3:10
              |
            3 | init { q!a; q?a }
              |          ^
              |
              = help: its elements are `a[0]` to `a[1]`

            error: missing array index for `a`
             --> model.pml:3:15
              |
            3 | init { q!a; q?a }
              |               ^
              |
              = help: its elements are `a[0]` to `a[1]`
        "#]],
    );
}

#[test]
fn array_of_channels() {
    check(
        "chan q[2] = [1] of { byte };\ninit { q!1 }",
        expect![[r#"
            error: missing array index for `q`
             --> model.pml:2:8
              |
            2 | init { q!1 }
              |        ^
              |
              = help: its elements are `q[0]` to `q[1]`
        "#]],
    );
}

#[test]
fn constant_to_a_channel() {
    check(
        "chan c;\ninit { c = 0 }",
        expect![[r#"
            error: `c` is a channel, not a number
             --> model.pml:2:12
              |
            2 | init { c = 0 }
              |            ^
              |
              = help: a channel variable takes another channel variable
        "#]],
    );
}

/// SPIN looks at variables only.
#[test]
fn numbers_for_fields_that_are_channels() {
    accept(
        "typedef T { chan c[2]; chan d }\nT t[2];\ninit { t[1].c[0] = 0; t[0].d = 1; t[0].d++; t[0].d-- }",
    );
}

#[test]
fn arithmetic_on_channels() {
    check(
        "chan c;\ninit { c++; for (c : 1 .. 2) { skip } }",
        expect![[r#"
            error: `c` is a channel, not a number
             --> model.pml:2:8
              |
            2 | init { c++; for (c : 1 .. 2) { skip } }
              |        ^
              |
              = help: a channel variable can be given another channel; there is no arithmetic on it

            error: `c` is a channel, not a number
             --> model.pml:2:18
              |
            2 | init { c++; for (c : 1 .. 2) { skip } }
              |                  ^
              |
              = help: a channel variable can be given another channel; there is no arithmetic on it
        "#]],
    );
}

#[test]
fn for_over_a_channel() {
    check(
        "chan q = [1] of { byte, byte };\nbyte x;\ninit { for (x in q) { skip } }",
        expect![[r#"
            error: the messages have 2 values, `x` takes 1
             --> model.pml:3:13
              |
            3 | init { for (x in q) { skip } }
              |             ^
              |
              = help: declare a record with the fields of the message, and a variable of that type
        "#]],
    );
}

#[test]
fn run_in_a_message() {
    check(
        "proctype P() { skip }\nchan q = [1] of { int };\ninit { q!run P() }",
        expect![[r#"
            error: `run` inside a larger expression
             --> model.pml:3:10
              |
            3 | init { q!run P() }
              |          ^^^^^^^
              |
              = help: `run` can be a statement of its own or the value of an assignment
        "#]],
    );
}
