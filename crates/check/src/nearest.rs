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

/// The two searches over one kind of visited set.
pub(crate) struct ByLevels<A, B> {
    /// Only the one that counts steps is made.
    pub shortest: bool,
    /// Can vectors be read back, which the one that counts steps needs?
    pub can_read_back: bool,
    /// Levels are indivisible sequences.
    pub by_states: A,
    /// Levels are steps.
    pub by_steps: B,
}

impl<A, B> ByLevels<A, B>
where
    A: FnOnce(&mut dyn Executor, &mut dyn Observer) -> Outcome,
    B: FnOnce(&mut dyn Executor, &mut dyn Observer, &SearchOptions) -> Outcome,
{
    /// One search by states, and perhaps a second one.
    pub fn run(
        self,
        &Plan { model, options, .. }: &Plan<'_>,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Outcome {
        // Where every step ends in a state, levels are steps.
        let has_chains = model.has_chains();
        if options.depth_max.is_some() || (self.shortest && has_chains) {
            return (self.by_steps)(executor, observer, options);
        }
        let start = Instant::now();
        let outcome = (self.by_states)(executor, observer);
        let is_nearest = !has_chains && outcome.reduction != Reduction::Por;
        let is_readable = self.can_read_back && options.foldings.is_empty();
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
        let nearest = (self.by_steps)(executor, observer, &options);
        if nearest.errors.is_empty() {
            return outcome;
        }
        Outcome { threads: outcome.threads, owners: outcome.owners, ..nearest }
    }
}

/// The same in memory.
pub(crate) fn breadth_first<S: StateStore + Default>(
    plan: &Plan<'_>,
    shortest: bool,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    by_states: impl FnOnce(&mut dyn Executor, &mut dyn Observer) -> Outcome,
) -> Outcome {
    let by_steps = |executor: &mut dyn Executor, observer: &mut dyn Observer, options: &SearchOptions| {
        bfs_by_steps::<S>(plan.model, executor, options, observer)
    };
    let by_levels = ByLevels { shortest, can_read_back: S::KEEPS_VECTORS, by_states, by_steps };
    by_levels.run(plan, executor, observer)
}
