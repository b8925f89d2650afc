//! The preprocessor: text in, text out, line by line as the line ends of the output say.

use expect_test::{Expect, expect};
use panoptes_promela::preprocess::preprocess;
use panoptes_promela::{MemoryLoader, PreprocessorOptions};
use panoptes_source::{SourceMap, render};
use std::path::Path;

fn expanded(files: &[(&str, &str)], options: &PreprocessorOptions) -> String {
    let loader = files.iter().fold(MemoryLoader::default(), |loader, (path, text)| loader.with(path, *text));
    let mut sources = SourceMap::default();
    let (path, text) = files[0];
    let file = sources.add_file(path, text.to_string(), None);
    let result = preprocess(&mut sources, file, Path::new(path), options, &loader);
    let mut output = String::new();
    for token in &result.tokens {
        match (output.is_empty(), token.new_line) {
            (true, _) => {}
            (false, true) => output.push('\n'),
            (false, false) => output.push(' '),
        }
        output += &token.kind.text();
    }
    for diagnostic in &result.diagnostics {
        output += &format!("\n{}", render(&sources, diagnostic, false));
    }
    output
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&expanded(&[("m.pml", text)], &PreprocessorOptions::default()));
}

#[test]
fn object_macros() {
    check(
        "#define N 3\n#define EMPTY\nint a[N] EMPTY = N+N;\n\"N\" 'N' NN",
        expect![[r#"
        int a [ 3 ] = 3 + 3 ;
        "N" 'N' NN"#]],
    );
    check(
        "#define A B\n#define B C\nA\n#undef B\nA\n#define B 5\nA",
        expect![[r#"
        C
        B
        5"#]],
    );
}

#[test]
fn function_macros() {
    check(
        "#define max(a,b) (a > b -> a : b)\n#define twice(x) x x\nmax(1, max(2,(3,4)))\ntwice(twice(1))\nmax\n(1,\n2) y",
        expect![[r#"
            ( 1 > ( 2 > ( 3 , 4 ) -> 2 : ( 3 , 4 ) ) -> 1 : ( 2 > ( 3 , 4 ) -> 2 : ( 3 , 4 ) ) )
            1 1 1 1
            ( 1 > 2 -> 1 : 2 )
            y"#]],
    );
    check("#define f(x) [x]\n#define g (x)\nf f (1) g f() f((,))", expect!["f [ 1 ] ( x ) [ ] [ ( , ) ]"]);
    check("#define f() 1\nf() f( )", expect!["1 1"]);
    check(
        "#define v(a, ...) a:__VA_ARGS__\n#define w(a...) a\nv(1,2,3) v(1) w(1,2)",
        expect!["1 : 2 , 3 1 : 1 , 2"],
    );
}

#[test]
fn a_macro_is_not_expanded_in_its_own_expansion() {
    check("#define X Y + X\n#define Y X * Y\nX Y", expect!["X * Y + X Y + X * Y"]);
    check(
        "#define f(x) x f(x)\nf(f(1))\nf(f)(2)",
        expect![[r#"
        1 f ( 1 ) f ( 1 f ( 1 ) )
        f f ( f ) ( 2 )"#]],
    );
}

#[test]
fn strings_and_pasting() {
    check(
        "#define s(x) #x\n#define c(a,b) a##b\n#define x1 7\ns( a  +\"b\\n\" ) c(x,1) c(x,) c(-,>) c(a,+)",
        expect![[r#""a +\"b\\n\"" 7 x -> a +"#]],
    );
    check(
        "# ## #define #\n#define H # ##\nH",
        expect![[r##"
        # ##
        error: the preprocessor knows no `###`
         --> m.pml:1:3
          |
        1 | # ## #define #
          |   ^^
    "##]],
    );
}

#[test]
fn conditions() {
    let text = "#define N 3\n#if N > 2 && defined N && !defined(M)\nyes\n#if 0\nno \" '\n#else\nalso\n#endif\n\
                #elif 1/0\nno\n#else\nno\n#endif\n#ifdef M\nno\n#elif N == 0x3 + 0L\nthird\n#elif 1\nno\n#endif\n\
                #ifndef M\nlast\n#endif";
    check(
        text,
        expect![[r#"
        yes
        also
        third
        last"#]],
    );
    let table = [
        ("1 + 2 * 3 == 7", true),
        ("(1 ? 0 : 1) || 'a' == 97", true),
        ("010 == 8 && -1 < 0 && ~0 == -1 && 7 % 4 == 3", true),
        ("1 << 4 == 16 && (6 & 3) == 2 && (6 ^ 3) == 5 && (6 | 3) == 7", true),
        ("undefined", false),
        ("0 && 1/0", false),
        ("1 || 1/0", true),
        ("unix && linux && defined __GNUC__", true),
        ("!!5 == 1", true),
    ];
    for (condition, truth) in table {
        let output = expanded(
            &[("m.pml", &format!("#if {condition}\nyes\n#else\nno\n#endif"))],
            &PreprocessorOptions::default(),
        );
        assert_eq!(output, if truth { "yes" } else { "no" }, "{condition}");
    }
}

#[test]
fn wrong_conditions() {
    check(
        "#if\n#endif\n#if 1 +\n#endif\n#if 1/0\n#endif\n#if (1\n#endif\n#if 1 2\n#endif",
        expect![[r#"

        error: `#if` has no condition
         --> m.pml:1:2
          |
        1 | #if
          |  ^^

        error: the condition is incomplete
         --> m.pml:3:8
          |
        3 | #if 1 +
          |        ^

        error: division by zero in a condition
         --> m.pml:5:6
          |
        5 | #if 1/0
          |      ^

        error: expected `)` in this condition
         --> m.pml:7:7
          |
        7 | #if (1
          |       ^

        error: the condition should end here
         --> m.pml:9:7
          |
        9 | #if 1 2
          |       ^
    "#]],
    );
    check(
        "#else\n#endif\n#elif 1\n#if 1\n#else\n#else\n#elif 1\n#endif\n#if 0",
        expect![[r#"

        error: this `#else` has no `#if`
         --> m.pml:1:2
          |
        1 | #else
          |  ^^^^

        error: this `#endif` has no `#if`
         --> m.pml:2:2
          |
        2 | #endif
          |  ^^^^^

        error: this `#elif` has no `#if`
         --> m.pml:3:2
          |
        3 | #elif 1
          |  ^^^^

        error: a second `#else`
         --> m.pml:6:2
          |
        6 | #else
          |  ^^^^

        error: `#elif` after `#else`
         --> m.pml:7:2
          |
        7 | #elif 1
          |  ^^^^

        error: this `#if` has no `#endif`
         --> m.pml:9:2
          |
        9 | #if 0
          |  ^^
    "#]],
    );
}

#[test]
fn wrong_definitions() {
    check(
        "#define\n#define 3\n#define f(x\n#define f(x,x) x\n#define f(1) x\n#ifdef\n#endif\n#undef",
        expect![[r#"

        error: expected the name of a macro
         --> m.pml:1:2
          |
        1 | #define
          |  ^^^^^^

        error: expected the name of a macro, found `3`
         --> m.pml:2:9
          |
        2 | #define 3
          |         ^

        error: the parameters of this macro do not end on its line
         --> m.pml:3:10
          |
        3 | #define f(x
          |          ^

        error: two parameters are called `x`
         --> m.pml:4:13
          |
        4 | #define f(x,x) x
          |             ^

        error: expected a parameter of the macro or `)`, found `1`
         --> m.pml:5:11
          |
        5 | #define f(1) x
          |           ^

        error: expected the name of a macro
         --> m.pml:6:2
          |
        6 | #ifdef
          |  ^^^^^

        error: expected the name of a macro
         --> m.pml:8:2
          |
        8 | #undef
          |  ^^^^^
    "#]],
    );
    check(
        "#define X 1\n#define X 1\n#define X 2\nX",
        expect![[r#"
            2
            warning[macro-redefined]: macro `X` is defined again
             --> m.pml:3:9
              |
            2 | #define X 1
              |         - the first definition is here
            3 | #define X 2
              |         ^
        "#]],
    );
    check(
        "#define f(a,b) a+b\nf(1) f(1,2,3)\nf(1",
        expect![[r#"
            1 + 1 1 + 2
            error: macro `f` takes 2 arguments, not 1
             --> m.pml:2:1
              |
            1 | #define f(a,b) a+b
              |         - the macro is defined here
            2 | f(1) f(1,2,3)
              | ^

            error: macro `f` takes 2 arguments, not 3
             --> m.pml:2:6
              |
            1 | #define f(a,b) a+b
              |         - the macro is defined here
            2 | f(1) f(1,2,3)
              |      ^

            error: the arguments of macro `f` do not end
             --> m.pml:3:1
              |
            3 | f(1
              | ^
              |
              = help: there is no `)` for its `(`
        "#]],
    );
    check(
        "#error this model wants -DN\n#warning old\n#nonsense\n#pragma once\n#line 7\n# 3 \"x\"\n#\n#ident \"x\"",
        expect![[r#"

            error: #error this model wants -DN
             --> m.pml:1:2
              |
            1 | #error this model wants -DN
              |  ^^^^^

            warning[hash-warning]: #warning old
             --> m.pml:2:2
              |
            2 | #warning old
              |  ^^^^^^^

            error: the preprocessor knows no `#nonsense`
             --> m.pml:3:2
              |
            3 | #nonsense
              |  ^^^^^^^^
        "#]],
    );
}

#[test]
fn comments_and_lines() {
    check(
        "a /* b\n */ c // d \\\n e\nf \\\n g\n/**//* */ # define X 1\nX /*\n*/ X",
        expect![[r#"
            a
            c
            f
            g
            1
            1"#]],
    );
    check("#define M a \\\n  b\nM /* unclosed", expect!["a b /*"]);
    check(
        "x\r\n#define Y 1\r\ny Y \\\r\n z",
        expect![[r#"
        x
        y 1
        z"#]],
    );
}

#[test]
fn line_and_file() {
    check(
        "#define L __LINE__\n__FILE__ __LINE__\nL",
        expect![[r#"
        "m.pml" 2
        3"#]],
    );
}

#[test]
fn includes() {
    let files = [
        ("dir/m.pml", "#include \"a.h\"\n#include <b.h>\n#define C \"sub/c.h\"\n#include C\nA B C"),
        ("dir/a.h", "#define A 1\n"),
        ("inc/b.h", "#define B 2\nb"),
        ("dir/sub/c.h", "#include \"../a.h\"\nc"),
    ];
    let options = PreprocessorOptions { include_dirs: vec!["inc".into()], ..PreprocessorOptions::default() };
    expect![[r#"
        b
        c
        1 2 "sub/c.h""#]]
    .assert_eq(&expanded(&files, &options));
    expect![[r#"

        error: no file `none.h` to include
         --> m.pml:1:10
          |
        1 | #include "none.h"
          |          ^^^^^^^^
          |
          = help: looked for `none.h`, `inc/none.h`
    "#]]
    .assert_eq(&expanded(&[("m.pml", "#include \"none.h\"\nx")], &options));
    expect![[r#"
        x
        error: `#include` wants "file" or <file>
         --> a.h:2:2
          |
        2 | #include nothing
          |  ^^^^^^^
          |
          = note: a.h is included from m.pml:1:10

        error: this `#if` has no `#endif`
         --> a.h:3:2
          |
        3 | #if 1
          |  ^^
          |
          = note: a.h is included from m.pml:1:10
    "#]]
    .assert_eq(&expanded(
        &[("m.pml", "#include \"a.h\"\nx"), ("a.h", "\n#include nothing\n#if 1\n")],
        &options,
    ));
}

#[test]
fn definitions_of_the_command_line() {
    let defines =
        vec![("N".into(), Some("4".into())), ("FLAG".into(), None), ("f(x)".into(), Some("x+x".into()))];
    let options = PreprocessorOptions { defines, ..PreprocessorOptions::default() };
    expect!["4 1 2 + 2"].assert_eq(&expanded(&[("m.pml", "N FLAG f(2)")], &options));
}
