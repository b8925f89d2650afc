//! How a diagnostic looks, and that any span can be shown.

use expect_test::{Expect, expect};
use panoptes_source::{Diagnostic, ExpansionKind, FileId, SourceMap, Span, Warning, render};

fn span(file: FileId, text: &str, part: &str) -> Span {
    let lo = text.find(part).expect("the part is in the text");
    Span { file, lo: lo as u32, hi: (lo + part.len()) as u32, expansion: None }
}

fn check(text: &str, part: &str, expected: Expect) {
    let mut sources = SourceMap::default();
    let file = sources.add_file("m.pml", text.to_string(), None);
    expected.assert_eq(&render(&sources, &Diagnostic::error(span(file, text, part), "wrong"), false));
}

#[test]
fn a_place_in_a_line() {
    check(
        "int x;\nbyte\ty = abc;\n",
        "abc",
        expect![[r#"
        error: wrong
         --> m.pml:2:10
          |
        2 | byte    y = abc;
          |             ^^^
    "#]],
    );
    check(
        "a\r\nb c\r\n",
        "c\r",
        expect![[r#"
        error: wrong
         --> m.pml:2:3
          |
        2 | b c
          |   ^
    "#]],
    );
    check(
        "one {\n two\n}",
        "{\n two\n}",
        expect![[r#"
        error: wrong
         --> m.pml:1:5
          |
        1 | one {
          |     ^
    "#]],
    );
    check(
        "grün größer\n",
        "größer",
        expect![[r#"
        error: wrong
         --> m.pml:1:6
          |
        1 | grün größer
          |      ^^^^^^
    "#]],
    );
    check(
        "a\u{1b}[2Jb c",
        "c",
        expect![[r#"
            error: wrong
             --> m.pml:1:8
              |
            1 | a␛[2Jb c
              |        ^
        "#]],
    );
}

#[test]
fn long_lines_are_cut() {
    check(
        &format!("{} here {}", "x".repeat(300), "y".repeat(300)),
        "here",
        expect![[r#"
            error: wrong
             --> m.pml:1:302
              |
            1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx here yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...
              |                                                         ^^^^
        "#]],
    );
    check(
        &format!("here {}", "y".repeat(300)),
        "here",
        expect![[r#"
            error: wrong
             --> m.pml:1:1
              |
            1 | here yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...
              | ^^^^
        "#]],
    );
    check(
        &format!("{} here", "x".repeat(300)),
        "here",
        expect![[r#"
            error: wrong
             --> m.pml:1:302
              |
            1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx here
              |                                                         ^^^^
        "#]],
    );
    check(
        &format!("{} here {}", "x".repeat(50_000), "y".repeat(50_000)),
        "here",
        expect![[r#"
            error: wrong
            --> m.pml:1:50002
        "#]],
    );
    check(
        &format!("a {}", "x".repeat(300)),
        &"x".repeat(300),
        expect![[r#"
            error: wrong
             --> m.pml:1:3
              |
            1 | a xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^...^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn labels_and_help() {
    let text = "int x;\nint x;\n";
    let mut sources = SourceMap::default();
    let file = sources.add_file("m.pml", text.to_string(), None);
    let again = Span { lo: 11, hi: 12, ..span(file, text, "x") };
    let diagnostic = Diagnostic::warning(Warning::MacroRedefined, again, "`x` again")
        .label(span(file, text, "x"), "first here")
        .help("choose another name");
    expect![[r#"
        warning[macro-redefined]: `x` again
         --> m.pml:2:5
          |
        1 | int x;
          |     - first here
        2 | int x;
          |     ^
          |
          = help: choose another name
    "#]]
    .assert_eq(&render(&sources, &diagnostic, false));
    assert!(
        render(&sources, &diagnostic, true).contains("\u{1b}[1m\u{1b}[33mwarning[macro-redefined]\u{1b}[0m")
    );
}

/// `B` is used in the body of `A`, `A` in the body of inline `f`, and `f` is called by way of macro `C`.
#[test]
fn the_chain_of_expansions() {
    let text = "#define B oops\n#define A (B)\ninline f() { A }\n#define C f()\ninit { C }\n";
    let mut sources = SourceMap::default();
    let file = sources.add_file("m.pml", text.to_string(), None);
    let at = |part: &str, offset: u32, length: u32, expansion| {
        let lo = span(file, text, part).lo + offset;
        Span { file, lo, hi: lo + length, expansion }
    };
    let c = sources.add_expansion(ExpansionKind::Macro, "C", at("{ C }", 2, 1, None));
    let f = sources.add_expansion(ExpansionKind::Inline, "f", at("C f()", 2, 3, Some(c)));
    let a = sources.add_expansion(ExpansionKind::Macro, "A", at("{ A }", 2, 1, Some(f)));
    let b = sources.add_expansion(ExpansionKind::Macro, "B", at("(B)", 1, 1, Some(a)));
    let diagnostic = Diagnostic::error(at("oops", 0, 4, Some(b)), "wrong");
    expect![[r#"
        error: wrong
         --> m.pml:3:14
          |
        1 | #define B oops
          |           ---- in the expansion of macro `B`
        2 | #define A (B)
          |            - in the expansion of macro `A`
        3 | inline f() { A }
          |              ^
        4 | #define C f()
          |           --- inline `f` is called here
        5 | init { C }
          |        - macro `C` is used here
    "#]]
    .assert_eq(&render(&sources, &diagnostic, false));
}

#[test]
fn included_files_say_by_whom() {
    let mut sources = SourceMap::default();
    let outer = sources.add_file("m.pml", "#include \"a.h\"\n".into(), None);
    let inner =
        sources.add_file("a.h", "x".into(), Some(Span { file: outer, lo: 9, hi: 14, expansion: None }));
    let diagnostic = Diagnostic::error(Span { file: inner, lo: 0, hi: 1, expansion: None }, "wrong");
    expect![[r#"
        error: wrong
         --> a.h:1:1
          |
        1 | x
          | ^
          |
          = note: a.h is included from m.pml:1:10
    "#]]
    .assert_eq(&render(&sources, &diagnostic, false));
}

#[test]
fn a_long_chain_is_shortened() {
    let mut sources = SourceMap::default();
    let file = sources.add_file("m.pml", "x".into(), None);
    let mut place = Span { file, lo: 0, hi: 1, expansion: None };
    for level in 0..30 {
        place.expansion = Some(sources.add_expansion(ExpansionKind::Macro, format!("M{level}"), place));
    }
    let text = render(&sources, &Diagnostic::error(place, "wrong"), false);
    assert_eq!(text.matches("in the expansion of").count(), 8, "{text}");
    assert!(text.contains("22 more expansions are between these"));
    assert!(text.contains("`M29`"));
}

#[test]
fn a_place_behind_the_last_line() {
    let text = "one {\n";
    let mut sources = SourceMap::default();
    let file = sources.add_file("m.pml", text.to_string(), None);
    let end = Span { file, lo: 6, hi: 6, expansion: None };
    let diagnostic = Diagnostic::error(end, "not closed").label(span(file, text, "{"), "this one");
    expect![[r#"
        error: not closed
         --> m.pml:2:1
          |
        2 |
          | ^
          |
         ::: m.pml:1:5
          |
        1 | one {
          |     - this one
    "#]]
    .assert_eq(&render(&sources, &diagnostic, false));
}

/// Every span, even one outside the text or inside a character, can be shown.
#[test]
fn any_span_can_be_shown() {
    for text in ["", "\n", "a", "é\nü", "\t\r\n\r\n", "ab\n\n\ncd"] {
        for lo in 0..text.len() as u32 + 3 {
            for hi in 0..text.len() as u32 + 3 {
                let mut sources = SourceMap::default();
                let file = sources.add_file("m.pml", text.into(), None);
                let diagnostic = Diagnostic::error(Span { file, lo, hi, expansion: None }, "wrong");
                assert!(render(&sources, &diagnostic, false).contains("--> m.pml:"));
            }
        }
    }
}
