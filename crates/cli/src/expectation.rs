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

/// The word behind a key and a colon in the comment that the text begins with, of either form.
fn in_first_comment<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let comment = if let Some(rest) = text.strip_prefix("/*") {
        &rest[..rest.find("*/").unwrap_or(rest.len())]
    } else if text.starts_with("//") {
        let end = text.lines().take_while(|line| line.trim_start().starts_with("//")).last()?;
        // The last line of the comment is a part of the text, so this is where it ends.
        &text[..end.as_ptr() as usize - text.as_ptr() as usize + end.len()]
    } else {
        return None;
    };
    comment.lines().find_map(|line| {
        let line = line.trim_start_matches(|sign: char| sign.is_whitespace() || sign == '*' || sign == '/');
        line.strip_prefix(key)?.strip_prefix(':').map(str::trim)
    })
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
}
