//! Names: undeclared, declared twice, of something else.

use super::{accept, check};
use expect_test::expect;

#[test]
fn fine() {
    accept("init { { int x; x = 1 }; { int x; x = 2 } }");
    accept("int b;\ninit { b[0] = 1 }");
    accept("proctype P(int x) { x = 1 }\nint x;\ninit { run P(x) }");
}

#[test]
fn undeclared_variable() {
    check(
        "init { x = 1 }",
        expect![[r#"
        error: undeclared variable `x`
         --> model.pml:1:8
          |
        1 | init { x = 1 }
          |        ^
    "#]],
    );
}

#[test]
fn use_before_declaration() {
    check(
        "init { x = 1 }\nint x;",
        expect![[r#"
            error: undeclared variable `x`
             --> model.pml:1:8
              |
            1 | init { x = 1 }
              |        ^
            2 | int x;
              |     - it is declared only here, further down
              |
              = help: a variable can be used only after its declaration
        "#]],
    );
}

#[test]
fn its_own_initial_value() {
    check(
        "init { int x = x; skip }",
        expect![[r#"
        error: undeclared variable `x`
         --> model.pml:1:16
          |
        1 | init { int x = x; skip }
          |                ^
    "#]],
    );
}

#[test]
fn local_over_global() {
    check(
        "int x;\ninit { int x; x = 1 }",
        expect![[r#"
            error: `x` is declared twice
             --> model.pml:2:12
              |
            1 | int x;
              |     - first declared here
            2 | init { int x; x = 1 }
              |            ^
              |
              = help: a name may not be used again where the first one is still visible
        "#]],
    );
}

#[test]
fn local_over_local() {
    check(
        "init { int x; { byte x; x = 1 } }",
        expect![[r#"
            error: `x` is declared twice
             --> model.pml:1:22
              |
            1 | init { int x; { byte x; x = 1 } }
              |            -         ^
              |            |
              |            first declared here
              |
              = help: a name may not be used again where the first one is still visible
        "#]],
    );
}

#[test]
fn local_over_parameter() {
    check(
        "proctype P(int a) { int a; a = 1 }\ninit { run P(1) }",
        expect![[r#"
            error: `a` is declared twice
             --> model.pml:1:25
              |
            1 | proctype P(int a) { int a; a = 1 }
              |                -        ^
              |                |
              |                first declared here
              |
              = help: a name may not be used again where the first one is still visible
        "#]],
    );
}

#[test]
fn global_twice() {
    check(
        "int x;\nbyte x;\ninit { x = 1 }",
        expect![[r#"
            error: `x` is declared twice
             --> model.pml:2:6
              |
            1 | int x;
              |     - first declared here
            2 | byte x;
              |      ^
              |
              = help: a name may not be used again where the first one is still visible
        "#]],
    );
}

#[test]
fn parameter_twice() {
    check(
        "proctype P(int a, a) { skip }\ninit { run P(1, 2) }",
        expect![[r#"
            error: `a` is declared twice
             --> model.pml:1:19
              |
            1 | proctype P(int a, a) { skip }
              |                -  ^
              |                |
              |                first declared here
              |
              = help: a name may not be used again where the first one is still visible
        "#]],
    );
}

#[test]
fn mtype_name_twice() {
    check(
        "mtype = { A, B };\nmtype:other = { C, A };\ninit { skip }",
        expect![[r#"
            error: `A` is declared twice
             --> model.pml:2:20
              |
            2 | mtype:other = { C, A };
              |                    ^
              |
              = help: it is already a constant of `mtype`
        "#]],
    );
}

#[test]
fn mtype_name_as_variable() {
    check(
        "mtype = { A };\ninit { int A; A = 1 }",
        expect![[r#"
            error: `A` is already a symbolic constant
             --> model.pml:2:12
              |
            2 | init { int A; A = 1 }
              |            ^
              |
              = help: an mtype declaration has this name: choose another
        "#]],
    );
}

#[test]
fn assignment_to_a_constant() {
    check(
        "mtype = { A };\ninit { A = 1 }",
        expect![[r#"
            error: `A` is a constant
             --> model.pml:2:8
              |
            2 | init { A = 1 }
              |        ^
              |
              = help: an mtype name stands for its number and never changes
        "#]],
    );
}

#[test]
fn assignment_to_predefined_names() {
    check(
        "init { _pid = 1; _nr_pr = 2; _last = 3 }",
        expect![[r#"
            error: `_pid` cannot be assigned to
             --> model.pml:1:8
              |
            1 | init { _pid = 1; _nr_pr = 2; _last = 3 }
              |        ^^^^
              |
              = help: it is set by the system

            error: `_nr_pr` cannot be assigned to
             --> model.pml:1:18
              |
            1 | init { _pid = 1; _nr_pr = 2; _last = 3 }
              |                  ^^^^^^
              |
              = help: it is set by the system

            error: `_last` cannot be assigned to
             --> model.pml:1:30
              |
            1 | init { _pid = 1; _nr_pr = 2; _last = 3 }
              |                              ^^^^^
              |
              = help: it is set by the system
        "#]],
    );
}

#[test]
fn reading_the_bin() {
    check(
        "int x;\ninit { x = _; _++ }",
        expect![[r#"
            error: `_` can be written but not read
             --> model.pml:2:12
              |
            2 | init { x = _; _++ }
              |            ^
              |
              = help: what is stored there is gone: use a variable of your own

            error: `_` can be written but not read
             --> model.pml:2:15
              |
            2 | init { x = _; _++ }
              |               ^
              |
              = help: what is stored there is gone: use a variable of your own
        "#]],
    );
}

#[test]
fn process_as_variable() {
    check(
        "proctype P() { skip }\nint x;\ninit { x = P }",
        expect![[r#"
            error: undeclared variable `P`
             --> model.pml:3:12
              |
            1 | proctype P() { skip }
              |          - `P` is a process type, not a variable
            2 | int x;
            3 | init { x = P }
              |            ^
        "#]],
    );
}

#[test]
fn variable_named_like_a_process() {
    check(
        "proctype P() { int P; P = 1 }\ninit { run P() }",
        expect![[r#"
            error: `P` is declared twice
             --> model.pml:1:20
              |
            1 | proctype P() { int P; P = 1 }
              |          -         ^
              |          |
              |          first declared here
              |
              = help: a name may not be used again where the first one is still visible
        "#]],
    );
}

#[test]
fn type_as_variable() {
    check(
        "typedef T { int x };\ninit { T = 1 }",
        expect![[r#"
            error: undeclared variable `T`
             --> model.pml:2:8
              |
            2 | init { T = 1 }
              |        ^
              |
              = help: `T` is a type: declare a variable of it
        "#]],
    );
}

#[test]
fn missing_index() {
    check(
        "int a[3], b;\ninit { a = 1; b = a }",
        expect![[r#"
            error: missing array index for `a`
             --> model.pml:2:8
              |
            2 | init { a = 1; b = a }
              |        ^
              |
              = help: its elements are `a[0]` to `a[2]`

            error: missing array index for `a`
             --> model.pml:2:19
              |
            2 | init { a = 1; b = a }
              |                   ^
              |
              = help: its elements are `a[0]` to `a[2]`
        "#]],
    );
}

#[test]
fn index_on_a_scalar() {
    check(
        "int b;\ninit { b[1] = 1 }",
        expect![[r#"
            error: `b` is not an array
             --> model.pml:2:8
              |
            2 | init { b[1] = 1 }
              |        ^^^^
              |
              = help: write `b` without an index
        "#]],
    );
}

#[test]
fn not_a_record() {
    check(
        "int b;\ninit { b.x = 1 }",
        expect![[r#"
            error: `b` is not a record
             --> model.pml:2:10
              |
            2 | init { b.x = 1 }
              |          ^
              |
              = help: it is a single value and has no field `x`
        "#]],
    );
}

#[test]
fn no_such_field() {
    check(
        "typedef T { int x, y };\nT t;\ninit { t.z = 1 }",
        expect![[r#"
            error: `t` has no field `z`
             --> model.pml:3:10
              |
            3 | init { t.z = 1 }
              |          ^
              |
              = help: `T` has the fields x, y
        "#]],
    );
}

#[test]
fn whole_record() {
    check(
        "typedef T { int x, y };\nT t, u;\ninit { t = u }",
        expect![[r#"
            error: `t` is a whole record, not a single value
             --> model.pml:3:8
              |
            3 | init { t = u }
              |        ^
              |
              = help: name one of its fields, such as `t.x`

            error: `u` is a whole record, not a single value
             --> model.pml:3:12
              |
            3 | init { t = u }
              |            ^
              |
              = help: name one of its fields, such as `u.x`
        "#]],
    );
}

#[test]
fn missing_index_before_a_field() {
    check(
        "typedef T { int x };\nT t[2];\ninit { t.x = 1 }",
        expect![[r#"
            error: missing array index for `t`
             --> model.pml:3:8
              |
            3 | init { t.x = 1 }
              |        ^^^
              |
              = help: its elements are `t[0]` to `t[1]`
        "#]],
    );
}

#[test]
fn missing_index_of_a_field() {
    check(
        "typedef T { int x[2] };\nT t;\ninit { t.x = 1 }",
        expect![[r#"
            error: missing array index for `t.x`
             --> model.pml:3:8
              |
            3 | init { t.x = 1 }
              |        ^^^
              |
              = help: its elements are `t.x[0]` to `t.x[1]`
        "#]],
    );
}

#[test]
fn names_that_are_mistyped() {
    check(
        "mtype = { request, reply };\nchan c = [1] of { mtype };\nbyte count;\ninit { c!reqest; c?rpely; conut = 1; Count = TRUE }",
        expect![[r#"
            error: undeclared variable `reqest`
             --> model.pml:4:10
              |
            4 | init { c!reqest; c?rpely; conut = 1; Count = TRUE }
              |          ^^^^^^
              |
              = help: did you mean `request`?

            error: undeclared variable `rpely`
             --> model.pml:4:20
              |
            4 | init { c!reqest; c?rpely; conut = 1; Count = TRUE }
              |                    ^^^^^
              |
              = help: did you mean `reply`?

            error: undeclared variable `conut`
             --> model.pml:4:27
              |
            4 | init { c!reqest; c?rpely; conut = 1; Count = TRUE }
              |                           ^^^^^
              |
              = help: did you mean `count`?

            error: undeclared variable `Count`
             --> model.pml:4:38
              |
            4 | init { c!reqest; c?rpely; conut = 1; Count = TRUE }
              |                                      ^^^^^
              |
              = help: did you mean `count`?

            error: undeclared variable `TRUE`
             --> model.pml:4:46
              |
            4 | init { c!reqest; c?rpely; conut = 1; Count = TRUE }
              |                                              ^^^^
              |
              = help: did you mean `true`?
        "#]],
    );
    check(
        "typedef T { byte value };\nT t;\ninit { t.vlaue = 1 }",
        expect![[r#"
        error: `t` has no field `vlaue`
         --> model.pml:3:10
          |
        3 | init { t.vlaue = 1 }
          |          ^^^^^
          |
          = help: did you mean `value`?
    "#]],
    );
    check(
        "init {\nstart: skip;\n  goto strat\n}",
        expect![[r#"
        error: there is no label `strat` in this process
         --> model.pml:3:8
          |
        3 |   goto strat
          |        ^^^^^
          |
          = help: did you mean `start`?
    "#]],
    );
    check(
        "proctype Sender() { byte count; busy: skip }\ninit { run Sendre(); Sender:conut == 1; Sender@buzy }",
        expect![[r#"
            error: there is no proctype `Sendre`
             --> model.pml:2:12
              |
            2 | init { run Sendre(); Sender:conut == 1; Sender@buzy }
              |            ^^^^^^
              |
              = help: did you mean `Sender`?

            error: `Sender` has no variable `conut`
             --> model.pml:2:29
              |
            2 | init { run Sendre(); Sender:conut == 1; Sender@buzy }
              |                             ^^^^^
              |
              = help: did you mean `count`?

            error: `Sender` has no label `buzy`
             --> model.pml:2:48
              |
            2 | init { run Sendre(); Sender:conut == 1; Sender@buzy }
              |                                                ^^^^
              |
              = help: did you mean `busy`?
        "#]],
    );
}

#[test]
fn words_of_other_languages_for_values() {
    check(
        "byte x = NULL;\ninit { x = not }",
        expect![[r#"
        error: undeclared variable `NULL`
         --> model.pml:1:10
          |
        1 | byte x = NULL;
          |          ^^^^
          |
          = help: Promela has no pointers: numbers, `mtype` names and channels are its values

        error: undeclared variable `not`
         --> model.pml:2:12
          |
        2 | init { x = not }
          |            ^^^
          |
          = help: write `!`
    "#]],
    );
}

#[test]
fn a_mistyped_break_is_answered() {
    check(
        "init { do :: braek od }",
        expect![[r#"
        error: undeclared variable `braek`
         --> model.pml:1:14
          |
        1 | init { do :: braek od }
          |              ^^^^^
          |
          = help: did you mean `break`?
    "#]],
    );
}
