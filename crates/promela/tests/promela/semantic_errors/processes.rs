//! Processes: starting them, and looking into them.

use super::{accept, check};
use expect_test::expect;

#[test]
fn fine() {
    accept("proctype P() { skip }\nint a;\ninit { a = run P(); if :: run P() :: else fi }");
    accept("active proctype P(int x) { x = 1 }");
    accept("active proctype P() { L: skip }\ninit { assert(P@L || !P@L) }");
}

#[test]
fn unknown_proctype() {
    check(
        "proctype P() { skip }\ninit { run Q() }",
        expect![[r#"
            error: there is no proctype `Q`
             --> model.pml:2:12
              |
            2 | init { run Q() }
              |            ^
              |
              = help: the process types are P
        "#]],
    );
}

#[test]
fn too_many_arguments() {
    check(
        "proctype P(int a) { skip }\ninit { run P(1, 2) }",
        expect![[r#"
            error: `P` takes 1 parameter, not 2
             --> model.pml:2:8
              |
            1 | proctype P(int a) { skip }
              |          - declared here
            2 | init { run P(1, 2) }
              |        ^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn too_few_arguments() {
    check(
        "proctype P(int a) { skip }\ninit { run P() }",
        expect![[r#"
            error: `P` takes 1 parameter, not 0
             --> model.pml:2:8
              |
            1 | proctype P(int a) { skip }
              |          - declared here
            2 | init { run P() }
              |        ^^^^^^^
        "#]],
    );
}

#[test]
fn run_in_a_condition() {
    check(
        "proctype P() { skip }\ninit { if :: run P() && 1 -> skip fi }",
        expect![[r#"
            error: `run` inside a larger expression
             --> model.pml:2:14
              |
            2 | init { if :: run P() && 1 -> skip fi }
              |              ^^^^^^^^^^^^
              |
              = help: `run` can be a statement of its own or the value of an assignment
        "#]],
    );
}

#[test]
fn run_in_a_d_step() {
    check(
        "proctype P() { skip }\nint x;\ninit { d_step { run P(); x = run P() } }",
        expect![[r#"
            error: `run` inside a d_step
             --> model.pml:3:17
              |
            3 | init { d_step { run P(); x = run P() } }
              |                 ^^^^^^^
              |
              = help: start processes in an `atomic` sequence instead

            error: `run` inside a d_step
             --> model.pml:3:30
              |
            3 | init { d_step { run P(); x = run P() } }
              |                              ^^^^^^^
              |
              = help: start processes in an `atomic` sequence instead
        "#]],
    );
}

#[test]
fn two_inits() {
    check(
        "init { skip }\ninit { skip }",
        expect![[r#"
            error: `init` is declared twice
             --> model.pml:2:1
              |
            1 | init { skip }
              | ---- first declared here
            2 | init { skip }
              | ^^^^
        "#]],
    );
}

#[test]
fn two_proctypes() {
    check(
        "proctype P() { skip }\nproctype P() { skip }\ninit { run P() }",
        expect![[r#"
            error: `P` is declared twice
             --> model.pml:2:10
              |
            1 | proctype P() { skip }
              |          - first declared here
            2 | proctype P() { skip }
              |          ^
        "#]],
    );
}

#[test]
fn process_named_like_a_constant() {
    check(
        "mtype = { A };\nproctype A() { skip }\ninit { run A() }",
        expect![[r#"
            error: `A` is already a symbolic constant
             --> model.pml:2:10
              |
            2 | proctype A() { skip }
              |          ^
              |
              = help: an mtype declaration has this name: choose another
        "#]],
    );
}

#[test]
fn nobody_starts() {
    check(
        "proctype P() { skip }",
        expect![[r#"
            error: no process is ever started
             --> model.pml:1:10
              |
            1 | proctype P() { skip }
              |          ^
              |
              = help: write `init { run … }` or mark a proctype `active`
        "#]],
    );
}

#[test]
fn empty_model() {
    check(
        "",
        expect![[r#"
            error: no process is ever started
             --> model.pml:1:1
              |
            1 |
              | ^
              |
              = help: write `init { run … }` or mark a proctype `active`
        "#]],
    );
}

#[test]
fn only_declarations() {
    check(
        "int x;",
        expect![[r#"
            error: no process is ever started
             --> model.pml:1:1
              |
            1 | int x;
              | ^
              |
              = help: write `init { run … }` or mark a proctype `active`
        "#]],
    );
}

#[test]
fn priority_out_of_range() {
    check(
        "active proctype P() priority 256 { skip }\nproctype Q() priority 0 { skip }\ninit { run Q() priority 300 }",
        expect![[r#"
            error: a priority is a number in 1..255
             --> model.pml:1:30
              |
            1 | active proctype P() priority 256 { skip }
              |                              ^^^
              |
              = help: 255 runs first

            error: a priority is a number in 1..255
             --> model.pml:2:23
              |
            2 | proctype Q() priority 0 { skip }
              |                       ^
              |
              = help: 255 runs first

            error: a priority is a number in 1..255
             --> model.pml:3:25
              |
            3 | init { run Q() priority 300 }
              |                         ^^^
              |
              = help: 255 runs first
        "#]],
    );
}

#[test]
fn active_count_out_of_range() {
    check(
        "active [256] proctype P() { skip }",
        expect![[r#"
            error: more than 255 processes are active
             --> model.pml:1:23
              |
            1 | active [256] proctype P() { skip }
              |                       ^
              |
              = help: a process number is one byte
        "#]],
    );
}

#[test]
fn active_count_not_constant() {
    check(
        "int n;\nactive [n] proctype P() { skip }",
        expect![[r#"
            error: the number of active processes must be a constant
             --> model.pml:2:9
              |
            2 | active [n] proctype P() { skip }
              |         ^
              |
              = help: it is fixed before anything runs: a number, an mtype name, or arithmetic on these
        "#]],
    );
}

#[test]
fn remote_reference_to_nothing() {
    check(
        "proctype P() { int x; L: x = 1 }\ninit { assert(P@M); assert(P:y == 0); assert(Q@L) }",
        expect![[r#"
            error: `P` has no label `M`
             --> model.pml:2:17
              |
            2 | init { assert(P@M); assert(P:y == 0); assert(Q@L) }
              |                 ^
              |
              = help: its labels are L

            error: `P` has no variable `y`
             --> model.pml:2:30
              |
            2 | init { assert(P@M); assert(P:y == 0); assert(Q@L) }
              |                              ^
              |
              = help: its variables are x

            error: there is no proctype `Q`
             --> model.pml:2:46
              |
            2 | init { assert(P@M); assert(P:y == 0); assert(Q@L) }
              |                                              ^
              |
              = help: the process types are P
        "#]],
    );
}

#[test]
fn remote_reference_to_a_whole() {
    check(
        "proctype P() { int x[2]; x[1] = 1 }\ninit { assert(P:x == 0) }",
        expect![[r#"
            error: missing array index for `x`
             --> model.pml:2:17
              |
            2 | init { assert(P:x == 0) }
              |                 ^
              |
              = help: its elements are `x[0]` to `x[1]`
        "#]],
    );
}
