//! What a verdict takes for granted where the language leaves a choice: what counts as a proper end, and when timeouts come.

use crate::{EndStates, Loaded, Meaning, Timeouts};
use panoptes_model::InitialProcess;
use panoptes_search::has_timeouts;

/// The choices behind a verdict about an Argos model.
#[derive(Clone, Debug)]
pub struct MeaningReport {
    pub end_states: EndStates,
    /// The processes that may end where they began.
    pub resting: Vec<String>,
    /// None if the model has no timeouts.
    pub timeouts: Option<Timeouts>,
}

impl MeaningReport {
    pub(super) fn of(loaded: &Loaded) -> Option<MeaningReport> {
        let Meaning { timeouts, end_states } = loaded.meaning?;
        let model = &loaded.model;
        let rests = |initial: &&InitialProcess| {
            // At the end of its text a process has no steps left.
            let states = &model.process(initial.process).states;
            states.iter().any(|state| state.end && !state.transitions.is_empty())
        };
        let resting = model.initial.iter().filter(rests);
        Some(MeaningReport {
            end_states,
            resting: resting.map(|initial| model.process(initial.process).name.clone()).collect(),
            timeouts: has_timeouts(model).then_some(timeouts),
        })
    }
}
