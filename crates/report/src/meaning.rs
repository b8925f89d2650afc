//! What a verdict takes for granted where the language leaves a choice: what counts as a proper end, and when timeouts come.

use panoptes_check::{Loaded, Meaning, Named, has_timeouts};
use panoptes_model::InitialProcess;

/// The choices behind a verdict about an Argos model.
#[derive(Clone, Debug)]
pub struct MeaningReport {
    /// `rest` or `strict`.
    pub end_states: &'static str,
    /// The processes that may end where they began.
    pub resting: Vec<String>,
    /// `free` or `lock-only`; none if the model has no timeouts.
    pub timeouts: Option<&'static str>,
}

impl MeaningReport {
    pub(crate) fn of(loaded: &Loaded) -> Option<MeaningReport> {
        let Meaning { timeouts, end_states } = loaded.meaning?;
        let model = &loaded.model;
        let rests = |initial: &&InitialProcess| {
            // At the end of its text a process has no steps left.
            let states = &model.process(initial.process).states;
            states.iter().any(|state| state.end && !state.transitions.is_empty())
        };
        let resting = model.initial.iter().filter(rests);
        Some(MeaningReport {
            end_states: end_states.name(),
            resting: resting.map(|initial| model.process(initial.process).name.clone()).collect(),
            timeouts: has_timeouts(model).then_some(timeouts.name()),
        })
    }

    /// The rows of the summary; `judges_ends` if deadlocks were looked for.
    pub(crate) fn rows(&self, judges_ends: bool) -> Vec<(&'static str, String)> {
        let ends = match (self.end_states, &self.resting[..]) {
            ("strict", _) => "a process must come to the end of its text (--end-states strict)".to_string(),
            (_, []) => {
                "a process must come to the end of its text: none comes back to where it began".to_string()
            }
            (_, resting) => format!(
                "resting at its initial state counts as a proper end for {} (--end-states strict: only the end of the text does)",
                named(resting)
            ),
        };
        let timeouts = self.timeouts.map(|when| {
            let text = match when {
                "free" => "free: possible whenever the channel is empty (--timeouts lock-only: only when nothing else is)",
                _ => "lock-only: possible only when nothing else is (--timeouts free: whenever the channel is empty)",
            };
            ("timeouts", text.to_string())
        });
        judges_ends.then_some(("ends", ends)).into_iter().chain(timeouts).collect()
    }
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
