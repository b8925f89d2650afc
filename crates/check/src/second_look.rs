//! A second look at a model that is too large: where memory ends a search that nobody chose, directed searches look for an error.
//!
//! A breadth-first search that runs out of memory has seen all that is near to the initial state, and nothing beyond. Searches that go by
//! estimates get far beyond with a few states. They may store a part of what the first search stored, so they cost a part of what it
//! took. Models that are searched to the end, and searches that somebody chose, are as before.

use crate::run::search_states;
use crate::{CheckSettings, Limits, Loaded, StoreSpec, Strategy, Verdict};
use panoptes_search::{Limit, Observer, Statistics};
use std::time::Instant;

/// Each of the searches may store this part of the states that the first one stored, …
const PART: u64 = 16;
/// … and always so many.
const STATES_MIN: u64 = 5_000;

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct SecondLook {
    pub strategy: Strategy,
    pub statistics: Statistics,
    /// The errors of the check are its errors.
    pub has_found: bool,
}

/// Looks again if memory ended the search and nothing was found.
pub(crate) fn second_look(
    loaded: &Loaded,
    settings: &CheckSettings,
    verdict: &mut Verdict,
    start: Instant,
    observer: &mut dyn Observer,
) {
    let outcome = &verdict.outcome;
    let is_full = outcome.limits.contains(&Limit::Memory) && !outcome.limits.contains(&Limit::Stopped);
    let is_ours = settings.strategy == Strategy::Auto && verdict.strategy == Strategy::BFS;
    if !is_full || !is_ours || !outcome.errors.is_empty() || settings.all_errors {
        return;
    }
    let states = Some((outcome.statistics.stored / PART).max(STATES_MIN));
    let attempt = CheckSettings {
        strategy: Strategy::Directed,
        store: StoreSpec::Exact,
        loop_states: false,
        improve: false,
        profile: false,
        limits: Limits { states, ..settings.limits.since(start) },
        ..settings.clone()
    };
    if attempt.refuse_contradictions().is_err() {
        return;
    }
    let second = search_states(loaded, &attempt, observer).outcome;
    if second.statistics.expanded == 0 {
        // There was no room even for that.
        return;
    }
    let has_found = !second.errors.is_empty();
    let strategy = attempt.strategy;
    verdict.second_look = Some(SecondLook { strategy, statistics: second.statistics, has_found });
    if has_found {
        (verdict.outcome.errors, verdict.outcome.error_counts) = (second.errors, second.error_counts);
    }
}
