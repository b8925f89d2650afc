//! A shortest way to an error: breadth first, or by A* where a sample shows that this spares most of the states.
//!
//! Breadth-first search looks at all states that are nearer than the error. A* with a lower bound on the steps that are left looks only at those that can
//! lie on so short a way, but each costs it more, and on most models they are nearly all. So breadth-first search begins. If it is not done
//! after some states, A* expands an eighth as many, by a small projection of the model. If it is done then, that is the answer. If it knows by
//! then that no error is as near as breadth-first search has got, it goes on; otherwise breadth-first search is taken up again.
//!
//! A* expands no state that breadth-first search does not, so where the sample misleads, only the price of a state is lost.

use crate::Strategy;
use crate::plan::Plan;
use panoptes_exec::Executor;
use panoptes_search::{
    HeuristicChoice, HeuristicKind, Limit, Merit, Observer, Outcome, PatternTable, SearchOptions, directed,
};
use panoptes_store::ExactStore;
use std::time::Instant;

/// Breadth-first search stores so many states at first.
const SAMPLE: u64 = 16_384;
/// A* expands this part of them.
const PART: u64 = 8;

/// What the search found that the model favours, unless that is breadth-first search, of which only the beginning was seen.
pub(crate) fn favoured(
    plan: &Plan<'_>,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Option<Outcome> {
    let start = Instant::now();
    let time_left = || plan.options.time.map(|time| time.saturating_sub(start.elapsed()));
    let options = SearchOptions { states_max: Some(SAMPLE), ..plan.options.clone() };
    let near = Strategy::SHORTEST.run::<ExactStore>(
        &Plan { options: &options, crew: None, ..*plan },
        executor,
        observer,
    );
    if !near.errors.is_empty() || near.limits != [Limit::States] {
        return Some(near);
    }
    let kind = HeuristicKind::Pattern(PatternTable::small());
    let options = SearchOptions {
        heuristic: Some(HeuristicChoice { kind, admissible: true }),
        time: time_left(),
        ..plan.options.clone()
    };
    let first = SearchOptions { expanded_max: Some(SAMPLE / PART), ..options.clone() };
    let sample = directed::<ExactStore>(plan.model, executor, &first, Merit::ASTAR, observer);
    if sample.limits != [Limit::States] {
        return Some(sample);
    }
    let level = sample.statistics.estimates.map_or(0, |estimates| estimates.level);
    let is_better = level > near.statistics.max_depth;
    let options = SearchOptions { time: time_left(), ..options };
    is_better.then(|| directed::<ExactStore>(plan.model, executor, &options, Merit::ASTAR, observer))
}
