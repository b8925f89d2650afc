//! What is allowed but incomplete: located warnings.

use super::check;
use expect_test::expect;

#[test]
fn received_but_never_sent() {
    check(
        "\
channel c[1];
proc p { c!m }
proc q { do :: c?m :: c?n -> skip :: c?n od }
",
        expect![[r#"
            warning[unused-message]: message `n` can be received from `c`, but is never sent to it
             --> model.argos:3:23
              |
            3 | proc q { do :: c?m :: c?n -> skip :: c?n od }
              |                       ^^^
              |
              = help: and in one more place
        "#]],
    );
}

#[test]
fn sent_but_never_received() {
    check(
        "\
channel c[1];
proc p { c!m; c!n }
proc q { do :: c?m od }
",
        expect![[r#"
            warning[unused-message]: message `n` is sent to `c`, but never received from it
             --> model.argos:2:15
              |
            2 | proc p { c!m; c!n }
              |               ^^^
        "#]],
    );
}

#[test]
fn never_read() {
    check(
        "\
channel c[1];
proc p { c!m }
",
        expect![[r#"
            warning[unused-channel]: channel `c` is never read: what is sent to it stays there
             --> model.argos:1:9
              |
            1 | channel c[1];
              |         ^
            2 | proc p { c!m }
              |          --- a message is sent to it here
        "#]],
    );
}

#[test]
fn never_written() {
    check(
        "\
channel c[1];
proc p { c?m }
",
        expect![[r#"
            warning[unused-channel]: channel `c` is never written: nothing can be received from it
             --> model.argos:1:9
              |
            1 | channel c[1];
              |         ^
            2 | proc p { c?m }
              |          --- it is read here
        "#]],
    );
}

#[test]
fn never_used() {
    check(
        "\
channel c[1], d[1];
proc p { c!m }
proc q { c?m }
",
        expect![[r#"
            warning[unused-channel]: channel `d` is never used
             --> model.argos:1:15
              |
            1 | channel c[1], d[1];
              |               ^
        "#]],
    );
}

#[test]
fn unreachable() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { do :: c!m :: c!n od; c!m; c!n; L: c!m; goto L }
",
        expect![[r#"
            warning[unreachable-statement]: this statement of `p` cannot be reached
             --> model.argos:3:31
              |
            3 | proc p { do :: c!m :: c!n od; c!m; c!n; L: c!m; goto L }
              |                               ^^^
        "#]],
    );
}

#[test]
fn behind_a_jump() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { L: c!m; if :: c!n -> goto L; c!m fi }
",
        expect![[r#"
            warning[unreachable-statement]: this statement of `p` cannot be reached
             --> model.argos:3:39
              |
            3 | proc p { L: c!m; if :: c!n -> goto L; c!m fi }
              |                                       ^^^
        "#]],
    );
}

#[test]
fn a_condition_that_never_holds() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { if :: (1 > 2) -> c!m :: c!n; c!m fi }
",
        expect![[r#"
            warning[always-false]: this condition never holds: nothing behind it can be reached
             --> model.argos:3:16
              |
            3 | proc p { if :: (1 > 2) -> c!m :: c!n; c!m fi }
              |                ^^^^^^^
        "#]],
    );
}

#[test]
fn a_default_that_is_never_taken() {
    check(
        "\
channel c[1];
proc p { c!m; c!n }
proc q { do :: c?m :: c?n :: c?default od }
",
        expect![[r#"
            warning[unreachable-statement]: this `default` can never be taken: the other options name every message
             --> model.argos:3:30
              |
            3 | proc q { do :: c?m :: c?n :: c?default od }
              |                              ^^^^^^^^^
        "#]],
    );
}

#[test]
fn a_procedure_that_is_never_called() {
    check(
        "\
channel c[1];
proc q { do :: c?m :: c?n od }
proc p { c!m; c!n }
proc go() { c!m }
",
        expect![[r#"
            warning[unused-procedure]: procedure `go` is never called
             --> model.argos:4:6
              |
            4 | proc go() { c!m }
              |      ^^
              |
              = help: without the `()` it would be a process: `proc go { … }`
        "#]],
    );
}
