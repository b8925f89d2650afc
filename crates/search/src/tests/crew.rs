//! Several workers find what one finds, and keep to the same limits.

use super::random::{expected, graphs, name};
use super::{all_errors, summary};
use crate::mock::{Graph, Numbers};
use crate::{
    Crew, Executors, FindingKind, Limit, Observer, Outcome, SearchOptions, Statistics, bfs, bfs_by_crew,
};
use panoptes_exec::{Executor, FaultKind};
use panoptes_model::Model;
use panoptes_store::{ExactStore, FingerprintStore, SharedVisited, TreeStore};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Makes an executor for each of the others.
pub(super) struct Make<F>(pub F);

impl<E: Executor, F: Fn() -> E + Sync> Executors for Make<F> {
    fn with_one(&self, work: &mut dyn FnMut(&mut dyn Executor)) {
        work(&mut (self.0)());
    }
}

/// With so many workers from the first level on.
pub(super) fn by<S: SharedVisited + Default, E: Executor>(
    threads: usize,
    model: &Model,
    make: impl Fn() -> E + Sync,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut first = make();
    let executors = Make(make);
    let crew = Crew { alone_until: 0, level_min: 1, ..Crew::new(threads, &executors) };
    bfs_by_crew::<S>(model, &mut first, options, observer, &crew)
}

fn by_graph<S: SharedVisited + Default>(threads: usize, graph: &Graph, options: &SearchOptions) -> Outcome {
    by_graph_with::<S>(threads, graph, options, &mut ())
}

pub(super) fn by_graph_with<S: SharedVisited + Default>(
    threads: usize,
    graph: &Graph,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    by::<S, Graph>(threads, &graph.model(), || graph.clone(), options, observer)
}

/// A grid of `side` by `side`: each step goes right or down, or wraps around.
pub(super) fn grid(side: u64) -> Numbers<impl Fn(u64) -> Vec<u64>> {
    Numbers(move |at| {
        let (x, y) = (at % side, at / side);
        vec![(x + 1) % side + y * side, x + (y + 1) % side * side]
    })
}

/// Ever more states in each level.
fn tree() -> Numbers<impl Fn(u64) -> Vec<u64>> {
    Numbers(|at| (1..4).map(|child| at * 3 + child).collect())
}

#[test]
fn a_grid_has_the_same_counts_for_any_number_of_workers() {
    for threads in [1, 2, 3, 8] {
        let outcome =
            by::<ExactStore, _>(threads, &Model::default(), || grid(300), &SearchOptions::default(), &mut ());
        assert_eq!(summary(&outcome), (90_000, 180_001, vec![]), "{threads}");
        let statistics = &outcome.statistics;
        assert_eq!((statistics.expanded, statistics.generated, statistics.max_depth), (90_000, 180_000, 598));
        assert!(outcome.complete && outcome.threads == threads);
    }
}

/// The names of errors and how long their paths are, in the order in which they are told.
fn told(outcome: &Outcome) -> Vec<(String, usize, u64)> {
    let told = |error: &crate::Finding| (name(error), error.path.len(), error.count);
    outcome.errors.iter().map(told).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn graphs_have_the_same_states_and_errors(graph in graphs()) {
        let graph = Graph { hidden_bytes: 0, ..graph };
        let expected = expected(&graph, 200);
        for threads in [2, 3] {
            for outcome in [
                by_graph::<ExactStore>(threads, &graph, &all_errors()),
                by_graph::<TreeStore>(threads, &graph, &all_errors()),
                by_graph::<FingerprintStore>(threads, &graph, &all_errors()),
            ] {
                let (stored, transitions, _) = summary(&outcome);
                prop_assert_eq!(stored, expected.stored.len() as u64);
                prop_assert_eq!(transitions, expected.transitions);
                let mut found: Vec<String> = outcome.errors.iter().map(name).collect();
                found.sort();
                prop_assert_eq!(found, expected.errors.keys().cloned().collect::<Vec<_>>());
                for error in &outcome.errors {
                    prop_assert!(error.path.len() >= expected.errors[&name(error)]);
                    prop_assert_eq!(error.path.len(), error.length);
                }
            }
        }
    }

    /// Where all steps end in states, all is the same: depth, lengths, counts, and which error is told.
    #[test]
    fn without_chains_nothing_differs(graph in graphs()) {
        let plain = graph.without_chains();
        for options in [all_errors(), SearchOptions::default()] {
            let alone = bfs::<ExactStore>(&plain.model(), &mut plain.clone(), &options, &mut ());
            for threads in [2, 5] {
                let outcome = by_graph::<ExactStore>(threads, &plain, &options);
                prop_assert_eq!(told(&outcome), told(&alone));
                prop_assert_eq!(&outcome.error_counts, &alone.error_counts);
                prop_assert_eq!(outcome.complete, alone.complete);
                if options.all_errors || alone.errors.is_empty() {
                    prop_assert_eq!(summary(&outcome), summary(&alone));
                    prop_assert_eq!(outcome.statistics.max_depth, alone.statistics.max_depth);
                    prop_assert_eq!(&outcome.executed, &alone.executed);
                }
            }
        }
    }
}

/// Many paths of the same length, and errors of both kinds side by side.
fn racy() -> Graph {
    let mut graph = Graph::default();
    for at in 0..400u16 {
        let (x, y) = (at % 20, at / 20);
        for (x, y) in [(x + 1, y), (x, y + 1)] {
            if x < 20 && y < 20 {
                let to = (x + 20 * y, None);
                let is_wrong = x + y == 30 && x % 3 == 0;
                graph = match is_wrong {
                    true => graph.fault((at, None), to, FaultKind::Assertion),
                    false => graph.edge((at, None), to),
                };
            }
        }
        if x + y == 31 && x % 4 == 0 {
            graph.edges.remove(&(at, None));
        }
    }
    graph
}

#[test]
fn a_thousand_runs_never_differ() {
    let graph = racy();
    for options in [SearchOptions::default(), all_errors()] {
        let first = by_graph::<ExactStore>(2, &graph, &options);
        assert!(!first.errors.is_empty());
        for turn in 0..500 {
            let outcome = by_graph::<ExactStore>(2 + turn % 3, &graph, &options);
            assert_eq!((summary(&outcome), told(&outcome)), (summary(&first), told(&first)));
            assert_eq!(outcome.statistics.max_depth, first.statistics.max_depth);
            assert_eq!(outcome.error_counts, first.error_counts);
        }
    }
}

#[test]
fn the_memory_bound_is_kept_by_eight_workers() {
    for memory in [3_000_000, 30_000_000] {
        let options = SearchOptions { memory_bytes: Some(memory), ..SearchOptions::default() };
        for outcome in [
            by::<ExactStore, _>(8, &Model::default(), tree, &options, &mut ()),
            by::<TreeStore, _>(8, &Model::default(), tree, &options, &mut ()),
            by::<FingerprintStore, _>(8, &Model::default(), tree, &options, &mut ()),
        ] {
            assert_eq!(outcome.limits[0], Limit::Memory);
            // What eight workers take before they store anything varies, up to half of the smaller bound.
            let for_states = memory - 1_500_000;
            assert!(!outcome.complete && outcome.statistics.stored > for_states / 150);
            let used = outcome.statistics.store_bytes + outcome.statistics.search_bytes;
            // Each has begun a chunk of parent links.
            assert!(used < memory as usize * 13 / 10 + 1_500_000, "{used} of {memory}");
        }
    }
}

#[test]
fn bounds_on_states_and_time_are_kept() {
    let options = SearchOptions { states_max: Some(100_000), ..SearchOptions::default() };
    let outcome = by::<ExactStore, _>(4, &Model::default(), tree, &options, &mut ());
    assert_eq!(outcome.limits, [Limit::States]);
    assert!((100_000..150_000).contains(&outcome.statistics.stored), "{:?}", outcome.statistics);
    let options = SearchOptions { time: Some(Duration::from_millis(100)), ..SearchOptions::default() };
    let start = Instant::now();
    let outcome = by::<ExactStore, _>(4, &Model::default(), tree, &options, &mut ());
    assert_eq!(outcome.limits, [Limit::Time]);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Asks the search to stop after some time, and is told how far all workers are.
struct Impatient(Instant, u64);

impl Observer for Impatient {
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        assert!(statistics.stored >= self.1, "counts never go back");
        self.1 = statistics.stored;
        if self.0.elapsed() > Duration::from_millis(50) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn who_looks_on_can_stop_all_workers() {
    let mut observer = Impatient(Instant::now(), 0);
    let outcome = by::<ExactStore, _>(3, &Model::default(), tree, &SearchOptions::default(), &mut observer);
    assert_eq!(outcome.limits, [Limit::Stopped]);
    assert!(observer.1 > 0);
}

#[test]
fn an_error_is_told_to_who_looks_on() {
    struct Ear(Vec<FindingKind>);
    impl Observer for Ear {
        fn error(&mut self, error: &crate::Finding) {
            self.0.push(error.kind);
        }
    }
    let graph = racy();
    let mut ear = Ear(Vec::new());
    let outcome = by::<ExactStore, Graph>(3, &graph.model(), || graph.clone(), &all_errors(), &mut ear);
    assert_eq!(ear.0.len(), outcome.errors.len());
}

#[test]
#[should_panic(expected = "a broken executor")]
fn a_worker_that_panics_ends_the_search() {
    let rule = |at: u64| {
        assert!(at < 50_000, "a broken executor");
        vec![at * 2 + 1, at * 2 + 2]
    };
    by::<ExactStore, _>(4, &Model::default(), || Numbers(rule), &SearchOptions::default(), &mut ());
}
