//! What a verdict takes for granted where the language leaves a choice, in words.

use panoptes_check::{EndStates, MeaningReport, Timeouts};

/// The rows of the summary; `judges_ends` if deadlocks were looked for.
pub(crate) fn rows(meaning: &MeaningReport, judges_ends: bool) -> Vec<(&'static str, String)> {
    let ends = match (meaning.end_states, &meaning.resting[..]) {
        (EndStates::Strict, _) => {
            "a process must come to the end of its text (--end-states strict)".to_string()
        }
        (_, []) => {
            "a process must come to the end of its text: none comes back to where it began".to_string()
        }
        (_, resting) => format!(
            "resting at its initial state counts as a proper end for {} (--end-states strict: only the end of the text does)",
            named(resting)
        ),
    };
    let timeouts = meaning.timeouts.map(|when| {
        let text = match when {
            Timeouts::Free => "free: possible whenever the channel is empty (--timeouts lock-only: only when nothing else is)",
            Timeouts::LockOnly => "lock-only: possible only when nothing else is (--timeouts free: whenever the channel is empty)",
        };
        ("timeouts", text.to_string())
    });
    judges_ends.then_some(("ends", ends)).into_iter().chain(timeouts).collect()
}

/// `a`, `a and b`, `a, b, c and 4 more`.
fn named(names: &[String]) -> String {
    const NAMED_MAX: usize = 4;
    match names {
        [one] => one.clone(),
        [most @ .., last] if names.len() <= NAMED_MAX => format!("{} and {last}", most.join(", ")),
        _ => format!("{} and {} more", names[..NAMED_MAX - 1].join(", "), names.len() + 1 - NAMED_MAX),
    }
}
