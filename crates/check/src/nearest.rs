//! Breadth-first search for a nearest error.
//!
//! A level of a breadth-first search is an atomic sequence or a merged step, which may be many steps long, and a reduced search may
//! leave out the nearest path. So when an error is found, a second search that counts every step looks for a nearer one, not at
//! any price.

use crate::plan::Plan;
use panoptes_exec::Executor;
use panoptes_search::{Observer, Outcome, Reduction, SearchOptions, bfs_by_steps};
use panoptes_store::StateStore;
use std::time::Instant;

/// The second search may always store this many states.
const NEAREST_STATES: u64 = 100_000;
/// Of the states that several processes stored, one that goes on alone counts this many at least.
const NEAREST_ALONE: u64 = 8_000_000;

/// One search, `by_states`, and perhaps a second one. With `shortest`, only the one that counts steps.
pub(crate) fn breadth_first<S: StateStore + Default>(
    &Plan { model, options, .. }: &Plan<'_>,
    shortest: bool,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    by_states: impl FnOnce(&mut dyn Executor, &mut dyn Observer) -> Outcome,
) -> Outcome {
    // Where every step ends in a state, levels are steps.
    let has_chains = model.has_chains();
    if options.depth_max.is_some() || (shortest && has_chains) {
        return bfs_by_steps::<S>(model, executor, options, observer);
    }
    let start = Instant::now();
    let outcome = by_states(executor, observer);
    let is_nearest = !has_chains && outcome.reduction != Reduction::Por;
    // That search needs to read states back.
    let is_readable = S::KEEPS_VECTORS && options.foldings.is_empty();
    if outcome.errors.is_empty() || options.all_errors || is_nearest || !is_readable {
        return outcome;
    }
    // Without reduction there may be many more states.
    let stored = match outcome.owners.first() {
        None => outcome.statistics.stored,
        // One process makes this search, which has the memory for its own part.
        Some(first) => outcome.statistics.stored.min(NEAREST_ALONE.max(first.statistics.stored)),
    };
    let states_max = Some((2 * stored).max(NEAREST_STATES));
    let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
    if time.is_some_and(|time| time.is_zero()) {
        return outcome;
    }
    let options = SearchOptions { por: false, states_max, time, ..options.clone() };
    let nearest = bfs_by_steps::<S>(model, executor, &options, observer);
    if nearest.errors.is_empty() {
        return outcome;
    }
    Outcome { threads: outcome.threads, owners: outcome.owners, ..nearest }
}
