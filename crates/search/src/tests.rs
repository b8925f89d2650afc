//! Both searches on small graphs made by hand, and on random ones against a search that is too simple to be wrong.

mod accounts;
mod by_hand;
mod checkpoint;
mod crew;
mod crew_dfs;
mod directed;
mod disk;
mod limits;
mod live;
mod owners;
mod partial;
mod random;
mod stores;

use crate::mock::Graph;
use crate::{Merit, Observer, Outcome, SearchOptions, bfs, bfs_by_steps, dfs, iddfs};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::ExactStore;

type Search = fn(&Model, &mut dyn Executor, &SearchOptions, &mut dyn Observer) -> Outcome;

/// Those that may be bounded in depth.
const SEARCHES: [(&str, Search); 4] = [
    ("dfs", dfs::<ExactStore>),
    ("bfs", bfs_by_steps::<ExactStore>),
    ("astar", astar),
    ("best-first", best_first),
];
const ALL_SEARCHES: [(&str, Search); 5] =
    [SEARCHES[0], SEARCHES[1], SEARCHES[2], SEARCHES[3], ("bfs over chains", bfs::<ExactStore>)];
/// It is several, one after the other.
const DEEPENING: (&str, Search) = ("iddfs", iddfs::<ExactStore>);

fn astar(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    crate::directed::<ExactStore>(model, executor, options, Merit::ASTAR, observer)
}

fn best_first(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    crate::directed::<ExactStore>(model, executor, options, Merit::BEST_FIRST, observer)
}

fn run(search: Search, graph: &Graph, options: &SearchOptions) -> Outcome {
    search(&graph.model(), &mut graph.clone(), options, &mut ())
}

fn all_errors() -> SearchOptions {
    SearchOptions { all_errors: true, ..SearchOptions::default() }
}

/// What the workers of one search will share.
#[test]
fn shared_types_can_be_shared() {
    fn can_be_shared<T: Send + Sync>() {}
    can_be_shared::<crate::program::Program<'_>>();
    can_be_shared::<crate::visited::Visited<ExactStore>>();
    can_be_shared::<crate::visited::Visited<panoptes_store::FingerprintStore>>();
    can_be_shared::<crate::visited::Visited<panoptes_store::BitStore>>();
    can_be_shared::<crate::visited::Visited<panoptes_store::TreeStore>>();
    can_be_shared::<crate::limits::Limits>();
    can_be_shared::<crate::parents::Parents>();
    can_be_shared::<crate::findings::Findings>();
    can_be_shared::<crate::frontier::Levels>();
    can_be_shared::<crate::frontier::StepLevels>();
    can_be_shared::<crate::frontier::stack::Stack>();
    can_be_shared::<crate::frontier::Buckets>();
    can_be_shared::<crate::frontier::Beam>();
}

/// Stored, transitions, and the length of the path of each distinct error, sorted.
fn summary(outcome: &Outcome) -> (u64, u64, Vec<usize>) {
    let statistics = &outcome.statistics;
    assert_eq!(statistics.transitions, statistics.stored + statistics.matched);
    let mut lengths: Vec<usize> = outcome.errors.iter().map(|error| error.path.len()).collect();
    lengths.sort_unstable();
    (statistics.stored, statistics.transitions, lengths)
}
