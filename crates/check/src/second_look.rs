//! A second look at a model that is too large: where memory or time ends a search that nobody chose, directed searches look for an error.
//!
//! A breadth-first search that runs out of memory or time has seen all that is near to the initial state, and nothing beyond. Searches that go by
//! estimates get far beyond with a few states. After a search that ran out of memory they may store a part of what it stored, so they cost a
//! part of what it took. Of a bound on time the last part is theirs, if by then the first search cannot come to its end: more states wait than it can expand
//! in that part. Searches that somebody chose are as before.

use crate::run::search_states;
use crate::{CheckSettings, Limits, Loaded, StoreSpec, Strategy, Verdict};
use panoptes_search::{Limit, Observer, Statistics};
use std::time::Instant;

/// Each of the searches may store this part of the states that the first one stored, …
const PART: u64 = 16;
/// … and always so many.
const STATES_MIN: u64 = 5_000;

/// This part of the time may be theirs.
const TIME_PART: u32 = 10;

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct SecondLook {
    pub strategy: Strategy,
    pub statistics: Statistics,
    /// The errors of the check are its errors.
    pub has_found: bool,
}

/// The settings of the first search: it gives up a part of the time for a second look, if there may be one and the search cannot end in it.
pub(crate) fn first_look(settings: &CheckSettings) -> CheckSettings {
    let is_ours = settings.strategy == Strategy::Auto && settings.chosen().0 == Strategy::BFS;
    let mut first = settings.clone();
    if is_ours && !settings.all_errors && again(settings, settings.limits).is_some() {
        first.limits.time_left_over = settings.limits.time.map(|time| time / TIME_PART);
    }
    first
}

/// Looks again if memory or time ended the search and nothing was found.
pub(crate) fn second_look(
    loaded: &Loaded,
    settings: &CheckSettings,
    verdict: &mut Verdict,
    start: Instant,
    observer: &mut dyn Observer,
) {
    let outcome = &verdict.outcome;
    let is_ended_by = |limit: Limit| outcome.limits.contains(&limit);
    let is_ours = settings.strategy == Strategy::Auto && verdict.strategy == Strategy::BFS;
    if is_ended_by(Limit::Stopped) || !is_ours || !outcome.errors.is_empty() || settings.all_errors {
        return;
    }
    let left = settings.limits.since(start);
    let limits = match is_ended_by(Limit::Memory) {
        true => Limits { states: Some((outcome.statistics.stored / PART).max(STATES_MIN)), ..left },
        false if is_ended_by(Limit::Time) => left,
        false => return,
    };
    let Some(attempt) = again(settings, limits) else { return };
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

/// The settings of the second look, if directed searches can do what is asked for.
fn again(settings: &CheckSettings, limits: Limits) -> Option<CheckSettings> {
    let attempt = CheckSettings {
        strategy: Strategy::Directed,
        store: StoreSpec::Exact,
        loop_states: false,
        improve: false,
        profile: false,
        limits,
        ..settings.clone()
    };
    attempt.refuse_contradictions().is_ok().then_some(attempt)
}
