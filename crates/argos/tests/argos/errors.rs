//! What is wrong with a text, each message as it is shown: one test a rule of the language.

mod assertions;
mod completeness;
mod habits;
mod names;
mod syntax;

use expect_test::Expect;
use panoptes_argos::{Meaning, lower, parse_str};
use panoptes_model::verify;
use panoptes_source::{Diagnostic, render};

/// Everything the front end says about a text.
fn shown(text: &str) -> String {
    let (sources, module, mut diagnostics) = parse_str(text);
    if !diagnostics.iter().any(Diagnostic::is_error) {
        let lowered = lower(&module, &sources, "model.argos", Meaning::default());
        diagnostics.extend(lowered.diagnostics);
        let failed = diagnostics.iter().any(Diagnostic::is_error);
        assert_eq!(failed, lowered.model.is_none());
        if let Some(model) = &lowered.model {
            assert_eq!(verify(model), []);
        }
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
