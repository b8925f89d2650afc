//! `--expect`: the verdict that is right for a model, given on the command line or in the model's first comment, where also
//! stands with which options.

use crate::failure::{Status, usage};
use clap::ValueEnum;
use panoptes_check::{Named, VerdictKind, listed, named};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Expect {
    Verified,
    Violated,
    Inconclusive,
    /// What the line `expect:` in the model's first comment says
    Model,
}

/// The verdict that is expected of the model with this text.
pub fn expected(asked: Expect, name: &str, text: &str) -> anyhow::Result<VerdictKind> {
    match asked {
        Expect::Verified => Ok(VerdictKind::Verified),
        Expect::Violated => Ok(VerdictKind::Violated),
        Expect::Inconclusive => Ok(VerdictKind::Inconclusive),
        Expect::Model => match in_first_comment(text, "expect") {
            None => Err(usage(format!(
                "the first comment of {name} does not say what to expect: add a line `expect: verified` or \
                 `expect: violated` to it"
            ))),
            // That is about states and steps; temporal properties have lines of their own.
            Some(_) if expects_violation(text) => Ok(VerdictKind::Violated),
            Some(word) => named(word).map_err(|_| {
                let there = listed::<VerdictKind>();
                usage(format!("the first comment of {name} expects `{word}`; there is {there}"))
            }),
        },
    }
}

/// The status of a check that had an expectation: 0 if it is met, else 1.
pub fn status(is_met: bool) -> Status {
    if is_met { Status::Success } else { Status::Violation }
}

/// What the first comment says about an option of that name, if it does.
pub fn option<T: Named>(name: &str, text: &str, option: &str) -> anyhow::Result<Option<T>> {
    let Some(word) = in_first_comment(text, option) else { return Ok(None) };
    named(word).map(Some).map_err(|_| {
        let there = listed::<T>();
        usage(format!("the first comment of {name} says `{option}: {word}`; there is {there}"))
    })
}

/// Does a line `ltl: NAME violated`, `never: violated` or the like of the first comment say so? What is to be asked for, as fairness
/// is, does not count.
fn expects_violation(text: &str) -> bool {
    let verdicts = ["ltl", "never", "acceptance", "progress"].map(|key| lines_of_first_comment(text, key));
    verdicts.into_iter().flatten().any(|line| line.split_whitespace().last() == Some("violated"))
}

/// The word behind a key and a colon in the comment that the text begins with, of either form.
fn in_first_comment<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    lines_of_first_comment(text, key).first().copied()
}

/// All that stands behind such a key there, line by line.
fn lines_of_first_comment<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let line_of = |line: &'t str| {
        let line = line.trim_start_matches(|sign: char| sign.is_whitespace() || sign == '*' || sign == '/');
        line.strip_prefix(key)?.strip_prefix(':').map(str::trim)
    };
    first_comment(text).lines().filter_map(line_of).collect()
}

fn first_comment(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(rest) = text.strip_prefix("/*") {
        return &rest[..rest.find("*/").unwrap_or(rest.len())];
    }
    let end = text.lines().take_while(|line| line.trim_start().starts_with("//")).last();
    // The last line of the comment is a part of the text, so this is where it ends.
    end.map_or("", |end| &text[..end.as_ptr() as usize - text.as_ptr() as usize + end.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expect(text: &str) -> Option<&str> {
        in_first_comment(text, "expect")
    }

    #[test]
    fn comments_of_both_forms() {
        assert_eq!(expect("/* A lock.\n *\n * expect: violated\n */\nbyte x;"), Some("violated"));
        assert_eq!(expect("/* expect: verified */"), Some("verified"));
        assert_eq!(expect("\n// A lock.\n// expect: verified\nbyte x;"), Some("verified"));
        assert_eq!(expect("byte x; /* expect: verified */"), None);
        assert_eq!(expect("/* A lock. */ /* expect: verified */"), None);
        assert_eq!(expect("// A lock.\nbyte x;\n// expect: verified"), None);
        assert_eq!(expect(""), None);
    }

    #[test]
    fn temporal_properties_have_lines_of_their_own() {
        let of = |lines: &str| {
            expected(Expect::Model, "m", &format!("/* expect: verified\n{lines} */")).expect("a verdict")
        };
        assert_eq!(of(""), VerdictKind::Verified);
        assert_eq!(of(" * ltl: p verified\n"), VerdictKind::Verified);
        assert_eq!(of(" * ltl: p verified\n * ltl: q violated\n"), VerdictKind::Violated);
        assert_eq!(of(" * never: violated\n"), VerdictKind::Violated);
    }
}
