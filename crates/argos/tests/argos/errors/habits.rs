//! What beginners, and people who come from other languages, are told.

use super::check;
use expect_test::expect;

#[test]
fn a_body_that_is_not_closed() {
    check(
        "channel c[1];\nproc A {\n  c!m;\nproc B { c?m }",
        expect![[r#"
        error: expected `;`, `->` or `}` after a statement, found `proc`
         --> model.argos:4:1
          |
        2 | proc A {
          |        - this `{` is not closed
        3 |   c!m;
        4 | proc B { c?m }
          | ^^^^
    "#]],
    );
    check(
        "channel c[1];\nproc A { c!m",
        expect![[r#"
        error: expected `;`, `->` or `}` after a statement, found the end of the text
         --> model.argos:2:13
          |
        2 | proc A { c!m
          |        -    ^
          |        |
          |        this `{` is not closed
    "#]],
    );
    check(
        "channel c[1];\nproc A {\n  do :: c!m\n}\nassert {\n  c!m\n",
        expect![[r#"
        error: expected `::` or `od`, found `}`
         --> model.argos:4:1
          |
        3 |   do :: c!m
          |   -- `od` closes this
        4 | }
          | ^

        error: expected `;`, `->` or `}` after a statement, found the end of the text
         --> model.argos:6:6
          |
        5 | assert {
          |        - this `{` is not closed
        6 |   c!m
          |      ^
    "#]],
    );
}

#[test]
fn words_of_other_languages() {
    check(
        "chan c[1];\nproc A { c!m }",
        expect![[r#"
        error: expected `channel`, `proc` or `assert`, found `chan`
         --> model.argos:1:1
          |
        1 | chan c[1];
          | ^^^^
          |
          = help: there is no `chan` in Argos: a channel is declared with its size: `channel c[1];`
    "#]],
    );
    check(
        "proctype A { skip }",
        expect![[r#"
        error: expected `channel`, `proc` or `assert`, found `proctype`
         --> model.argos:1:1
          |
        1 | proctype A { skip }
          | ^^^^^^^^
          |
          = help: there is no `proctype` in Argos: a process is declared with `proc A { … }`
    "#]],
    );
    check(
        "proc A { var x; while (x < 3) { x = x + 1 } }",
        expect![[r#"
            error: `while` is no statement
             --> model.argos:1:17
              |
            1 | proc A { var x; while (x < 3) { x = x + 1 } }
              |                 ^^^^^
              |
              = help: there is no `while` in Argos: a loop is written `do :: x < 3 -> … :: x >= 3 -> break od`
        "#]],
    );
    check(
        "proc A { var x; whlie x < 3 { x = x + 1 } }",
        expect![[r#"
            error: expected `;` or `->` after a statement, found `x`
             --> model.argos:1:23
              |
            1 | proc A { var x; whlie x < 3 { x = x + 1 } }
              |                       ^
              |
              = help: did you mean `while`? There is none in Argos: a loop is written `do :: x < 3 -> … :: x >= 3 -> break od`
        "#]],
    );
    check(
        "proc A { var x; whlie (x < 3) }",
        expect![[r#"
        error: `whlie` is no statement
         --> model.argos:1:17
          |
        1 | proc A { var x; whlie (x < 3) }
          |                 ^^^^^
          |
          = help: did you mean `while`? There is none in Argos: a loop is written `do :: x < 3 -> … :: x >= 3 -> break od`
    "#]],
    );
}

#[test]
fn counting() {
    check(
        "proc A { var x; x++; x--; x += 2 }",
        expect![[r#"
        error: expected `;` or `->` after a statement, found `++`
         --> model.argos:1:18
          |
        1 | proc A { var x; x++; x--; x += 2 }
          |                  ^^
          |
          = help: there is no `++` in Argos: write `x = x + 1`

        error: expected `;` or `->` after a statement, found `--`
         --> model.argos:1:23
          |
        1 | proc A { var x; x++; x--; x += 2 }
          |                       ^^
          |
          = help: there is no `--` in Argos: write `x = x - 1`

        error: there is no `+=` in Argos
         --> model.argos:1:29
          |
        1 | proc A { var x; x++; x--; x += 2 }
          |                             ^
          |
          = help: write `x = x + …`
    "#]],
    );
}

#[test]
fn names_that_are_mistyped() {
    check(
        "channel requests[1];\nproc A { var count; conut = 1; reqests!m; start: skip; goto strat }",
        expect![[r#"
            error: there is no variable `conut` here
             --> model.argos:2:21
              |
            2 | proc A { var count; conut = 1; reqests!m; start: skip; goto strat }
              |                     ^^^^^
              |
              = help: did you mean `count`?

            error: there is no channel `reqests`
             --> model.argos:2:32
              |
            2 | proc A { var count; conut = 1; reqests!m; start: skip; goto strat }
              |                                ^^^^^^^
              |
              = help: did you mean `requests`?

            error: there is no label `strat` in this body
             --> model.argos:2:61
              |
            2 | proc A { var count; conut = 1; reqests!m; start: skip; goto strat }
              |                                                             ^^^^^
              |
              = help: did you mean `start`?
        "#]],
    );
}

#[test]
fn signs_that_are_missing_or_too_many() {
    check(
        "channel c[1];\nproc A { var n; n := 1; if (n > 0) c!go; fi }\nproc B { c?go }",
        expect![[r#"
            error: an assignment is written `=`, not `:=`
             --> model.argos:2:19
              |
            2 | proc A { var n; n := 1; if (n > 0) c!go; fi }
              |                   ^

            error: expected `::` before the first option of `if`, found `(`
             --> model.argos:2:28
              |
            2 | proc A { var n; n := 1; if (n > 0) c!go; fi }
              |                            ^
              |
              = help: each option begins with `::`, also the first: `:: x > 0 -> …`
        "#]],
    );
    check(
        "channel c[1];\nproc A { c!1 }\nproc B { c?1 }",
        expect![[r#"
        error: expected the name of a message, found `1`
         --> model.argos:2:12
          |
        2 | proc A { c!1 }
          |            ^
          |
          = help: a message has a name, and may carry a value: `c!data(1)`, `c?data(x)`

        error: expected the name of a message, found `1`
         --> model.argos:3:12
          |
        3 | proc B { c?1 }
          |            ^
          |
          = help: a message has a name, and may carry a value: `c!data(1)`, `c?data(x)`
    "#]],
    );
}
