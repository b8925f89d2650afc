//! Shorter ways to what was found.
//!
//! Whatever search found an error, A* within a smaller depth looks for a nearer one, until there is none or a budget is spent. The last of
//! these searches is the proof, if it came to its end: it has seen everything within a depth of one step less.

use crate::run::search_states;
use crate::{CheckSettings, Depth, Limits, Loaded, StoreSpec, Strategy, Verdict};
use panoptes_search::{Limit, Observer};
use std::time::Instant;

/// Each of the searches may always store so many states.
const STATES_MIN: u64 = 100_000;

/// Shortens the path of the error that was found, if one was, and says whether a shorter one may be left.
pub(crate) fn improve(
    loaded: &Loaded,
    settings: &CheckSettings,
    verdict: &mut Verdict,
    start: Instant,
    observer: &mut dyn Observer,
) {
    let states = Some((2 * verdict.outcome.statistics.stored).max(STATES_MIN));
    while let Some(error) = verdict.outcome.errors.first() {
        let Some(depth) = error.length.checked_sub(1) else {
            verdict.outcome.is_shortest = Some(true);
            return;
        };
        let depth = Some(Depth::Steps(depth as u64));
        let attempt = CheckSettings {
            strategy: Strategy::Astar,
            heuristic: None,
            store: StoreSpec::Exact,
            loop_states: false,
            foldings: Vec::new(),
            improve: false,
            profile: false,
            limits: Limits { depth, states, ..settings.limits.since(start) },
            ..settings.clone()
        };
        let nearer = search_states(loaded, &attempt, observer).outcome;
        verdict.outcome.statistics = verdict.outcome.statistics.plus(&nearer.statistics);
        if nearer.errors.is_empty() {
            let is_known = nearer.limits.iter().all(|limit| *limit == Limit::Depth);
            verdict.outcome.is_shortest = Some(is_known);
            return;
        }
        (verdict.outcome.errors, verdict.outcome.error_counts) = (nearer.errors, nearer.error_counts);
    }
}
