//! Names, readers and procedures.

use super::{accept, check};
use expect_test::expect;

#[test]
fn a_channel_that_is_not_there() {
    check(
        "\
proc p { c!m }
",
        expect![[r#"
            error: there is no channel `c`
             --> model.argos:1:10
              |
            1 | proc p { c!m }
              |          ^
              |
              = help: declare it: `channel c[1];`, or `queue` in the process that reads it
        "#]],
    );
}

#[test]
fn two_channels_of_one_name() {
    check(
        "\
channel c[1];
proc p { queue c[2]; c?m }
proc q { c!m }
",
        expect![[r#"
            error: there are two channels called `c`
             --> model.argos:2:16
              |
            1 | channel c[1];
              |         - the first is here
            2 | proc p { queue c[2]; c?m }
              |                ^
        "#]],
    );
}

#[test]
fn a_variable_that_is_not_there() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n; x = y + 1; (z > 0) }
",
        expect![[r#"
            error: there is no variable `x` here
             --> model.argos:3:20
              |
            3 | proc p { c!m; c!n; x = y + 1; (z > 0) }
              |                    ^
              |
              = help: declare it at the start of the process: `var x;`

            error: there is no variable `y` here
             --> model.argos:3:24
              |
            3 | proc p { c!m; c!n; x = y + 1; (z > 0) }
              |                        ^
              |
              = help: declare it at the start of the process: `var y;`

            error: there is no variable `z` here
             --> model.argos:3:32
              |
            3 | proc p { c!m; c!n; x = y + 1; (z > 0) }
              |                                ^
              |
              = help: declare it at the start of the process: `var z;`
        "#]],
    );
}

#[test]
fn a_variable_of_another_process() {
    check(
        "\
channel c[1];
proc p { var x; c!m(x) }
proc q { c?m(x) }
",
        expect![[r#"
            error: there is no variable `x` here
             --> model.argos:3:14
              |
            3 | proc q { c?m(x) }
              |              ^
              |
              = help: declare it at the start of the process: `var x;`
        "#]],
    );
}

#[test]
fn two_variables_of_one_name() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { var x, x; c!m; c!n }
",
        expect![[r#"
            error: there are two variables called `x`
             --> model.argos:3:17
              |
            3 | proc p { var x, x; c!m; c!n }
              |                 ^
        "#]],
    );
}

#[test]
fn two_processes_of_one_name() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m }
proc p { c!n }
",
        expect![[r#"
            error: there are two processes or procedures called `p`
             --> model.argos:4:6
              |
            3 | proc p { c!m }
              |      - the first is here
            4 | proc p { c!n }
              |      ^
        "#]],
    );
}

#[test]
fn two_labels_of_one_name() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { L: c!m; do :: L: c!n od }
",
        expect![[r#"
            error: there are two labels called `L` in this body
             --> model.argos:3:24
              |
            3 | proc p { L: c!m; do :: L: c!n od }
              |          -             ^
              |          |
              |          the first is here
        "#]],
    );
}

#[test]
fn a_label_that_is_not_there() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { A: c!m; B: c!n; goto C }
",
        expect![[r#"
            error: there is no label `C` in this body
             --> model.argos:3:31
              |
            3 | proc p { A: c!m; B: c!n; goto C }
              |                               ^
              |
              = help: there is A, B
        "#]],
    );
}

#[test]
fn break_outside_a_loop() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; if :: c!n -> break fi }
",
        expect![[r#"
            error: `break` stands in no loop
             --> model.argos:3:28
              |
            3 | proc p { c!m; if :: c!n -> break fi }
              |                            ^^^^^
              |
              = help: it leaves the innermost `do` of the same body
        "#]],
    );
}

#[test]
fn two_readers() {
    check(
        "\
channel c[1];
proc p { c?m }
proc q { do :: c?m :: c?n od }
proc r { c!m; c!n }
",
        expect![[r#"
            error: channel `c` is read by both `p` and `q`
             --> model.argos:3:16
              |
            2 | proc p { c?m }
              |          --- `p` reads it here
            3 | proc q { do :: c?m :: c?n od }
              |                ^^^
              |
              = help: each channel has one reader: give one of them a channel of its own
        "#]],
    );
}

#[test]
fn a_reader_of_anothers_queue() {
    check(
        "\
proc p { queue c[1]; skip }
proc q { c?m }
proc r { c!m }
",
        expect![[r#"
            error: channel `c` is read by `q`, but declared inside `p`
             --> model.argos:2:10
              |
            1 | proc p { queue c[1]; skip }
              |                - declared here
            2 | proc q { c?m }
              |          ^^^
              |
              = help: a channel that is declared inside a process is read by that process
        "#]],
    );
}

#[test]
fn a_timeout_is_a_read() {
    check(
        "\
channel c[1];
proc p { c?m }
proc q { do :: c?timeout -> c!m od }
",
        expect![[r#"
            error: channel `c` is read by both `p` and `q`
             --> model.argos:3:16
              |
            2 | proc p { c?m }
              |          --- `p` reads it here
            3 | proc q { do :: c?timeout -> c!m od }
              |                ^^^^^^^^^
              |
              = help: each channel has one reader: give one of them a channel of its own
        "#]],
    );
}

#[test]
fn a_procedure_that_is_not_there() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n; go() }
",
        expect![[r#"
            error: there is no procedure `go`
             --> model.argos:3:20
              |
            3 | proc p { c!m; c!n; go() }
              |                    ^^
              |
              = help: declare it: `proc go() { … }`
        "#]],
    );
}

#[test]
fn a_procedure_that_calls_itself() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n; go() }
proc go() { c!m; go() }
",
        expect![[r#"
            error: procedure `go` calls itself
             --> model.argos:4:18
              |
            4 | proc go() { c!m; go() }
              |                  ^^
              |
              = help: a call is replaced by the body of the procedure, so there is no recursion: use a loop
        "#]],
    );
}

#[test]
fn procedures_in_a_circle() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n; ping() }
proc ping() { pong() }
proc pong() { do :: c!m :: pang() od }
proc pang() { ping() }
",
        expect![[r#"
            error: procedures call each other in a circle: `ping` calls `pong` calls `pang` calls `ping`
             --> model.argos:4:15
              |
            4 | proc ping() { pong() }
              |               ^^^^
            5 | proc pong() { do :: c!m :: pang() od }
              |                            ---- `pong` calls `pang` here
            6 | proc pang() { ping() }
              |               ---- `pang` calls `ping` here
              |
              = help: a call is replaced by the body of the procedure, so there is no recursion: use a loop
        "#]],
    );
}

#[test]
fn a_procedure_with_a_queue() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; go() }
proc go() { queue d[1]; c!n }
",
        expect![[r#"
            error: procedure `go` cannot declare the channel `d`
             --> model.argos:4:19
              |
            4 | proc go() { queue d[1]; c!n }
              |                   ^
              |
              = help: declare it in the process that reads it, or outside
        "#]],
    );
}

#[test]
fn break_out_of_a_procedure() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { do :: c!m; go() od }
proc go() { c!n; break }
",
        expect![[r#"
            error: `break` stands in no loop
             --> model.argos:4:18
              |
            4 | proc go() { c!n; break }
              |                  ^^^^^
              |
              = help: it leaves the innermost `do` of the same body
        "#]],
    );
}

#[test]
fn nobody_runs() {
    check(
        "\
proc a() { skip }
",
        expect![[r#"
            error: there is no process in this model
             --> model.argos:1:1
              |
            1 | proc a() { skip }
              | ^^^^^^^^
              |
              = help: `proc name { … }` is one, unless it is called as a procedure
        "#]],
    );
}

#[test]
fn procedures_that_grow_without_end() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { p1(); p1() }
proc p1() { p2(); p2(); c!m }
proc p2() { p3(); p3(); c!m }
proc p3() { p4(); p4(); c!m }
proc p4() { p5(); p5(); c!m }
proc p5() { p6(); p6(); c!m }
proc p6() { p7(); p7(); c!m }
proc p7() { p8(); p8(); c!m }
proc p8() { p9(); p9(); c!m }
proc p9() { p10(); p10(); c!m }
proc p10() { p11(); p11(); c!m }
proc p11() { p12(); p12(); c!m }
proc p12() { p13(); p13(); c!m }
proc p13() { p14(); p14(); c!m }
proc p14() { p15(); p15(); c!m }
proc p15() { p16(); p16(); c!m }
proc p16() { c!n }
",
        expect![[r#"
            error: this process has more than 50000 statements
              --> model.argos:17:21
               |
            17 | proc p14() { p15(); p15(); c!m }
               |                     ^^^^^
               |
               = help: each call of a procedure is a copy of its body
        "#]],
    );
}

#[test]
fn a_called_process_is_a_procedure() {
    accept(
        "\
channel c[1];
proc p { var x; twice(); twice() }
proc twice { var k = 2; do :: (k > 0) -> c!m(x); k = k - 1; x = x + 1 :: (k == 0) -> break od }
proc q { var y; do :: c?m(y) od }
",
    );
}
