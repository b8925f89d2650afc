//! How formulas are read: spellings, precedence, atoms, and what is said of text that is none.

use crate::support;

use crate::support::read;
use panoptes_ltl::{Atoms, parse};
use panoptes_source::{SourceMap, render};

fn check(text: &str, expected: &str) {
    let (formula, atoms) = read(text);
    assert_eq!(formula.to_text(&|atom| atoms.name(atom).to_string()), expected, "{text}");
}

#[test]
fn operators_have_all_spellings_of_spin() {
    for text in ["[] <> p", "always eventually p", "G F p", "([] (<> (p)))", "[]<>p"] {
        check(text, "[] <> p");
    }
    for text in ["p U q", "p until q", "p stronguntil q"] {
        check(text, "p U q");
    }
    for text in ["p V q", "p R q", "p release q"] {
        check(text, "p V q");
    }
    for text in ["p W q", "p weakuntil q"] {
        check(text, "p W q");
    }
    for text in ["p && X q", "p /\\ next q", "(p) && (X(q))"] {
        check(text, "p && X q");
    }
    for text in ["p || q", "p \\/ q"] {
        check(text, "p || q");
    }
    check("p implies q equivalent r", "(p -> q) <-> r");
    check("true && false || 1 && 0 && 2", "(true && false) || ((true && false) && true)");
}

#[test]
fn operators_bind_as_in_ltl_blocks() {
    check("a || b && c", "a || (b && c)");
    check("a && b || c", "(a && b) || c");
    check("a -> b -> c", "(a -> b) -> c");
    check("a <-> b -> c", "(a <-> b) -> c");
    check("a -> b || c", "a -> (b || c)");
    check("a U b U c", "(a U b) U c");
    check("a W b U c", "(a W b) U c");
    check("a || b U c && d", "a || ((b U c) && d)");
    check("a U b -> c", "(a U b) -> c");
    check("!a U b", "!a U b");
    check("[] a U b", "[] a U b");
    check("([] a) U b", "[] a U b");
    check("[] (a U b)", "[] (a U b)");
    check("x > 3 U b", "(x > 3) U b");
}

#[test]
fn atoms_are_expressions() {
    check("(x>3)", "x > 3");
    check("((x  >  3) && x > 3)", "(x > 3) && (x > 3)");
    check("{x>3}", "x > 3");
    check("\"x  > 3\"", "x > 3");
    check("x + 1 == -y * (z - 2)", "x + 1 == -y * (z - 2)");
    check("len(q) == 0 -> P[0]@critical", "(len(q) == 0) -> (P[0]@critical)");
    check("q?[ack, 1] U a[i+1].f", "(q?[ack, 1]) U (a[i + 1].f)");
    check("P:x == ~3", "P:x == ~3");
    check("np_ && _last == 2", "np_ && (_last == 2)");
    let (_, atoms) = read("x>3 && y U x > 3 && (((y)))");
    assert_eq!(atoms.names(), ["x > 3", "y"]);
}

#[test]
fn what_is_no_formula_is_refused_with_its_place() {
    for (text, message, at) in [
        ("p U", "expected a formula, found the end", 3),
        ("", "expected a formula, found the end", 0),
        ("&& p", "`&&` needs a formula before it", 0),
        ("p q", "expected an operator or the end of the formula, found `q`", 2),
        ("(p", "expected an operator or `)`, found the end", 2),
        ("p)", "expected an operator or the end of the formula, found `)`", 1),
        ("p = q", "`=` has no meaning in a formula", 2),
        ("(p && q) > 3", "`>` needs values, and this is a formula", 9),
        ("x > (p && q)", "this expression is not complete: arithmetic needs values on both sides", 0),
        ("!x > 3", "`!` binds more strongly than arithmetic", 0),
        ("\"x", "this quoted expression has no end", 0),
        ("{}", "there is no expression in these braces", 0),
        ("p § q", "`§` has no meaning in a formula", 2),
    ] {
        let mut sources = SourceMap::default();
        let file = sources.add_file("formula", text.to_string(), None);
        let error = parse(&sources, file, &mut Atoms::default()).expect_err(text);
        assert_eq!((error.message.as_str(), error.span.lo), (message, at), "{text}");
        assert!(render(&sources, &error, false).contains(message));
    }
}

#[test]
fn deep_formulas_are_refused_and_not_read_by_a_full_stack() {
    let texts = [
        "!".repeat(100_000) + "p",
        "(".repeat(100_000) + "p",
        "p && ".repeat(100_000) + "p",
        "(".repeat(400) + "x >",
    ];
    for text in texts {
        let mut sources = SourceMap::default();
        let file = sources.add_file("formula", text, None);
        let error = parse(&sources, file, &mut Atoms::default()).expect_err("deep");
        assert!(error.is_error());
    }
}

#[test]
fn broken_formulas_never_panic() {
    let mut random = support::Random(17);
    let pieces = [
        "[]", "<>", "(", ")", "p", "q", "U", "W", "V", "X", "!", "&&", "||", "->", "<->", "{", "}", "\"",
        "x > 3", "-", "~", "?", "[", "]", "@", ".", ",", "12", "true", "\u{e9}", "\\", "/", "<", "len", " ",
        "\n",
    ];
    for _ in 0..20_000 {
        let count = 1 + random.below(9);
        let text: String = (0..count).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        let mut sources = SourceMap::default();
        let file = sources.add_file("formula", text, None);
        if let Err(error) = parse(&sources, file, &mut Atoms::default()) {
            render(&sources, &error, false);
        }
    }
}
