//! The messages for text that is not Promela, as the user sees them.

use crate::common::{errors, errors_of, messages};
use expect_test::{Expect, expect};
use panoptes_promela::PreprocessorOptions;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

fn check_messages(text: &str, expected: Expect) {
    expected.assert_eq(&messages(text));
}

#[test]
fn constructs_that_do_not_end() {
    check(
        "init {\n  if\n  :: x -> y = 1\n  ;\n}\ninit { skip }",
        expect![[r#"
            error: expected `::` or `fi`, found `}`
             --> model.pml:5:1
              |
            2 |   if
              |   -- this `if` has no `fi`
            ...
            5 | }
              | ^
        "#]],
    );
    check(
        "init {\n  do :: skip\n}",
        expect![[r#"
            error: expected `::` or `od`, found `}`
             --> model.pml:3:1
              |
            2 |   do :: skip
              |   -- this `do` has no `od`
            3 | }
              | ^
        "#]],
    );
    check(
        "init {\n  if :: do :: x od\n}",
        expect![[r#"
            error: expected `::` or `fi`, found `}`
             --> model.pml:3:1
              |
            2 |   if :: do :: x od
              |   -- this `if` has no `fi`
            3 | }
              | ^
        "#]],
    );
    check(
        "proctype P() {\n  x = 1;\nproctype Q() { y = }",
        expect![[r#"
            error: expected `}`, found `proctype`
             --> model.pml:3:1
              |
            1 | proctype P() {
              |              - this `{` is not closed
            2 |   x = 1;
            3 | proctype Q() { y = }
              | ^^^^^^^^

            error: expected an expression, found `}`
             --> model.pml:3:20
              |
            3 | proctype Q() { y = }
              |                    ^
        "#]],
    );
    check(
        "init { do :: skip fi }",
        expect![[r#"
            error: this `do` ends with `fi` instead of `od`
             --> model.pml:1:19
              |
            1 | init { do :: skip fi }
              |        --         ^^
              |        |
              |        the `do` begins here
        "#]],
    );
    check(
        "init { skip } }\nint x;",
        expect![[r#"
        error: this `}` closes nothing
         --> model.pml:1:15
          |
        1 | init { skip } }
          |               ^
    "#]],
    );
    check(
        "init { x = (1 + 2; y = 3 }",
        expect![[r#"
            error: expected `)`, found `;`
             --> model.pml:1:18
              |
            1 | init { x = (1 + 2; y = 3 }
              |            -     ^
              |            |
              |            for this `(`
        "#]],
    );
    check(
        "ltl p { [] (a }",
        expect![[r#"
            error: expected an operator or `)` in an LTL formula, found `}`
             --> model.pml:1:15
              |
            1 | ltl p { [] (a }
              |            -  ^
              |            |
              |            for this `(`
        "#]],
    );
    check(
        "init { printf(\"abc\n) }",
        expect![[r#"
            error: this string does not end on its line
             --> model.pml:1:15
              |
            1 | init { printf("abc
              |               ^^^^
              |
              = help: close it with `"`
        "#]],
    );
    check(
        "init { skip /* }\n",
        expect![[r#"
            error: this comment does not end
             --> model.pml:1:13
              |
            1 | init { skip /* }
              |             ^^^^
              |
              = help: close it with `*/`
        "#]],
    );
}

#[test]
fn every_error_is_told_once() {
    check_messages(
        "int ;\ninit {\n  x = ;\n  if :: y = 3 4 :: fi;\n  z z z;\n  od;\n  :: skip\n  goto 3;\n  { };\n}\nfoo;\nbyte b",
        expect![[r#"
            1:5 expected the name of a variable, found `;`
            3:7 expected an expression, found `;`
            4:15 expected `;` or `->` between statements, found `4`
            4:20 expected a statement, found `fi`
            5:3 there is no type `z`
            6:3 this `od` has no `do`
            7:3 an option `::` stands only between `if` and `fi` or between `do` and `od`
            8:8 expected the name of a label, found `3`
            9:5 expected a statement, found `}`
            11:1 expected a declaration or a process, found `foo`
        "#]],
    );
}

#[test]
fn statements() {
    check_messages(
        "init { x = 1 y = 2 }",
        expect![[r#"
        1:14 expected `;` or `->` between statements, found `y`
    "#]],
    );
    check_messages(
        "init { ; x = 1 }",
        expect![[r#"
        1:8 expected a statement, found `;`
    "#]],
    );
    check_messages(
        "init { }",
        expect![[r#"
        1:8 expected a statement, found `}`
    "#]],
    );
    check_messages(
        "init { if fi; if x = 1; :: y fi; do od }",
        expect![[r#"
        1:8 this `if` has no options
        1:18 expected `::` after `if`, found `x`
        1:34 this `do` has no options
    "#]],
    );
    check_messages(
        "init { atomic x = 3 }",
        expect![[r#"
        1:15 expected `{` after `atomic`, found `x`
    "#]],
    );
    check_messages(
        "init { a unless b unless c; int x unless y }",
        expect![[r#"
        1:19 `unless` cannot follow `unless`
        1:35 `unless` stands between statements, not after a declaration
    "#]],
    );
    check_messages(
        "init { ++x; --x; x = !!y; x = --y; x+ +; }",
        expect![[r#"
        1:8 `++` stands after its variable
        1:13 `--` stands after its variable
        1:22 `!!` is not an operator before a value
        1:31 `--` is not an operator before a value
        1:39 expected an expression, found `+`
    "#]],
    );
    check_messages(
        "init { goto; goto do; if: skip; l: int x; break break }",
        expect![[r#"
            1:12 expected the name of a label, found `;`
            1:19 `do` is a keyword and cannot be the name of a label
            1:23 `if` is a keyword and cannot be the name of a label
            1:33 label `l` stands before a declaration
            1:49 expected `;` or `->` between statements, found `break`
        "#]],
    );
    check_messages(
        "init { inline f() { skip } }",
        expect![[r#"
            1:8 expected `}`, found `inline`
        "#]],
    );
    check_messages(
        "init { printf(x); printf(\"a\" \"b\"); printf(\"%d\", 1,) }",
        expect![[r#"
        1:15 expected a string: the format of `printf`, found `x`
        1:30 expected `)` after the arguments of `printf`, found a string
        1:51 expected an expression, found `)`
    "#]],
    );
    check_messages(
        "init { for x in a { skip } for (x : 1 .. 3) skip; for (x : 1; 3) { skip } for (x) { skip } }",
        expect![[r#"
            1:12 expected `(` after `for`, found `x`
            1:45 expected `{` before the body of the loop, found `skip`
            1:61 expected `..` between the bounds, found `;`
            1:81 expected `:` and a range, or `in` and an array, found `)`
        "#]],
    );
    check_messages(
        "init { select (x in a); select (x : 1) }",
        expect![[r#"
        1:18 expected `:` and a range, found `in`
        1:38 expected `..` between the bounds, found `)`
    "#]],
    );
    check_messages(
        "init { c!; c?; c?x+1; c!x(1),2; c?eval x; c?<x; (c?x); x = c!1 }",
        expect![[r#"
        1:10 expected a message, found `;`
        1:14 expected a variable, a constant or `eval(…)`, found `;`
        1:19 expected `;` or `->` between statements, found `+`
        1:29 expected `;` or `->` between statements, found `,`
        1:40 expected `(` after `eval`, found `x`
        1:47 expected `>` after the message, found `;`
        1:51 `?` is a statement and cannot be a part of an expression
        1:61 `!` is a statement and cannot be a part of an expression
    "#]],
    );
    check_messages(
        "init { run P; run P(1; run 3() }",
        expect![[r#"
        1:13 expected `(` before the arguments of the process, found `;`
        1:22 expected `)` after the arguments of the process, found `;`
        1:28 expected the name of a process, found `3`
    "#]],
    );
    check_messages(
        "init { x = 1 <> 2; x => 3; x = a b }",
        expect![[r#"
        1:15 expected an expression, found `>`
        1:23 expected an expression, found `>`
        1:34 expected `;` or `->` between statements, found `b`
    "#]],
    );
    check_messages(
        "init { x = y > 3 -> 1 : 2; y = (a -> b); z = (a -> b : c : d) }",
        expect![[r#"
        1:23 expected `;` or `->` between statements, found `:`
        1:39 expected `:` in a conditional expression `(c -> a : b)`, found `)`
        1:58 expected `)`, found `:`
    "#]],
    );
    check_messages(
        "init { return 3 }",
        expect![[r#"
            1:8 there is nothing to return from
        "#]],
    );
}

#[test]
fn line_ends() {
    check(
        "init {\n  x = a\n    + b;\n}",
        expect![[r#"
            error: expected a statement, found `+`
             --> model.pml:3:5
              |
            3 |     + b;
              |     ^
              |
              = help: the line before ended a statement: put `+` at the end of that line
        "#]],
    );
    check(
        "init {\n  a[1\n] = 3\n}",
        expect![[r#"
            error: expected `]` after an index, found the end of the line
             --> model.pml:2:6
              |
            2 |   a[1
              |      ^
              |
              = help: a line end ends the statement, except inside parentheses

            error: expected a statement, found `]`
             --> model.pml:3:1
              |
            3 | ] = 3
              | ^
        "#]],
    );
    check(
        "init {\n  if :: x fi\n  unless y\n}",
        expect![[r#"
            error: expected a statement, found `unless`
             --> model.pml:3:3
              |
            3 |   unless y
              |   ^^^^^^
              |
              = help: the line before ended a statement: put `unless` at the end of that line
        "#]],
    );
}

#[test]
fn declarations() {
    check(
        "proctype P(int a, byte b) { skip }",
        expect![[r#"
            error: expected a name, found `byte`
             --> model.pml:1:19
              |
            1 | proctype P(int a, byte b) { skip }
              |                   ^^^^
              |
              = help: after `,` comes another name of the same type; a new declaration comes after `;`
        "#]],
    );
    check_messages(
        "proctype P(int a; ) { skip } proctype Q(a) { skip } proctype R { skip }",
        expect![[r#"
        1:19 expected a parameter with its type, found `)`
        1:41 expected a parameter with its type, found `a`
        1:64 expected `(` before the parameters, found `{`
    "#]],
    );
    check_messages(
        "proctype P(int a = 3; byte b[2]) { skip } active proctype Q(int x, ) { skip }",
        expect![[r#"
        1:16 parameter `a` cannot have an initial value
        1:28 parameter `b` cannot be an array
        1:68 expected the name of a variable, found `)`
    "#]],
    );
    check_messages(
        "int x[2][3]; int if; int x y; int 3; byte x :; unsigned u : a+1",
        expect![[r#"
        1:9 an array has one dimension in Promela
        1:18 `if` is a keyword and cannot be the name of a variable
        1:28 expected a declaration or a process, found `y`
        1:35 expected the name of a variable, found `3`
        1:46 expected the number of bits, a constant, found `;`
        1:62 expected a declaration or a process, found `+`
    "#]],
    );
    check_messages(
        "chan c = [2] of int; chan d = [2; chan e = [1] of { int; byte }; chan f = [1] of { }",
        expect![[r#"
            1:17 expected `{` before the types of the messages, found `int`
            1:33 expected `]` after the capacity of a channel, found `;`
            1:56 expected `}` after the types of the messages, found `;`
            1:84 expected a type, found `}`
        "#]],
    );
    check_messages(
        "mtype = { }; mtype = { a, 3 }; mtype = { a ; int x; mtype:k { a }",
        expect![[r#"
            1:11 this `mtype` has no names
            1:27 expected the name of a message, found `3`
            1:44 expected `}` after the names of an `mtype`, found `;`
        "#]],
    );
    check_messages(
        "typedef T { }; typedef { int x }; typedef U { int x int y }; typedef V { skip }",
        expect![[r#"
        1:13 type `T` has no fields
        1:24 expected the name of a type, found `{`
        1:53 expected `;` or `}` after a field, found `int`
        1:74 expected a field with its type, or `}`, found `skip`
    "#]],
    );
    check(
        "T t;\ntypedef T { int x };\ninit { foo bar }",
        expect![[r#"
            error: there is no type `T`
             --> model.pml:1:1
              |
            1 | T t;
              | ^
            2 | typedef T { int x };
              |         - it is defined here, after its use
              |
              = help: define it before it is used

            error: there is no type `foo`
             --> model.pml:3:8
              |
            3 | init { foo bar }
              |        ^^^
              |
              = help: if this is no declaration, something is missing between `foo` and `bar`
        "#]],
    );
    check_messages(
        "active [2] init { skip } init provided (x) { skip } never foo() { skip } trace t { c!1 }",
        expect![[r#"
        1:12 expected `proctype`, found `init`
        1:31 `init` cannot have a `provided` clause
        1:62 expected `{` after `never`, found `(`
        1:80 expected `{` after `trace`, found `t`
    "#]],
    );
    check_messages(
        "x = 3;\nint y; if :: skip fi\nbyte z",
        expect![[r#"
        1:1 expected a declaration or a process, found `x`
        2:8 expected a declaration or a process, found `if`
    "#]],
    );
}

#[test]
fn tokens() {
    check(
        "int a$b; byte é;",
        expect![[r#"
            error: the character `$` means nothing in Promela
             --> model.pml:1:6
              |
            1 | int a$b; byte é;
              |      ^

            error: the character `é` means nothing in Promela
             --> model.pml:1:15
              |
            1 | int a$b; byte é;
              |               ^
        "#]],
    );
    check(
        "init { x = 0x1F; y = 10u; z = 'ab' }",
        expect![[r#"
            error: `0x1F` is not a number of Promela
             --> model.pml:1:12
              |
            1 | init { x = 0x1F; y = 10u; z = 'ab' }
              |            ^^^^
              |
              = help: numbers are decimal: write 31

            error: `10u` is not a number of Promela
             --> model.pml:1:22
              |
            1 | init { x = 0x1F; y = 10u; z = 'ab' }
              |                      ^^^
              |
              = help: numbers are decimal and have no suffix

            error: a character constant is one character between quotes
             --> model.pml:1:31
              |
            1 | init { x = 0x1F; y = 10u; z = 'ab' }
              |                               ^^^^
              |
              = help: write it like 'a' or '\n'
        "#]],
    );
}

#[test]
fn formulas() {
    check(
        "ltl { [] x == 3 }",
        expect![[r#"
            error: a temporal formula has no value to compute with
             --> model.pml:1:7
              |
            1 | ltl { [] x == 3 }
              |       ^^^^    - an operand of arithmetic or of a comparison
              |
              = help: temporal operators bind stronger: write `[] (a == b)`, not `[] a == b`
        "#]],
    );
    check_messages(
        "ltl { a -> } ltl { U a } ltl { a b } ltl [] a ltl { [ ] a } ltl { (a -> b : c) } int x",
        expect![[r#"
        1:12 expected a formula, found `}`
        1:20 `U` is an operator in LTL and needs a formula before it
        1:34 expected an operator or `}` in an LTL formula, found `b`
        1:42 expected the name of an LTL formula, found `[`
        1:53 expected a formula, found `[`
        1:75 expected an operator or `)` in an LTL formula, found `:`
    "#]],
    );
}

#[test]
fn embedded_c() {
    check(
        "c_decl { typedef struct { char *s; } T; };\nc_state \"T t\" \"Global\"\ninit { c_code [x > 0] { t.s = \"}\" + '$'; }; x = c_expr { 3 } + 1; y = 1 }",
        expect![[r#"
            error: embedded C (`c_decl`) is not supported
             --> model.pml:1:1
              |
            1 | c_decl { typedef struct { char *s; } T; };
              | ^^^^^^
              |
              = help: express it in Promela: Panoptes does not compile or run C

            error: embedded C (`c_state`) is not supported
             --> model.pml:2:1
              |
            2 | c_state "T t" "Global"
              | ^^^^^^^
              |
              = help: express it in Promela: Panoptes does not compile or run C

            error: embedded C (`c_code`) is not supported
             --> model.pml:3:8
              |
            3 | init { c_code [x > 0] { t.s = "}" + '$'; }; x = c_expr { 3 } + 1; y = 1 }
              |        ^^^^^^
              |
              = help: express it in Promela: Panoptes does not compile or run C

            error: embedded C (`c_expr`) is not supported
             --> model.pml:3:49
              |
            3 | init { c_code [x > 0] { t.s = "}" + '$'; }; x = c_expr { 3 } + 1; y = 1 }
              |                                                 ^^^^^^
              |
              = help: express it in Promela: Panoptes does not compile or run C
        "#]],
    );
}

#[test]
fn through_macros() {
    check(
        "#define INC(v) v = v + + 1\n#define TWICE(v) INC(v); \\\n    INC(v)\ninit {\n\tTWICE(x);\n\tINC(y)\n}",
        expect![[r#"
            error: expected an expression, found `+`
             --> model.pml:5:2
              |
            1 | #define INC(v) v = v + + 1
              |                        - in the expansion of macro `INC`
            2 | #define TWICE(v) INC(v); \
              |                  ------ in the expansion of macro `TWICE`
            ...
            5 |     TWICE(x);
              |     ^^^^^^^^
        "#]],
    );
    check(
        "#define N 3;\nint a[N];\n",
        expect![[r#"
            error: expected `]` after the size of an array, found `;`
             --> model.pml:2:7
              |
            1 | #define N 3;
              |            - in the expansion of macro `N`
            2 | int a[N];
              |       ^
        "#]],
    );
}

#[test]
fn in_included_files() {
    let files = [
        ("m.pml", "#include \"sub/a.h\"\ninit { skip }"),
        ("sub/a.h", "\n\n#include \"b.h\""),
        ("sub/b.h", "#define X 1 +\nint x = X;\n"),
    ];
    expect![[r#"
        error: expected an expression, found `;`
         --> sub/b.h:2:10
          |
        2 | int x = X;
          |          ^
          |
          = note: sub/b.h is included from sub/a.h:3:10
          = note: sub/a.h is included from m.pml:1:10
    "#]]
    .assert_eq(&errors_of(&files, &PreprocessorOptions::default()));
    let options = PreprocessorOptions {
        defines: vec![("N".into(), Some("3 +".into()))],
        ..PreprocessorOptions::default()
    };
    expect![[r#"
        error: expected an expression, found `;`
         --> m.pml:1:10
          |
        1 | int x = N;
          |          ^
    "#]]
    .assert_eq(&errors_of(&[("m.pml", "int x = N;")], &options));
}
