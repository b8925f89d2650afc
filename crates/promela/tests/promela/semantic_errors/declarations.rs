//! Declarations: widths, lengths, capacities, initial values, hiding.

use super::{accept, check};
use expect_test::expect;

#[test]
fn fine() {
    accept("unsigned x : 31, y : 1;\ninit { x = y }");
    accept("hidden int x;\ninit { x = 1 }");
    accept("typedef T { int x = 3 };\nT t;\ninit { assert(t.x == 3) }");
    accept("int a[3] = { 1, 2 };\ninit { int b = a[0]; skip; int c = b; assert(c == 1) }");
}

#[test]
fn unsigned_without_width() {
    check(
        "unsigned x;\ninit { x = 1 }",
        expect![[r#"
            error: unsigned without a width
             --> model.pml:1:10
              |
            1 | unsigned x;
              |          ^
              |
              = help: write `unsigned x : 4` for four bits
        "#]],
    );
}

#[test]
fn unsigned_too_wide() {
    check(
        "unsigned x : 32, y : 0;\ninit { x = y }",
        expect![[r#"
            error: an unsigned variable cannot have 32 bits
             --> model.pml:1:14
              |
            1 | unsigned x : 32, y : 0;
              |              ^^
              |
              = help: it has 1 to 31

            error: an unsigned variable cannot have 0 bits
             --> model.pml:1:22
              |
            1 | unsigned x : 32, y : 0;
              |                      ^
              |
              = help: it has 1 to 31
        "#]],
    );
}

#[test]
fn width_of_others() {
    check(
        "int x : 3;\ninit { x = 1 }",
        expect![[r#"
            error: only unsigned variables have a width
             --> model.pml:1:9
              |
            1 | int x : 3;
              |         ^
              |
              = help: write `unsigned x : …`
        "#]],
    );
}

#[test]
fn array_length_not_constant() {
    check(
        "int n, a[n];\ninit { a[0] = 1 }",
        expect![[r#"
            error: an array length must be a constant
             --> model.pml:1:10
              |
            1 | int n, a[n];
              |          ^
              |
              = help: it is fixed before anything runs: a number, an mtype name, or arithmetic on these
        "#]],
    );
}

#[test]
fn array_without_elements() {
    check(
        "int a[0], b[-1];\ninit { a[0] = b[0] }",
        expect![[r#"
            error: an array cannot have 0 elements
             --> model.pml:1:7
              |
            1 | int a[0], b[-1];
              |       ^
              |
              = help: it has at least one

            error: an array cannot have -1 elements
             --> model.pml:1:13
              |
            1 | int a[0], b[-1];
              |             ^^
              |
              = help: it has at least one
        "#]],
    );
}

#[test]
fn capacity_not_constant() {
    check(
        "int n;\nchan q = [n] of { byte };\ninit { q!1 }",
        expect![[r#"
            error: a channel's capacity must be a constant
             --> model.pml:2:11
              |
            2 | chan q = [n] of { byte };
              |           ^
              |
              = help: it is fixed before anything runs: a number, an mtype name, or arithmetic on these
        "#]],
    );
}

#[test]
fn capacity_out_of_range() {
    check(
        "chan q = [65536] of { byte };\nchan r = [-1] of { byte };\ninit { skip }",
        expect![[r#"
            error: a channel cannot hold 65536 messages
             --> model.pml:1:11
              |
            1 | chan q = [65536] of { byte };
              |           ^^^^^
              |
              = help: it holds 0 to 65535

            error: a channel cannot hold -1 messages
             --> model.pml:2:11
              |
            2 | chan r = [-1] of { byte };
              |           ^^
              |
              = help: it holds 0 to 65535
        "#]],
    );
}

#[test]
fn channel_made_late() {
    check(
        "init { skip; chan c = [1] of { byte }; c!1 }",
        expect![[r#"
            error: a channel made after the first statement
             --> model.pml:1:19
              |
            1 | init { skip; chan c = [1] of { byte }; c!1 }
              |                   ^^^^^^^^^^^^^^^^^^^
              |
              = help: declare channels with their capacity at the start of the process
        "#]],
    );
}

#[test]
fn channel_in_a_number() {
    check(
        "int q = [1] of { byte };\ninit { skip }",
        expect![[r#"
            error: `q` is not a chan
             --> model.pml:1:5
              |
            1 | int q = [1] of { byte };
              |     ^
              |
              = help: only a `chan` variable is made with `[capacity] of { types }`
        "#]],
    );
}

#[test]
fn list_for_a_scalar() {
    check(
        "int a = { 1 };\ninit { skip }",
        expect![[r#"
            error: `a` is not an array: it takes one initial value
             --> model.pml:1:5
              |
            1 | int a = { 1 };
              |     ^
              |
              = help: write the value without braces
        "#]],
    );
}

#[test]
fn too_many_initial_values() {
    check(
        "int a[2] = { 1, 2, 3 };\ninit { skip }",
        expect![[r#"
            error: 3 initial values for 2 elements
             --> model.pml:1:5
              |
            1 | int a[2] = { 1, 2, 3 };
              |     ^
              |
              = help: leave out the rest
        "#]],
    );
}

#[test]
fn run_in_initial_values() {
    check(
        "proctype P() { skip }\nint x = run P();\ninit { int y = 1 + run P(); skip }",
        expect![[r#"
            error: `run` outside a process
             --> model.pml:2:9
              |
            2 | int x = run P();
              |         ^^^^^^^
              |
              = help: start processes from `init`, or declare them `active`

            error: `run` in an initial value
             --> model.pml:3:16
              |
            3 | init { int y = 1 + run P(); skip }
              |                ^^^^^^^^^^^
              |
              = help: declare the variable first and assign to it in a statement
        "#]],
    );
}

#[test]
fn mtype_inside_a_process() {
    check(
        "init { mtype = { A, B }; skip }",
        expect![[r#"
            error: mtype names are declared outside processes
             --> model.pml:1:8
              |
            1 | init { mtype = { A, B }; skip }
              |        ^^^^^^^^^^^^^^^^
              |
              = help: move the declaration in front of the process
        "#]],
    );
}

#[test]
fn hidden_locals() {
    check(
        "typedef T { hidden int f };\nproctype P(hidden int p) { hidden int l; l = p }\ninit { run P(1) }",
        expect![[r#"
            error: a field cannot be hidden
             --> model.pml:1:24
              |
            1 | typedef T { hidden int f };
              |                        ^
              |
              = help: `hidden` is for global variables that do not belong to the state

            error: a parameter cannot be hidden
             --> model.pml:2:23
              |
            2 | proctype P(hidden int p) { hidden int l; l = p }
              |                       ^
              |
              = help: `hidden` is for global variables that do not belong to the state

            error: a local variable cannot be hidden
             --> model.pml:2:39
              |
            2 | proctype P(hidden int p) { hidden int l; l = p }
              |                                       ^
              |
              = help: `hidden` is for global variables that do not belong to the state
        "#]],
    );
}

#[test]
fn hidden_channel() {
    check(
        "hidden chan q = [1] of { byte };\ninit { q!1 }",
        expect![[r#"
            error: a channel cannot be hidden
             --> model.pml:1:13
              |
            1 | hidden chan q = [1] of { byte };
              |             ^
              |
              = help: `hidden` is for global variables that do not belong to the state
        "#]],
    );
}

#[test]
fn field_twice() {
    check(
        "typedef T { int x; byte x };\ninit { skip }",
        expect![[r#"
        error: field `x` is declared twice
         --> model.pml:1:25
          |
        1 | typedef T { int x; byte x };
          |                         ^
    "#]],
    );
}

#[test]
fn predefined_names() {
    check(
        "int _pid;\ninit { byte _; _ = 1 }",
        expect![[r#"
        error: `_pid` is predefined
         --> model.pml:1:5
          |
        1 | int _pid;
          |     ^^^^

        error: `_` is predefined
         --> model.pml:2:13
          |
        2 | init { byte _; _ = 1 }
          |             ^
    "#]],
    );
}

#[test]
fn values_of_another_set() {
    check(
        "mtype = { A };\nmtype:s = { B };\nmtype m;\ninit { m = A; m = B }",
        expect![[r#"
        error: a value of `mtype:s` for a variable of `mtype`
         --> model.pml:4:19
          |
        4 | init { m = A; m = B }
          |                   ^
    "#]],
    );
}

#[test]
fn unsigned_in_a_message() {
    check(
        "chan q = [1] of { unsigned };\ninit { q!1 }",
        expect![[r#"
            error: an unsigned message field has no width
             --> model.pml:1:19
              |
            1 | chan q = [1] of { unsigned };
              |                   ^^^^^^^^
              |
              = help: take `byte`, `short` or `int`
        "#]],
    );
}
