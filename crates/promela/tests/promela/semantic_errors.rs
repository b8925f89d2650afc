//! What is wrong with a text that parses: each message as it is shown. SPIN rejects the same (unless a test says so).

mod claims;
mod control;
mod declarations;
mod limits;
mod messages;
mod names;
mod processes;
mod slips;
mod warnings;

use expect_test::Expect;
use panoptes_model::verify;
use panoptes_promela::{lower, parse_str};
use panoptes_source::{Diagnostic, render};

/// Everything the front end says about a text without syntax errors.
fn shown(text: &str) -> String {
    let (sources, module, mut diagnostics) = parse_str(text);
    assert!(!diagnostics.iter().any(Diagnostic::is_error), "{diagnostics:?}");
    let lowered = lower(&module, &sources, "model.pml");
    diagnostics.extend(lowered.diagnostics);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(failed, lowered.model.is_none());
    if let Some(model) = &lowered.model {
        assert_eq!(verify(model), []);
    }
    let shown: Vec<String> = diagnostics.iter().map(|d| render(&sources, d, false)).collect();
    shown.join("\n")
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&shown(text));
}

/// Nothing is wrong with the text.
fn accept(text: &str) {
    assert_eq!(shown(text), "");
}

/// The front end goes on: every mistake is told, in the order of the text, and none of their consequences.
#[test]
fn many_errors_at_once() {
    let text = "\
mtype = { A, B, A };
int x, a[0];
unsigned u;
chan q = [70000] of { byte };
typedef T { int f };
T t;
active proctype P(int x) {
    int i;
    i = y + t.g;
    a[1] = u;
    q!1;
    t = 1;
    goto nowhere;
    run Q(i);
    L: A = 3;
    L: break
}
never { q!1 }
ltl p { [] z }
";
    check(
        text,
        expect_test::expect![[r#"
            error: `A` is declared twice
             --> model.pml:1:17
              |
            1 | mtype = { A, B, A };
              |           -     ^
              |           |
              |           first declared here

            error: an array cannot have 0 elements
             --> model.pml:2:10
              |
            2 | int x, a[0];
              |          ^
              |
              = help: it has at least one

            error: unsigned without a width
             --> model.pml:3:10
              |
            3 | unsigned u;
              |          ^
              |
              = help: write `unsigned u : 4` for four bits

            error: a channel cannot hold 70000 messages
             --> model.pml:4:11
              |
            4 | chan q = [70000] of { byte };
              |           ^^^^^
              |
              = help: it holds 0 to 65535

            error: `x` is declared twice
             --> model.pml:7:23
              |
            2 | int x, a[0];
              |     - first declared here
            ...
            7 | active proctype P(int x) {
              |                       ^
              |
              = help: a name may not be used again where the first one is still visible

            error: undeclared variable `y`
             --> model.pml:9:9
              |
            9 |     i = y + t.g;
              |         ^

            error: `t` has no field `g`
             --> model.pml:9:15
              |
            9 |     i = y + t.g;
              |               ^
              |
              = help: `T` has the fields f

            error: `t` is a whole record, not a single value
              --> model.pml:12:5
               |
            12 |     t = 1;
               |     ^
               |
               = help: name one of its fields, such as `t.f`

            error: there is no label `nowhere` in this process
              --> model.pml:13:10
               |
            13 |     goto nowhere;
               |          ^^^^^^^
               |
               = help: a jump stays inside its process

            error: there is no proctype `Q`
              --> model.pml:14:9
               |
            14 |     run Q(i);
               |         ^
               |
               = help: the process types are P

            error: `A` is a constant
              --> model.pml:15:8
               |
            15 |     L: A = 3;
               |        ^
               |
               = help: an mtype name stands for its number and never changes

            error: `break` outside a loop
              --> model.pml:16:8
               |
            16 |     L: break
               |        ^^^^^
               |
               = help: it leaves the innermost `do` or `for`

            error: a never claim only looks on
              --> model.pml:18:9
               |
            18 | never { q!1 }
               |         ^^^
               |
               = help: it has conditions and jumps; it cannot send, receive or start processes

            error: undeclared variable `z`
              --> model.pml:19:12
               |
            19 | ltl p { [] z }
               |            ^
        "#]],
    );
}
