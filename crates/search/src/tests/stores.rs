//! Stores that forget states or keep hardly anything of them, and searches that do not store all: on random graphs and on
//! large ones.

use super::random::{expected, graphs, name};
use super::{Search, all_errors, run};
use crate::mock::Numbers;
use crate::{Limit, Outcome, SearchOptions, bfs, dfs};
use panoptes_exec::{Ending, Executor, Fault, FaultKind, Replay, Step, Successors};
use panoptes_model::{Model, TransId};
use panoptes_source::Span;
use panoptes_store::{
    BitStore, CacheStore, ExactStore, FingerprintStore, Replacement, StoreAccount, StoreSettings,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

const RECOGNISING: [(&str, Search); 4] = [
    ("dfs, bits", dfs::<BitStore>),
    ("bfs, bits", bfs::<BitStore>),
    ("dfs, fingerprints", dfs::<FingerprintStore>),
    ("bfs, fingerprints", bfs::<FingerprintStore>),
];

fn settings(store: StoreSettings) -> SearchOptions {
    SearchOptions { store, ..all_errors() }
}

fn bits(bits: u64) -> StoreSettings {
    StoreSettings { bits: Some(bits), ..StoreSettings::default() }
}

fn cache(cache_states: usize, replacement: Option<Replacement>) -> StoreSettings {
    StoreSettings { cache_states, replacement, ..StoreSettings::default() }
}

fn names(outcome: &Outcome) -> BTreeSet<String> {
    outcome.errors.iter().map(name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// Where nothing is confused, all is found; and the searches say that something could have been confused.
    #[test]
    fn a_search_that_keeps_no_vectors_finds_what_there_is(graph in graphs()) {
        let expected = expected(&graph, 200);
        for (search_name, search) in RECOGNISING {
            let outcome = run(search, &graph, &settings(bits(1 << 16)));
            prop_assert_eq!(outcome.statistics.stored, expected.stored.len() as u64, "{}", search_name);
            prop_assert_eq!(outcome.statistics.transitions, expected.transitions, "{}", search_name);
            prop_assert_eq!(names(&outcome), expected.errors.keys().cloned().collect(), "{}", search_name);
            prop_assert!(!outcome.complete && outcome.limits.len() == 1);
        }
    }

    /// However few states a cache holds, the answer is complete.
    #[test]
    fn a_cache_of_any_size_gives_the_whole_answer(graph in graphs(), size in 1usize..12, rule in 0usize..7) {
        let expected = expected(&graph, 200);
        let outcome = run(dfs::<CacheStore>, &graph, &settings(cache(size, Replacement::ALL.get(rule).copied())));
        prop_assert!(outcome.complete);
        prop_assert!(outcome.statistics.stored >= expected.stored.len() as u64);
        prop_assert_eq!(names(&outcome), expected.errors.keys().cloned().collect());
        let StoreAccount::Cache(account) = &outcome.store else { panic!("a wrong account") };
        prop_assert_eq!(account.distinct, expected.stored.len() as u64);
        prop_assert_eq!(account.created, outcome.statistics.stored);
        let whole = run(dfs::<ExactStore>, &graph, &all_errors());
        prop_assert_eq!(outcome.executed, whole.executed);
    }

    /// Every error within the bound is found, whatever is stored; if the search says that it is complete, it is.
    #[test]
    fn a_bounded_search_that_forgets_finds_all_within_the_bound(
        graph in graphs(), depth_max in 0usize..12, size in 1usize..12, loop_states in any::<bool>()
    ) {
        let within = expected(&graph, depth_max);
        let all = expected(&graph, 200);
        let store = cache(size, Some(Replacement::RoundRobin));
        let options = SearchOptions { depth_max: Some(depth_max as u64), loop_states, ..settings(store) };
        let searches: [(&str, Search); 3] =
            [("cache", dfs::<CacheStore>), ("exact", dfs::<ExactStore>), ("fingerprints", dfs::<FingerprintStore>)];
        for (search_name, search) in searches {
            let outcome = run(search, &graph, &options);
            prop_assert!(outcome.errors.iter().all(|error| error.length <= depth_max));
            prop_assert_eq!(names(&outcome), within.errors.keys().cloned().collect(), "{}", search_name);
            prop_assert!(!outcome.complete || within.errors.len() == all.errors.len());
        }
        // One bit or a few for each state leave no room for its depth: what is found is there, and that is all.
        let outcome = run(dfs::<BitStore>, &graph, &SearchOptions { store: bits(1 << 16), ..options });
        prop_assert!(outcome.errors.iter().all(|error| error.length <= depth_max));
        prop_assert!(names(&outcome).is_subset(&within.errors.keys().cloned().collect()));
        prop_assert!(!outcome.complete);
    }

    /// Storing few states changes no answer.
    #[test]
    fn a_search_that_stores_few_states_gives_the_whole_answer(graph in graphs()) {
        let expected = expected(&graph, 200);
        let options = SearchOptions { loop_states: true, ..all_errors() };
        let outcome = run(dfs::<ExactStore>, &graph, &options);
        prop_assert!(outcome.complete);
        prop_assert!(outcome.statistics.stored <= expected.stored.len() as u64);
        prop_assert!(outcome.statistics.stored + outcome.statistics.passed >= expected.stored.len() as u64);
        prop_assert_eq!(names(&outcome), expected.errors.keys().cloned().collect());
    }

    /// A crowded array omits states, but what is found is there.
    #[test]
    fn a_crowded_array_finds_only_what_there_is(graph in graphs(), hashes in 1u32..5, seed in 0u64..100) {
        let expected = expected(&graph, 200);
        let store = StoreSettings { hashes, seed, ..bits(1) };
        for search in [dfs::<BitStore> as Search, bfs::<BitStore>] {
            let outcome = run(search, &graph, &settings(store.clone()));
            prop_assert!(outcome.statistics.stored <= expected.stored.len() as u64);
            prop_assert!(names(&outcome).is_subset(&expected.errors.keys().cloned().collect()));
        }
    }
}

/// Numbers in which each leads to three others, out of two hundred thousand.
fn scattered() -> Numbers<impl Fn(u64) -> Vec<u64>> {
    const SIZE: u64 = 200_000;
    Numbers(|at: u64| {
        let other = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        vec![(at + 1) % SIZE, other % SIZE, (at * 7 + 3) % SIZE]
    })
}

#[test]
fn the_estimate_of_what_is_missing_is_near_the_truth() {
    let whole = dfs::<ExactStore>(&Model::default(), &mut scattered(), &SearchOptions::default(), &mut ());
    let all = whole.statistics.stored as f64;
    for (search, array) in
        [(dfs::<BitStore> as Search, 1u64 << 21), (bfs::<BitStore>, 1 << 21), (dfs::<BitStore>, 1 << 20)]
    {
        let options = SearchOptions { store: bits(array), ..SearchOptions::default() };
        let outcome = search(&Model::default(), &mut scattered(), &options, &mut ());
        let StoreAccount::Bitstate(account) = &outcome.store else { panic!("a wrong account") };
        let truth = outcome.statistics.stored as f64 / all;
        assert!(truth < 0.9999, "something is missing");
        assert!((truth - account.coverage).abs() < 0.005, "{truth} estimated as {}", account.coverage);
        assert!(!account.is_bound);
        assert_eq!(outcome.limits, [Limit::Bitstate]);
    }
}

/// Nothing goes on from one of the numbers, and that is wrong, or the only step from there is. All that are expanded are listed.
struct Trap<E> {
    numbers: E,
    at: Option<u64>,
    is_fault: bool,
    expanded: Vec<u64>,
}

impl<E: Executor> Executor for Trap<E> {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.numbers.initial()
    }

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        let number = u64::from_le_bytes(state.try_into().expect("eight bytes"));
        self.expanded.push(number);
        self.numbers.successors(state, control, out);
        if self.at == Some(number) {
            out.clear();
            out.ending = Ending::Deadlock;
            if self.is_fault {
                let (kind, message) = (FaultKind::DivisionByZero, "trap".to_string());
                let step = Step { pid: 0, transition: TransId(0), partner: None };
                out.push(step, None, None, Some(Fault { kind, message, span: Span::default() }));
                out.ending = Ending::Moves;
            }
        }
    }

    fn replay(&mut self, _: &[u8], _: Option<u8>, _: usize) -> Option<Replay> {
        None
    }

    fn hidden_bytes(&self) -> usize {
        0
    }
}

#[test]
fn an_error_behind_omitted_states_is_found() {
    let options = SearchOptions { store: bits(1 << 20), ..SearchOptions::default() };
    for search in [dfs::<BitStore> as Search, bfs::<BitStore>] {
        let run = |at| {
            let mut trap = Trap { numbers: scattered(), at, is_fault: false, expanded: Vec::new() };
            let outcome = search(&Model::default(), &mut trap, &options, &mut ());
            (outcome, trap)
        };
        let (without, trap) = run(None);
        assert!(without.errors.is_empty());
        // Expanded last, and never before: the search itself did not come there.
        let last = *trap.expanded.last().expect("many");
        assert_eq!(trap.expanded.iter().filter(|number| **number == last).count(), 1);
        let (outcome, mut trap) = run(Some(last));
        assert_eq!(outcome.statistics.stored, without.statistics.stored);
        let [error] = &outcome.errors[..] else { panic!("{} errors", outcome.errors.len()) };
        assert!(error.length == error.path.len() && outcome.statistics.max_depth >= error.length as u64);
        let mut vector = trap.initial().expect("nothing is wrong with it");
        let mut out = Successors::default();
        for step in error.path.iter() {
            trap.successors(&vector, None, &mut out);
            let item = out.items.iter().find(|item| item.step() == step).expect("a step that can be taken");
            vector = out.state(item).to_vec();
        }
        assert_eq!(vector, last.to_le_bytes());
    }
}

/// A tree with eight levels of branches, and a fault one step behind a leaf: nothing else is as deep.
#[test]
fn a_fault_behind_omitted_states_is_as_deep_as_it_says() {
    const INNER: u64 = 21_845;
    let options = SearchOptions { store: bits(1 << 18), ..SearchOptions::default() };
    for search in [dfs::<BitStore> as Search, bfs::<BitStore>] {
        let run = |at| {
            let tree = |at| if at < INNER { (4 * at + 1..=4 * at + 4).collect() } else { vec![] };
            let mut trap = Trap { numbers: Numbers(tree), at, is_fault: true, expanded: Vec::new() };
            let outcome = search(&Model::default(), &mut trap, &options, &mut ());
            (outcome, trap.expanded)
        };
        let (without, expanded) = run(None);
        assert!(without.errors.is_empty());
        let behind = &expanded[without.statistics.stored as usize..];
        let leaf = behind.iter().rev().find(|number| **number >= INNER).expect("omitted leaves");
        let (outcome, _) = run(Some(*leaf));
        let [error] = &outcome.errors[..] else { panic!("{} errors", outcome.errors.len()) };
        assert_eq!((error.length, error.path.len(), outcome.statistics.max_depth), (9, 9, 9));
    }
}

/// Long chains: most of them are lost in a crowded array, and nobody can tell how much.
#[test]
fn where_too_much_is_missing_only_a_bound_is_told() {
    const SIZE: u64 = 200_000;
    let chains = || {
        Numbers(|at: u64| {
            if at.is_multiple_of(200) {
                vec![at + 1, (at + 200) % SIZE, (at * 7 + 400) % SIZE / 200 * 200]
            } else {
                vec![(at + 1) % SIZE]
            }
        })
    };
    let whole = dfs::<ExactStore>(&Model::default(), &mut chains(), &SearchOptions::default(), &mut ());
    let options = SearchOptions { store: bits(SIZE * 4), ..SearchOptions::default() };
    let outcome = dfs::<BitStore>(&Model::default(), &mut chains(), &options, &mut ());
    let StoreAccount::Bitstate(account) = &outcome.store else { panic!("a wrong account") };
    let truth = outcome.statistics.stored as f64 / whole.statistics.stored as f64;
    assert!(truth < 0.9, "much is missing: {truth}");
    assert!(
        account.is_bound && account.coverage > truth && account.coverage < 1.0,
        "{truth}, at most {}",
        account.coverage
    );
}

/// A search that was stopped cannot tell what it missed.
#[test]
fn a_search_that_was_stopped_tells_a_bound() {
    let options =
        SearchOptions { store: bits(1 << 21), states_max: Some(10_000), ..SearchOptions::default() };
    let outcome = dfs::<BitStore>(&Model::default(), &mut scattered(), &options, &mut ());
    let StoreAccount::Bitstate(account) = &outcome.store else { panic!("a wrong account") };
    assert!(account.is_bound && outcome.limits.contains(&Limit::States));
}

#[test]
fn a_cache_of_half_the_states_goes_through_a_grid() {
    let side = 100;
    let mut grid =
        Numbers(|at: u64| vec![(at % side + 1) % side + at / side * side, (at + side) % (side * side)]);
    let options = settings(cache(5000, Some(Replacement::RoundRobin)));
    let outcome = dfs::<CacheStore>(&Model::default(), &mut grid, &options, &mut ());
    assert!(outcome.complete);
    let StoreAccount::Cache(account) = &outcome.store else { panic!("a wrong account") };
    assert!(account.replaced > 1000 && outcome.statistics.stored >= 10_000, "{account:?}");
}

#[test]
fn a_long_path_needs_no_vectors_from_the_store() {
    let line = |at| if at < 300_000 { vec![at + 1, at / 2] } else { vec![] };
    // So many hashes that nothing is omitted: one omission would be the end of the line.
    let store = StoreSettings { hashes: 8, ..bits(1 << 26) };
    for (name, search) in RECOGNISING {
        let outcome = search(&Model::default(), &mut Numbers(line), &settings(store.clone()), &mut ());
        assert_eq!(outcome.statistics.stored, 300_001, "{name}");
    }
}
