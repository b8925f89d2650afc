//! What beginners, and people who come from other languages, are told.

use crate::common::errors;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

#[test]
fn comparisons_with_one_sign() {
    check(
        "byte n;\ninit { assert(n = 2) }",
        expect![[r#"
        error: `=` assigns a value: it is not a comparison
         --> model.pml:2:17
          |
        2 | init { assert(n = 2) }
          |                 ^
          |
          = help: write `==` to compare
    "#]],
    );
    check(
        "byte n;\ninit { assert n = 2; if :: (n = 1) -> skip fi }",
        expect![[r#"
        error: `=` assigns a value: it is not a comparison
         --> model.pml:2:17
          |
        2 | init { assert n = 2; if :: (n = 1) -> skip fi }
          |                 ^
          |
          = help: write `==` to compare

        error: `=` assigns a value: it is not a comparison
         --> model.pml:2:31
          |
        2 | init { assert n = 2; if :: (n = 1) -> skip fi }
          |                               ^
          |
          = help: write `==` to compare
    "#]],
    );
}

#[test]
fn loops_of_other_languages() {
    check(
        "byte n;\ninit {\n  while (n < 3) { n++ }\n}",
        expect![[r#"
        error: there is no `while` in Promela
         --> model.pml:3:3
          |
        3 |   while (n < 3) { n++ }
          |   ^^^^^
          |
          = help: a loop is written `do :: condition -> … :: else -> break od`
    "#]],
    );
    check(
        "byte n;\ninit {\n  while n < 3 { n++ }\n}",
        expect![[r#"
        error: there is no `while` in Promela
         --> model.pml:3:3
          |
        3 |   while n < 3 { n++ }
          |   ^^^^^
          |
          = help: a loop is written `do :: condition -> … :: else -> break od`
    "#]],
    );
    check(
        "byte n;\ninit {\n  whlie (n < 3) { n++ }\n}",
        expect![[r#"
        error: there is no inline `whlie`
         --> model.pml:3:3
          |
        3 |   whlie (n < 3) { n++ }
          |   ^^^^^
          |
          = help: did you mean `while`? Promela has none: a loop is written `do :: condition -> … :: else -> break od`
    "#]],
    );
    check(
        "byte n;\ninit { for (int i = 0; i < 3; i++) { n++ } }",
        expect![[r#"
        error: a variable cannot be declared inside `for`
         --> model.pml:2:13
          |
        2 | init { for (int i = 0; i < 3; i++) { n++ } }
          |             ^^^
          |
          = help: declare it before the loop, and write `for (i : 0 .. n - 1) { … }`
    "#]],
    );
    check(
        "byte n, i;\ninit { for (i = 0; i < 3; i++) { n++ } }",
        expect![[r#"
        error: a `for` counts through a range
         --> model.pml:2:15
          |
        2 | init { for (i = 0; i < 3; i++) { n++ } }
          |               ^
          |
          = help: declare it before the loop, and write `for (i : 0 .. n - 1) { … }`
    "#]],
    );
    check(
        "byte n;\ninit { do { n++ } while (n < 3) }",
        expect![[r#"
        error: expected `::` after `do`, found `{`
         --> model.pml:2:11
          |
        2 | init { do { n++ } while (n < 3) }
          |           ^
          |
          = help: a loop is written `do :: condition -> … :: else -> break od`
    "#]],
    );
}

#[test]
fn choices_of_other_languages() {
    check(
        "byte n;\ninit {\n  if (n == 0) { n = 1 } else { n = 2 }\n}",
        expect![[r#"
        error: expected `::` after `if`, found `(`
         --> model.pml:3:6
          |
        3 |   if (n == 0) { n = 1 } else { n = 2 }
          |      ^
          |
          = help: a choice is written `if :: condition -> … :: else -> … fi`
    "#]],
    );
    check(
        "byte n;\ninit {\n  if (n == 0) { n = 1 } else if (n == 1) { n = 2 }\n}",
        expect![[r#"
        error: expected `::` after `if`, found `(`
         --> model.pml:3:6
          |
        3 |   if (n == 0) { n = 1 } else if (n == 1) { n = 2 }
          |      ^
          |
          = help: a choice is written `if :: condition -> … :: else -> … fi`
    "#]],
    );
    check(
        "byte n;\ninit {\n  if\n  :: n == 0 -> n = 1\n  :: else if n == 1 -> n = 2\n  fi\n}",
        expect![[r#"
            error: expected `::` after `if`, found `n`
             --> model.pml:5:14
              |
            5 |   :: else if n == 1 -> n = 2
              |              ^
              |
              = help: instead of `else if` write one more option: `:: condition -> …`
        "#]],
    );
    check(
        "byte n;\ninit { switch (n) { case 1: skip } }",
        expect![[r#"
        error: there is no `switch` in Promela
         --> model.pml:2:8
          |
        2 | init { switch (n) { case 1: skip } }
          |        ^^^^^^
          |
          = help: a choice is written `if :: x == 1 -> … :: x == 2 -> … :: else -> … fi`
    "#]],
    );
    check(
        "byte x, y;\ninit { x = (y > 1) ? 2 : 3 }",
        expect![[r#"
        error: expected `;` or `->` between statements, found `?`
         --> model.pml:2:20
          |
        2 | init { x = (y > 1) ? 2 : 3 }
          |                    ^
          |
          = help: a choice between two values is written `(condition -> a : b)`
    "#]],
    );
}

#[test]
fn assignments_of_other_languages() {
    check(
        "byte count;\ninit { count += 1; count := 2 }",
        expect![[r#"
        error: there is no `+=` in Promela
         --> model.pml:2:14
          |
        2 | init { count += 1; count := 2 }
          |              ^^
          |
          = help: write `count = count + …`

        error: an assignment is written `=`, not `:=`
         --> model.pml:2:26
          |
        2 | init { count += 1; count := 2 }
          |                          ^^
    "#]],
    );
    check(
        "byte count, x;\ninit { x = count++; ++count }",
        expect![[r#"
        error: `count++` is a statement and has no value
         --> model.pml:2:17
          |
        2 | init { x = count++; ++count }
          |                 ^^
          |
          = help: write `count++` before or after, as a statement of its own

        error: `++` stands after its variable
         --> model.pml:2:21
          |
        2 | init { x = count++; ++count }
          |                     ^^
    "#]],
    );
}

#[test]
fn words_for_operators() {
    check(
        "byte x;\ninit { if :: x < 3 and x > 1 -> skip :: x mod 2 == 0 -> skip fi }",
        expect![[r#"
            error: expected `;` or `->` between statements, found `and`
             --> model.pml:2:20
              |
            2 | init { if :: x < 3 and x > 1 -> skip :: x mod 2 == 0 -> skip fi }
              |                    ^^^
              |
              = help: both conditions: write `&&`

            error: there is no type `x`
             --> model.pml:2:41
              |
            2 | init { if :: x < 3 and x > 1 -> skip :: x mod 2 == 0 -> skip fi }
              |                                         ^
              |
              = help: the remainder of a division is written `%`
        "#]],
    );
}

#[test]
fn ends_of_processes() {
    check(
        "init { return }",
        expect![[r#"
        error: there is nothing to return from
         --> model.pml:1:8
          |
        1 | init { return }
          |        ^^^^^^
          |
          = help: a process ends at the end of its body: put a label there and `goto` it; `return` stands in an inline that is called as `x = name(…)`
    "#]],
    );
    check(
        "byte x;\ninit { return 3; break }",
        expect![[r#"
        error: there is nothing to return from
         --> model.pml:2:8
          |
        2 | init { return 3; break }
          |        ^^^^^^
          |
          = help: a process ends at the end of its body: put a label there and `goto` it; `return` stands in an inline that is called as `x = name(…)`
    "#]],
    );
}

#[test]
fn separators_that_are_missing() {
    check(
        "byte x, y;\ninit {\n  run P()\n  x = 1;\n  (x == 1) y = 3\n}",
        expect![[r#"
        error: expected `;` or `->` between statements, found `y`
         --> model.pml:5:12
          |
        5 |   (x == 1) y = 3
          |            ^
    "#]],
    );
    check(
        "byte x;\ninit { atomic { x = 1 } x = 2 x = 3 }",
        expect![[r#"
        error: expected `;` or `->` between statements, found `x`
         --> model.pml:2:31
          |
        2 | init { atomic { x = 1 } x = 2 x = 3 }
          |                               ^
    "#]],
    );
}

#[test]
fn declarations_of_other_languages() {
    check(
        "integer x;\nconst int N = 3;\nboolean y;\ninit { skip }",
        expect![[r#"
        error: there is no `integer` in Promela
         --> model.pml:1:1
          |
        1 | integer x;
          | ^^^^^^^
          |
          = help: the type is called `int`

        error: expected a declaration or a process, found `const`
         --> model.pml:2:1
          |
        2 | const int N = 3;
          | ^^^^^
          |
          = help: a constant is a macro, `#define N 3`, or a name of an `mtype`

        error: there is no `boolean` in Promela
         --> model.pml:3:1
          |
        3 | boolean y;
          | ^^^^^^^
          |
          = help: the type is called `bool`
    "#]],
    );
    check(
        "void main() { skip }",
        expect![[r#"
        error: there is no `void` in Promela
         --> model.pml:1:1
          |
        1 | void main() { skip }
          | ^^^^
          |
          = help: a process is `proctype P() { … }`, a piece of text with parameters is `inline f(x) { … }`
    "#]],
    );
    check(
        "struct T { byte a };\nenum E { a, b };\ninit { skip }",
        expect![[r#"
        error: there is no `struct` in Promela
         --> model.pml:1:1
          |
        1 | struct T { byte a };
          | ^^^^^^
          |
          = help: a record is declared with `typedef T { byte a; int b }`

        error: there is no `enum` in Promela
         --> model.pml:2:1
          |
        2 | enum E { a, b };
          | ^^^^
          |
          = help: names for values are declared with `mtype = { red, green }`
    "#]],
    );
}

#[test]
fn words_that_are_mistyped() {
    check(
        "proctpye P() { skip }\nactve proctype Q() { skip }\nintt { skip }",
        expect![[r#"
        error: there is no type `proctpye`
         --> model.pml:1:1
          |
        1 | proctpye P() { skip }
          | ^^^^^^^^
          |
          = help: did you mean `proctype`?

        error: expected a declaration or a process, found `intt`
         --> model.pml:3:1
          |
        3 | intt { skip }
          | ^^^^
          |
          = help: did you mean `init`?
    "#]],
    );
    check(
        "byte x;\ninit { prinft(\"x\"); asert(x) }",
        expect![[r#"
        error: there is no inline `prinft`
         --> model.pml:2:8
          |
        2 | init { prinft("x"); asert(x) }
          |        ^^^^^^
          |
          = help: did you mean `printf`?

        error: there is no inline `asert`
         --> model.pml:2:21
          |
        2 | init { prinft("x"); asert(x) }
          |                     ^^^^^
          |
          = help: did you mean `assert`?
    "#]],
    );
    check(
        "typedef Message { byte a };\nMesage m;\ninit { skip }",
        expect![[r#"
        error: there is no type `Mesage`
         --> model.pml:2:1
          |
        2 | Mesage m;
          | ^^^^^^
          |
          = help: did you mean `Message`?
    "#]],
    );
}

#[test]
fn a_process_is_no_function() {
    check(
        "proctype P(byte x) { skip }\ninit { P(2); run P }",
        expect![[r#"
            error: there is no inline `P`
             --> model.pml:2:8
              |
            2 | init { P(2); run P }
              |        ^
              |
              = help: `P` is a process: it starts with `run P(…)`

            error: expected `(` before the arguments of the process, found `}`
             --> model.pml:2:20
              |
            2 | init { P(2); run P }
              |                    ^
              |
              = help: write `run P()` for a process without parameters
        "#]],
    );
}

#[test]
fn a_send_in_a_condition() {
    check(
        "chan c = [1] of { byte };\nbyte x;\ninit { x > 0 && c!3 }",
        expect![[r#"
        error: `!` is a statement and cannot be a part of an expression
         --> model.pml:3:18
          |
        3 | init { x > 0 && c!3 }
          |                  ^
          |
          = help: wait for the condition first: `condition -> channel!message`
    "#]],
    );
    check(
        "chan c = [1] of { byte };\nbyte x;\ninit { x = c?x }",
        expect![[r#"
        error: `?` is a statement and cannot be a part of an expression
         --> model.pml:3:13
          |
        3 | init { x = c?x }
          |             ^
          |
          = help: to look whether a message is there, write `?[…]`; to choose between two values, `(condition -> a : b)`
    "#]],
    );
}

#[test]
fn a_block_that_is_not_closed() {
    check(
        "byte x;\ninit {\n  if\n  :: x == 1 -> {\n    x = 2\n  :: else\n  fi\n}",
        expect![[r#"
        error: expected `}`, found `::`
         --> model.pml:6:3
          |
        4 |   :: x == 1 -> {
          |                - this `{` is not closed
        5 |     x = 2
        6 |   :: else
          |   ^^
    "#]],
    );
    check(
        "byte x;\ninit {\n  do :: atomic { x == 1 -> x = 2 od\n}",
        expect![[r#"
        error: expected `}`, found `od`
         --> model.pml:3:34
          |
        3 |   do :: atomic { x == 1 -> x = 2 od
          |                -                 ^^
          |                |
          |                this `{` is not closed
    "#]],
    );
}

#[test]
fn brackets_that_are_missing_or_too_many() {
    check(
        "proctype P() { skip }\ninit { run(P()) }",
        expect![[r#"
        error: expected the name of a process, found `(`
         --> model.pml:2:11
          |
        2 | init { run(P()) }
          |           ^
          |
          = help: write `run P(…)`
    "#]],
    );
    check(
        "proctype P { skip }\nchan c = [1] of byte;\ninit { skip }",
        expect![[r#"
        error: expected `(` before the parameters, found `{`
         --> model.pml:1:12
          |
        1 | proctype P { skip }
          |            ^
          |
          = help: a process without parameters is written `proctype P() { … }`

        error: expected `{` before the types of the messages, found `byte`
         --> model.pml:2:17
          |
        2 | chan c = [1] of byte;
          |                 ^^^^
          |
          = help: write them in braces: `[1] of { byte, bool }`
    "#]],
    );
}

#[test]
fn strings_are_no_values() {
    check(
        "byte x;\ninit { x = \"abc\" }",
        expect![[r#"
        error: expected an expression, found a string
         --> model.pml:2:12
          |
        2 | init { x = "abc" }
          |            ^^^^^
          |
          = help: there are no strings: names for values are declared with `mtype = { red, green }`
    "#]],
    );
}

#[test]
fn functions_are_answered() {
    check(
        "int x;\nint main() { x = 1 }",
        expect![[r#"
            error: expected a declaration or a process, found `(`
             --> model.pml:2:9
              |
            2 | int main() { x = 1 }
              |         ^
              |
              = help: the process that starts first is called `init`: `init { … }`
        "#]],
    );
    check(
        "int twice(int x) { return x + x }\ninit { skip }",
        expect![[r#"
            error: expected a declaration or a process, found `(`
             --> model.pml:1:10
              |
            1 | int twice(int x) { return x + x }
              |          ^
              |
              = help: a process is `proctype P() { … }`, a piece of text with parameters is `inline f(x) { … }`
        "#]],
    );
}
