//! The form of the text.

use super::{accept, check};
use expect_test::expect;

#[test]
fn an_item_that_is_none() {
    check(
        "\
junk c[1];
proc p { skip }
",
        expect![[r#"
            error: expected `channel`, `proc` or `assert`, found `junk`
             --> model.argos:1:1
              |
            1 | junk c[1];
              | ^^^^
        "#]],
    );
}

#[test]
fn a_channel_without_a_size() {
    check(
        "\
channel c;
proc p { c!m }
",
        expect![[r#"
            error: channel `c` has no size
             --> model.argos:1:9
              |
            1 | channel c;
              |         ^
              |
              = help: write `c[1]` for a channel that holds one message
        "#]],
    );
}

#[test]
fn a_size_that_is_no_constant() {
    check(
        "\
channel c[n];
proc p { var n; c!m }
proc q { c?m }
",
        expect![[r#"
            error: the size of a channel must be a constant
             --> model.argos:1:11
              |
            1 | channel c[n];
              |           ^
        "#]],
    );
}

#[test]
fn a_size_of_zero() {
    check(
        "\
channel c[0];
proc p { c!m }
proc q { c?m }
",
        expect![[r#"
            error: channel `c` has no room for a message
             --> model.argos:1:11
              |
            1 | channel c[0];
              |           ^
              |
              = help: messages are always stored: the smallest channel has size 1
        "#]],
    );
}

#[test]
fn a_size_beyond_all_bounds() {
    check(
        "\
channel c[100000];
proc p { c!m }
proc q { c?m }
",
        expect![[r#"
            error: channel `c` cannot have size 100000
             --> model.argos:1:11
              |
            1 | channel c[100000];
              |           ^^^^^^
              |
              = help: a size is between 1 and 10000
        "#]],
    );
}

#[test]
fn more_messages_than_room() {
    check(
        "\
channel c[1] = { m, m(2) };
proc p { c?m; c?m }
",
        expect![[r#"
            error: channel `c` has room for 1 message, not for 2
             --> model.argos:1:21
              |
            1 | channel c[1] = { m, m(2) };
              |         -           ^
              |         |
              |         declared here
        "#]],
    );
}

#[test]
fn an_initial_value_that_is_no_constant() {
    check(
        "\
channel c[1] = { m(x) };
proc p { var x = x + 1; c?m(x) }
",
        expect![[r#"
            error: an initial value must be a constant
             --> model.argos:1:20
              |
            1 | channel c[1] = { m(x) };
              |                    ^
        "#]],
    );
}

#[test]
fn a_keyword_as_a_name() {
    check(
        "\
channel timeout[1];
proc p { skip }
",
        expect![[r#"
            error: `timeout` is a keyword and cannot be the name of a channel
             --> model.argos:1:9
              |
            1 | channel timeout[1];
              |         ^^^^^^^
        "#]],
    );
}

#[test]
fn a_statement_that_is_none() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; = 3; c!n }
",
        expect![[r#"
            error: expected a statement in the body of `p`, found `=`
             --> model.argos:3:15
              |
            3 | proc p { c!m; = 3; c!n }
              |               ^
        "#]],
    );
}

#[test]
fn a_missing_separator() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m c!n }
",
        expect![[r#"
            error: expected `;` or `->` after a statement, found `c`
             --> model.argos:3:14
              |
            3 | proc p { c!m c!n }
              |              ^
        "#]],
    );
}

#[test]
fn a_missing_fi() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { if :: c!m -> c!n }
",
        expect![[r#"
            error: expected `::` or `fi`, found `}`
             --> model.argos:3:27
              |
            3 | proc p { if :: c!m -> c!n }
              |          --               ^
              |          |
              |          `fi` closes this
        "#]],
    );
}

#[test]
fn a_choice_without_options() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { do c!m od; c!n }
",
        expect![[r#"
            error: expected `::` before the first option of `do`, found `c`
             --> model.argos:3:13
              |
            3 | proc p { do c!m od; c!n }
              |             ^
              |
              = help: each option begins with `::`, also the first: `:: x > 0 -> …`
        "#]],
    );
}

#[test]
fn an_empty_option() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { if :: :: c!m fi; c!n }
",
        expect![[r#"
            error: this option has no statement
             --> model.argos:3:13
              |
            3 | proc p { if :: :: c!m fi; c!n }
              |             ^^
              |
              = help: write `skip` if there is nothing to do
        "#]],
    );
}

#[test]
fn a_label_without_a_statement() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n; end: }
",
        expect![[r#"
            error: expected a statement after the label
             --> model.argos:3:25
              |
            3 | proc p { c!m; c!n; end: }
              |                         ^
              |
              = help: a label names the statement behind it: write `skip` if there is nothing to do
        "#]],
    );
}

#[test]
fn there_is_no_else() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { var x; if :: (x > 0) -> c!m :: else -> c!n fi }
",
        expect![[r#"
            error: there is no `else` in Argos
             --> model.argos:3:41
              |
            3 | proc p { var x; if :: (x > 0) -> c!m :: else -> c!n fi }
              |                                         ^^^^
              |
              = help: write the opposite of the other conditions, or `c?default` for all other messages
        "#]],
    );
}

#[test]
fn a_bare_timeout() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { do :: timeout -> c!m :: c!n od }
",
        expect![[r#"
            error: `timeout` is not a statement
             --> model.argos:3:16
              |
            3 | proc p { do :: timeout -> c!m :: c!n od }
              |                ^^^^^^^
              |
              = help: write `c?timeout` with the channel that it is about
        "#]],
    );
}

#[test]
fn sending_what_can_only_be_met() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n; c!default }
",
        expect![[r#"
            error: `default` cannot be sent
             --> model.argos:3:22
              |
            3 | proc p { c!m; c!n; c!default }
              |                      ^^^^^^^
              |
              = help: it stands for what a process can meet at a channel that it reads
        "#]],
    );
}

#[test]
fn a_value_of_default() {
    check(
        "\
channel c[1];
proc q { var v; do :: c?default(v) od }
proc p { c!m(1) }
",
        expect![[r#"
            error: `default` brings no value
             --> model.argos:2:32
              |
            2 | proc q { var v; do :: c?default(v) od }
              |                                ^
              |
              = help: name the message whose value is wanted: `c?m(v)`
        "#]],
    );
}

#[test]
fn a_received_value_goes_to_a_variable() {
    check(
        "\
channel c[1];
proc q { c?m(3) }
proc p { c!m(3) }
",
        expect![[r#"
            error: a received value goes to a variable
             --> model.argos:2:14
              |
            2 | proc q { c?m(3) }
              |              ^
              |
              = help: receive it into a variable and test that in the next statement
        "#]],
    );
}

#[test]
fn a_late_declaration() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; var x; c!n }
",
        expect![[r#"
            error: declarations come before the first statement
             --> model.argos:3:15
              |
            3 | proc p { c!m; var x; c!n }
              |               ^^^
              |
              = help: move it to the start of the body
        "#]],
    );
}

#[test]
fn a_global_variable() {
    check(
        "\
var x;
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
",
        expect![[r#"
            error: there are no global variables in Argos
             --> model.argos:1:1
              |
            1 | var x;
              | ^^^
              |
              = help: declare it inside the process that uses it; processes share nothing but channels
        "#]],
    );
}

#[test]
fn parameters() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc send(x) { c!m; c!n }
proc p { send(3) }
",
        expect![[r#"
            error: procedures have no parameters
             --> model.argos:3:11
              |
            3 | proc send(x) { c!m; c!n }
              |           ^
              |
              = help: a procedure sees the variables of the process that calls it; or use a macro

            error: `send` is no statement
             --> model.argos:4:10
              |
            4 | proc p { send(3) }
              |          ^^^^
              |
              = help: there is no `send` in Argos: a message is sent with `channel!message`
        "#]],
    );
}

#[test]
fn a_number_that_does_not_fit() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { var x = 99999999999; c!m; c!n }
",
        expect![[r#"
            error: `99999999999` is not a number that fits
             --> model.argos:3:18
              |
            3 | proc p { var x = 99999999999; c!m; c!n }
              |                  ^^^^^^^^^^^
              |
              = help: numbers are decimal; values are kept modulo 32768
        "#]],
    );
}

#[test]
fn a_character_that_means_nothing() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; $ c!n }
",
        expect![[r#"
            error: the character `$` means nothing in Argos
             --> model.argos:3:15
              |
            3 | proc p { c!m; $ c!n }
              |               ^
        "#]],
    );
}

#[test]
fn an_unclosed_body() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n
",
        expect![[r#"
            error: expected `;`, `->` or `}` after a statement, found the end of the text
             --> model.argos:3:18
              |
            3 | proc p { c!m; c!n
              |        -         ^
              |        |
              |        this `{` is not closed
        "#]],
    );
}

#[test]
fn several_errors_at_once() {
    check(
        "\
channel c, d[1];
proc p { d!; c?x y; z = }
proc q { d?m; if fi }
",
        expect![[r#"
            error: channel `c` has no size
             --> model.argos:1:9
              |
            1 | channel c, d[1];
              |         ^
              |
              = help: write `c[1]` for a channel that holds one message

            error: expected the name of a message, found `;`
             --> model.argos:2:12
              |
            2 | proc p { d!; c?x y; z = }
              |            ^

            error: expected `;` or `->` after a statement, found `y`
             --> model.argos:2:18
              |
            2 | proc p { d!; c?x y; z = }
              |                  ^

            error: expected an expression, found `}`
             --> model.argos:2:25
              |
            2 | proc p { d!; c?x y; z = }
              |                         ^

            error: expected `::` before the first option of `if`, found `fi`
             --> model.argos:3:18
              |
            3 | proc q { d?m; if fi }
              |                  ^^
              |
              = help: each option begins with `::`, also the first: `:: x > 0 -> …`
        "#]],
    );
}

#[test]
fn values_beyond_their_range() {
    check(
        "\
channel c[1];
proc p { var x = 40000; x = -1; c!m(32768) }
proc q { var y; c?m(y) }
",
        expect![[r#"
            warning[value-too-large]: 40000 is kept as 7232: values are modulo 32768
             --> model.argos:2:18
              |
            2 | proc p { var x = 40000; x = -1; c!m(32768) }
              |                  ^^^^^

            warning[value-too-large]: 32768 is kept as 0: values are modulo 32768
             --> model.argos:2:37
              |
            2 | proc p { var x = 40000; x = -1; c!m(32768) }
              |                                     ^^^^^
        "#]],
    );
}

#[test]
fn both_dialects() {
    accept(
        "\
channel c[2];
proc p { pvar x = 1; do :: (x ≠ 3) → x = x + 1; c!m(x) :: (x ≥ 3) -> break od }
proc q { queue d[1]; var y; do :: c?m(y) ; d!n :: d?n od }
",
    );
}

#[test]
fn separators_may_be_too_many() {
    accept(
        "\
channel c[1];
proc p { ; c!m; ; c!m -> }
proc q { do :: c?m; od }
",
    );
}

#[test]
fn a_procedure_returns_no_value() {
    check(
        "\
channel c[1];
proc p { c!return; f(); g() }
proc q { c?return }
proc f() { return; skip }
proc g() { return 1; return(x) }
",
        expect![[r#"
            error: a procedure returns no value
             --> model.argos:5:19
              |
            5 | proc g() { return 1; return(x) }
              |                   ^
              |
              = help: assign it to a variable of the process that calls, which the procedure sees

            error: a procedure returns no value
             --> model.argos:5:28
              |
            5 | proc g() { return 1; return(x) }
              |                            ^
              |
              = help: assign it to a variable of the process that calls, which the procedure sees
        "#]],
    );
}

#[test]
fn return_stands_in_no_procedure() {
    check(
        "\
channel c[1];
proc p { if :: c!return -> return :: c!m fi; f() }
proc q { do :: c?return :: c?m od }
proc f() { return; c!m }
assert { c!m; return }
",
        expect![[r#"
            error: `return` stands in no procedure
             --> model.argos:2:28
              |
            2 | proc p { if :: c!return -> return :: c!m fi; f() }
              |                            ^^^^^^
              |
              = help: it leads back to where the procedure was called; a process ends where its text ends

            error: `return` stands in no procedure
             --> model.argos:5:15
              |
            5 | assert { c!m; return }
              |               ^^^^^^
              |
              = help: it leads back to where the procedure was called; a process ends where its text ends
        "#]],
    );
}
