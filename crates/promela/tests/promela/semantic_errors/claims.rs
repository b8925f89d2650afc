//! Never claims, trace assertions, formulas: they only look on.

use super::{accept, check};
use expect_test::expect;

#[test]
fn fine() {
    accept("never { do :: np_ od }\ninit { skip }");
    accept("chan q = [1] of { byte };\nint x;\ntrace { do :: q!x :: q?_ od }\ninit { q!1 }");
}

#[test]
fn claim_that_acts() {
    check(
        "chan q = [1] of { byte };\nproctype P() { skip }\nnever { q!1; run P() }\ninit { skip }",
        expect![[r#"
            error: a never claim only looks on
             --> model.pml:3:9
              |
            3 | never { q!1; run P() }
              |         ^^^
              |
              = help: it has conditions and jumps; it cannot send, receive or start processes

            error: a never claim only looks on
             --> model.pml:3:14
              |
            3 | never { q!1; run P() }
              |              ^^^^^^^
              |
              = help: it has conditions and jumps; it cannot send, receive or start processes
        "#]],
    );
}

#[test]
fn claim_with_variables() {
    check(
        "never { int x; x == 1 }\ninit { skip }",
        expect![[r#"
            error: a claim or trace has no variables of its own
             --> model.pml:1:9
              |
            1 | never { int x; x == 1 }
              |         ^^^^^
              |
              = help: declare the variable outside
        "#]],
    );
}

#[test]
fn progress_outside_a_claim() {
    check(
        "init { assert(np_) }",
        expect![[r#"
            error: `np_` outside a never claim or ltl formula
             --> model.pml:1:14
              |
            1 | init { assert(np_) }
              |              ^^^^^
              |
              = help: whether progress is made is a question about the whole system
        "#]],
    );
}

#[test]
fn two_traces() {
    check(
        "chan q = [1] of { byte };\ntrace { q!1 }\nnotrace { q!1 }\ninit { q!1 }",
        expect![[r#"
        error: only one trace or notrace assertion can be used
         --> model.pml:3:1
          |
        3 | notrace { q!1 }
          | ^^^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn no_events() {
    check(
        "chan q = [1] of { byte };\ntrace { q!1; skip; printf(\"x\"); q!!1; q?<1>; atomic { q?1 } }\ninit { q!1 }",
        expect![[r#"
            error: this is not an event that a trace assertion can follow
             --> model.pml:2:14
              |
            2 | trace { q!1; skip; printf("x"); q!!1; q?<1>; atomic { q?1 } }
              |              ^^^^
              |
              = help: a trace consists of `channel!message` and `channel?message`, in loops, choices and jumps

            error: this is not an event that a trace assertion can follow
             --> model.pml:2:20
              |
            2 | trace { q!1; skip; printf("x"); q!!1; q?<1>; atomic { q?1 } }
              |                    ^^^^^^^^^^^
              |
              = help: a trace consists of `channel!message` and `channel?message`, in loops, choices and jumps

            error: this is not an event that a trace assertion can follow
             --> model.pml:2:33
              |
            2 | trace { q!1; skip; printf("x"); q!!1; q?<1>; atomic { q?1 } }
              |                                 ^^^^
              |
              = help: a trace consists of `channel!message` and `channel?message`, in loops, choices and jumps

            error: this is not an event that a trace assertion can follow
             --> model.pml:2:39
              |
            2 | trace { q!1; skip; printf("x"); q!!1; q?<1>; atomic { q?1 } }
              |                                       ^^^^^
              |
              = help: a trace consists of `channel!message` and `channel?message`, in loops, choices and jumps

            error: this is not an event that a trace assertion can follow
             --> model.pml:2:46
              |
            2 | trace { q!1; skip; printf("x"); q!!1; q?<1>; atomic { q?1 } }
              |                                              ^^^^^^^^^^^^^^
              |
              = help: a trace consists of `channel!message` and `channel?message`, in loops, choices and jumps
        "#]],
    );
}

#[test]
fn trace_with_variables() {
    check(
        "chan q = [1] of { byte };\ntrace { int x; q!x }\ninit { q!1 }",
        expect![[r#"
            error: a claim or trace has no variables of its own
             --> model.pml:2:9
              |
            2 | trace { int x; q!x }
              |         ^^^^^
              |
              = help: declare the variable outside
        "#]],
    );
}

#[test]
fn trace_of_a_local_channel() {
    check(
        "init { chan q = [1] of { byte }; q!1 }\nchan r;\ntrace { r!1 }",
        expect![[r#"
            error: a trace assertion can only follow channels that are declared globally
             --> model.pml:3:9
              |
            3 | trace { r!1 }
              |         ^
              |
              = help: declare the channel with its capacity outside all processes
        "#]],
    );
}

#[test]
fn formula_named_twice() {
    check(
        "ltl p { [] true }\nltl p { <> true }\ninit { skip }",
        expect![[r#"
        error: two ltl properties are named `p`
         --> model.pml:2:1
          |
        2 | ltl p { <> true }
          | ^^^^^^^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn unknown_name_in_a_formula() {
    check(
        "ltl { [] x }\ninit { skip }",
        expect![[r#"
        error: undeclared variable `x`
         --> model.pml:1:10
          |
        1 | ltl { [] x }
          |          ^
    "#]],
    );
}
