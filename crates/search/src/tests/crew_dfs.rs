//! Several workers that go depth first find what one finds, and keep to the same limits; and so they do with bits.

use super::crew::{Make, grid};
use super::random::{expected, graphs, name};
use super::{all_errors, summary};
use crate::mock::{Graph, Numbers};
use crate::{Crew, Limit, Observer, Outcome, SearchOptions, dfs_by_crew};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::{
    BitLayout, BitStore, ExactStore, FingerprintStore, SharedVisited, StoreAccount, StoreSettings, TreeStore,
};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// With so many workers from the second state on.
fn by<S: SharedVisited + Default, E: Executor>(
    threads: usize,
    model: &Model,
    make: impl Fn() -> E + Sync,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut first = make();
    let executors = Make(make);
    let crew = Crew { alone_until: 0, level_min: 1, ..Crew::new(threads, &executors) };
    dfs_by_crew::<S>(model, &mut first, options, observer, &crew)
}

fn by_graph<S: SharedVisited + Default>(threads: usize, graph: &Graph, options: &SearchOptions) -> Outcome {
    by::<S, Graph>(threads, &graph.model(), || graph.clone(), options, &mut ())
}

fn with_bits(bits: u64, bit_layout: BitLayout) -> SearchOptions {
    let store = StoreSettings { bits: Some(bits), hashes: 3, bit_layout, ..StoreSettings::default() };
    SearchOptions { store, ..SearchOptions::default() }
}

#[test]
fn a_grid_has_the_same_counts_for_any_number_of_workers() {
    for threads in [1, 2, 3, 8] {
        let options = SearchOptions::default();
        for outcome in [
            by::<ExactStore, _>(threads, &Model::default(), || grid(200), &options, &mut ()),
            by::<TreeStore, _>(threads, &Model::default(), || grid(200), &options, &mut ()),
            by::<FingerprintStore, _>(threads, &Model::default(), || grid(200), &options, &mut ()),
        ] {
            assert_eq!(summary(&outcome), (40_000, 80_001, vec![]), "{threads}");
            let statistics = &outcome.statistics;
            assert_eq!((statistics.expanded, statistics.generated), (40_000, 80_000));
            assert_eq!(outcome.threads, threads);
        }
        for layout in [BitLayout::Plain, BitLayout::Blocked] {
            // So long that nothing is omitted.
            let options = with_bits(1 << 28, layout);
            let outcome = by::<BitStore, _>(threads, &Model::default(), || grid(200), &options, &mut ());
            assert_eq!(summary(&outcome), (40_000, 80_001, vec![]), "{threads} {layout:?}");
            assert_eq!(outcome.threads, threads);
        }
    }
}

/// In a crowded array some states are omitted. How many is told as well as with one worker, and states that two workers meet at the same
/// time are not taken for omitted ones.
#[test]
fn what_a_crowded_array_omits_is_told() {
    for layout in [BitLayout::Plain, BitLayout::Blocked] {
        for bits in [1 << 19, 1 << 21] {
            let options = with_bits(bits, layout);
            let account = |threads| {
                let outcome = by::<BitStore, _>(threads, &Model::default(), || grid(200), &options, &mut ());
                match outcome.store {
                    StoreAccount::Bitstate(account) => (outcome.statistics.stored, account),
                    other => panic!("{other:?}"),
                }
            };
            for threads in [1, 2, 4] {
                let (stored, account) = account(threads);
                assert_eq!(account.stored, stored);
                assert!(account.bits_set <= 3 * stored && account.bits_set > 2 * stored);
                let missing = 40_000 - stored as i64;
                assert!(missing >= 0);
                let reckoned = stored as f64 * (1.0 / account.coverage - 1.0);
                let doubt = 6.0 * (missing as f64).sqrt() + 0.35 * missing as f64 + 3.0;
                assert!(
                    (missing as f64 - reckoned).abs() <= doubt || account.is_bound,
                    "{layout:?} {bits} {threads}: {missing} missing, {reckoned} reckoned"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn graphs_have_the_same_states_and_errors(graph in graphs()) {
        let graph = Graph { hidden_bytes: 0, ..graph };
        let expected = expected(&graph, 200);
        for threads in [2, 3] {
            let bits = SearchOptions { all_errors: true, ..with_bits(1 << 26, BitLayout::Plain) };
            for outcome in [
                by_graph::<ExactStore>(threads, &graph, &all_errors()),
                by_graph::<TreeStore>(threads, &graph, &all_errors()),
                by_graph::<BitStore>(threads, &graph, &bits),
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
            let one = by_graph::<ExactStore>(threads, &graph, &SearchOptions::default());
            prop_assert_eq!(one.errors.is_empty(), expected.errors.is_empty());
            prop_assert!(one.errors.len() <= 1);
        }
    }
}

/// Ever more states behind each.
fn tree() -> Numbers<impl Fn(u64) -> Vec<u64>> {
    Numbers(|at| if at > 1 << 40 { Vec::new() } else { (1..4).map(|child| at * 3 + child).collect() })
}

#[test]
fn limits_are_kept_by_eight_workers() {
    let options = SearchOptions { memory_bytes: Some(30_000_000), ..SearchOptions::default() };
    for outcome in [
        by::<ExactStore, _>(8, &Model::default(), tree, &options, &mut ()),
        by::<TreeStore, _>(8, &Model::default(), tree, &options, &mut ()),
    ] {
        assert_eq!(outcome.limits[0], Limit::Memory);
        assert!(!outcome.complete && outcome.statistics.stored > 100_000);
        let used = outcome.statistics.store_bytes + outcome.statistics.search_bytes;
        assert!(used < 39_000_000, "{used}");
    }
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

#[test]
#[should_panic(expected = "a broken executor")]
fn a_worker_that_panics_ends_the_search() {
    let rule = |at: u64| {
        assert!(at < 50_000, "a broken executor");
        vec![at * 2 + 1, at * 2 + 2]
    };
    by::<ExactStore, _>(4, &Model::default(), || Numbers(rule), &SearchOptions::default(), &mut ());
}
