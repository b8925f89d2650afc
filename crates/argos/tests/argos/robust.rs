//! Whatever the text is, the front end answers: a model that keeps every rule, or errors with places.

use panoptes_argos::{Meaning, lower, parse_str};
use panoptes_model::verify;
use panoptes_source::{Diagnostic, render};
use proptest::prelude::*;

const WORDS: &[&str] = &[
    "assert",
    "break",
    "channel",
    "default",
    "do",
    "fi",
    "goto",
    "if",
    "od",
    "proc",
    "pvar",
    "queue",
    "skip",
    "timeout",
    "var",
    "a",
    "b",
    "c",
    "m",
    "p",
    "0",
    "7",
    "99999",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "->",
    "→",
    ",",
    ":",
    "::",
    "=",
    "==",
    "≠",
    "!",
    "?",
    "+",
    "%",
    "#",
    "\n",
    "\n#define m",
    "$",
    "\"",
];

fn examine(text: &str) {
    let (sources, module, diagnostics) = parse_str(text);
    let lowered = lower(&module, &sources, "model.argos", Meaning::default());
    for diagnostic in diagnostics.iter().chain(&lowered.diagnostics) {
        render(&sources, diagnostic, false);
    }
    match &lowered.model {
        Some(model) => assert_eq!(verify(model), []),
        None => assert!(lowered.diagnostics.iter().any(Diagnostic::is_error)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn words_in_any_order(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        examine(&words.join(" "));
    }

    /// A model with some words changed.
    #[test]
    fn nearly_a_model(changes in prop::collection::vec((0..80usize, prop::sample::select(WORDS)), 0..4)) {
        let text = "channel a [ 2 ] = { m ( 7 ) , b } ; proc p { var x ; do :: a ? m ( x ) -> c ! m ( x + 1 ) \
                    :: a ? default ; b ( ) :: ( x > 0 ) -> break od ; L : goto L } proc q { queue c [ 1 ] ; \
                    if :: c ? m :: c ? timeout -> a ! m ( 3 ) fi } proc b ( ) { skip }";
        let mut words: Vec<&str> = text.split(' ').collect();
        for (at, word) in changes {
            let at = at % words.len();
            words[at] = word;
        }
        examine(&words.join(" "));
    }
}

#[test]
fn deep_nesting_is_told_and_not_suffered() {
    let deep = |open: &str, close: &str, depth: usize| open.repeat(depth) + "skip" + &close.repeat(depth);
    examine(&format!("proc p {{ {} }}", deep("if :: ", " fi", 5_000)));
    examine(&format!("proc p {{ {} }}", deep("do :: ", " od", 90)));
    examine(&format!("proc p {{ var x; x = {}1{} }}", "(".repeat(50_000), ")".repeat(50_000)));
    examine(&format!("proc p {{ var x; x = 1{} }}", " + 1".repeat(50_000)));
    examine(&format!("proc p {{ var x; (x) {} }}", "-> !".repeat(5_000)));
}
