//! What an assertion may say.

use super::{accept, check};
use expect_test::expect;

#[test]
fn a_variable() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
assert { x = 1; c!m; c!n }
",
        expect![[r#"
            error: an assignment cannot stand in an assertion
             --> model.argos:4:10
              |
            4 | assert { x = 1; c!m; c!n }
              |          ^^^^^
              |
              = help: an assertion speaks of sends and receives only
        "#]],
    );
}

#[test]
fn a_condition() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
assert { (1 > 0); c!m; c!n }
",
        expect![[r#"
            error: a condition cannot stand in an assertion
             --> model.argos:4:10
              |
            4 | assert { (1 > 0); c!m; c!n }
              |          ^^^^^^^
              |
              = help: an assertion speaks of sends and receives only
        "#]],
    );
}

#[test]
fn a_value() {
    check(
        "\
channel c[1];
proc p { c!m(1) }
proc q { var v; c?m(v) }
assert { c!m(1) }
assert { c?m(v) }
",
        expect![[r#"
            error: an assertion names messages, not their values
             --> model.argos:4:14
              |
            4 | assert { c!m(1) }
              |              ^
              |
              = help: leave the value out

            error: an assertion names messages, not their values
             --> model.argos:5:14
              |
            5 | assert { c?m(v) }
              |              ^
              |
              = help: leave the value out
        "#]],
    );
}

#[test]
fn default_and_timeout() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
assert { do :: c?default od }
assert { do :: c?timeout od }
",
        expect![[r#"
            error: an assertion cannot speak of `default`
             --> model.argos:4:18
              |
            4 | assert { do :: c?default od }
              |                  ^^^^^^^
              |
              = help: it names the messages that are sent and received

            error: an assertion cannot speak of `timeout`
             --> model.argos:5:18
              |
            5 | assert { do :: c?timeout od }
              |                  ^^^^^^^
              |
              = help: it names the messages that are sent and received
        "#]],
    );
}

#[test]
fn a_declaration() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
assert { var x; c!m }
",
        expect![[r#"
            error: an assertion declares nothing
             --> model.argos:4:10
              |
            4 | assert { var x; c!m }
              |          ^^^
              |
              = help: it speaks of the messages that processes exchange
        "#]],
    );
}

#[test]
fn a_procedure_with_variables() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n; go() }
proc go() { var x; skip }
assert { c!m; go() }
",
        expect![[r#"
            error: a procedure with variables cannot stand in an assertion
             --> model.argos:5:15
              |
            5 | assert { c!m; go() }
              |               ^^^^
              |
              = help: an assertion speaks of sends and receives only
        "#]],
    );
}

#[test]
fn a_channel_that_is_not_there_either() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
assert { d!m }
",
        expect![[r#"
            error: there is no channel `d`
             --> model.argos:4:10
              |
            4 | assert { d!m }
              |          ^
              |
              = help: declare it: `channel d[1];`, or `queue` in the process that reads it
        "#]],
    );
}

#[test]
fn two_of_one_name() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
assert good { c!m; c!n }
assert good { c!n }
",
        expect![[r#"
            error: there are two assertions called `good`
             --> model.argos:5:1
              |
            4 | assert good { c!m; c!n }
              | ----------- the first is here
            5 | assert good { c!n }
              | ^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn nothing_is_said() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
assert { do :: skip :: break od }
",
        expect![[r#"
            warning[vacuous-assertion]: this assertion names no message: it says nothing
             --> model.argos:4:1
              |
            4 | assert { do :: skip :: break od }
              | ^^^^^^
        "#]],
    );
}

#[test]
fn a_message_that_never_comes() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
assert { c!x; c?y }
",
        expect![[r#"
            warning[unused-message]: `assert` names `c!x`, which no process ever sends
             --> model.argos:4:10
              |
            4 | assert { c!x; c?y }
              |          ^^^

            warning[unused-message]: `assert` names `c?y`, which no process ever receives
             --> model.argos:4:15
              |
            4 | assert { c!x; c?y }
              |               ^^^
        "#]],
    );
}

#[test]
fn procedures_and_jumps() {
    accept(
        "\
channel c[1];
proc p { do :: pair() od }
proc pair() { c!m; c!n }
proc q { do :: c?m :: c?n od }
assert { again: pair(); goto again }
assert { do :: c?m; if :: c?n :: goto out fi od; out: skip }
",
    );
}
