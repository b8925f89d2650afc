//! Whatever remembers the states, the answer is the same where it claims to be, and every violation can be replayed.

use crate::support::models;
use panoptes_check::{
    BitArray, CacheSize, CheckSettings, Hashing, Limits, Loaded, Property, Replacement, Semantics, StoreSpec,
    Strategy, Verdict, VerdictKind, auto_depth, replay_error, run_search,
};
use panoptes_store::StoreAccount;
use std::collections::BTreeSet;
use std::time::Duration;

/// Larger models take too long when most states are searched many times.
const STATES_MAX: u64 = 10_000;
/// The most that a cache of half the states is tried on.
const CACHED_MAX: u64 = 120_000;
/// The most states that it may create for each that there is, if they are many: chance has more to say in models of a few hundred.
const CREATED_MAX: f64 = 2.5;
const CREATED_FREE: f64 = 2000.0;

fn all_errors() -> CheckSettings {
    CheckSettings { property: Property::Safety, all_errors: true, ..CheckSettings::default() }
}

/// Runs a check; its errors are replayed, those with a path.
fn run(loaded: &Loaded, options: &CheckSettings) -> Verdict {
    let verdict = run_search(loaded, options, &mut ());
    for error in verdict.outcome.errors.iter().filter(|error| error.path.len() == error.length) {
        replay_error(loaded, options, error).expect("a violation can be replayed");
    }
    verdict
}

fn errors(verdict: &Verdict) -> BTreeSet<String> {
    let name = |error: &panoptes_search::Finding| match &error.fault {
        Some(fault) => format!("{:?} {:?} {}", error.kind, fault.span, fault.message),
        None => format!("{:?} {:?}", error.kind, error.standing),
    };
    verdict.outcome.errors.iter().map(name).collect()
}

/// The models that are small enough, with what an exhaustive search finds.
fn small_models(options: &CheckSettings) -> Vec<(String, Loaded, Verdict)> {
    let limits = Limits::of_states(STATES_MAX + 1);
    let all = models().into_iter().map(|(name, loaded)| {
        let verdict = run(&loaded, &CheckSettings { strategy: Strategy::DFS, limits, ..options.clone() });
        (name, loaded, verdict)
    });
    let is_small = |verdict: &Verdict| {
        verdict.outcome.statistics.stored <= STATES_MAX && verdict.outcome.limits.is_empty()
    };
    let small: Vec<_> = all.filter(|(_, _, verdict)| is_small(verdict)).collect();
    assert!(small.len() > 50, "only {} models", small.len());
    small
}

/// Blindly, round robin, and within a bound of work: where the oldest state is forgotten first, several of these take a
/// thousand times as long.
#[test]
fn a_cache_of_half_the_states_gives_the_exhaustive_answer() {
    for is_exact in [false, true] {
        let base = CheckSettings { semantics: Semantics::new(!is_exact, !is_exact), ..all_errors() };
        let mut judged = 0;
        // One model has a path through most of its states and many ways back to it: half a cache is too little there.
        for (name, loaded) in models().into_iter().filter(|(name, _)| name != "object_requests.pml") {
            let limits = CheckSettings {
                strategy: Strategy::DFS,
                limits: Limits::of_states(CACHED_MAX),
                ..base.clone()
            };
            let whole = run(&loaded, &limits);
            // One model has more states when every order of steps is followed.
            if !whole.outcome.complete {
                assert!(is_exact, "{name}");
                continue;
            }
            judged += 1;
            let states = whole.outcome.statistics.stored as usize;
            // Round robin is what comes of no choice, unless too much is done twice: once is enough in the larger spaces.
            let rules = [None, Some(Replacement::RoundRobin)];
            for replacement in rules.into_iter().take(if is_exact { 1 } else { 2 }) {
                let cache = CacheSize { states: (states / 2).max(1), replacement };
                let created_max = CREATED_MAX * states as f64 + CREATED_FREE;
                let options = CheckSettings {
                    store: StoreSpec::Cache(cache),
                    // So that a rule that is no good fails, and does not go on for ever.
                    limits: Limits::of_states(2 * created_max as u64),
                    ..base.clone()
                };
                let cached = run(&loaded, &options);
                let name = format!("{name}, {replacement:?}, exact: {is_exact}");
                assert_eq!(cached.kind, whole.kind, "{name}");
                assert!(cached.outcome.complete, "{name}");
                assert_eq!(errors(&cached), errors(&whole), "{name}");
                assert_eq!(cached.outcome.executed, whole.outcome.executed, "{name}");
                let StoreAccount::Cache(account) = &cached.outcome.store else { panic!("a wrong account") };
                assert_eq!(account.replacement, Replacement::RoundRobin);
                assert!((account.created as f64) < created_max, "{name}: {account:?}");
            }
        }
        assert!(judged > 90, "only {judged} models");
    }
}

#[test]
fn every_rule_of_replacement_gives_the_exhaustive_answer() {
    for (name, loaded, whole) in small_models(&all_errors()) {
        let states = whole.outcome.statistics.stored as usize;
        for replacement in Replacement::ALL {
            let cache = CacheSize { states: (states / 4 * 3).max(1), replacement: Some(replacement) };
            let options = CheckSettings {
                store: StoreSpec::Cache(cache),
                limits: Limits::of_time(Duration::from_millis(500)),
                ..all_errors()
            };
            let cached = run(&loaded, &options);
            // Some rules do very much twice on some models.
            if cached.outcome.limits.is_empty() {
                assert!(cached.outcome.complete, "{name}");
                assert_eq!(errors(&cached), errors(&whole), "{name} {replacement:?}");
            } else {
                assert!(errors(&cached).is_subset(&errors(&whole)), "{name} {replacement:?}");
            }
        }
    }
}

#[test]
fn storing_only_loop_states_gives_the_exhaustive_answer() {
    let mut saved = 0;
    for (name, loaded, whole) in small_models(&all_errors()) {
        let options = CheckSettings {
            loop_states: true,
            limits: Limits::of_time(Duration::from_millis(500)),
            ..all_errors()
        };
        let verdict = run(&loaded, &options);
        if verdict.outcome.limits.is_empty() {
            assert_eq!(verdict.kind, whole.kind, "{name}");
            assert!(verdict.outcome.complete, "{name}");
            assert_eq!(errors(&verdict), errors(&whole), "{name}");
        }
        saved += usize::from(verdict.outcome.statistics.stored < whole.outcome.statistics.stored);
    }
    assert!(saved > 20, "{saved}");
}

#[test]
fn fingerprints_and_bits_find_what_there_is_and_do_not_claim_to_be_complete() {
    let hashing = Some(Hashing { hashes: 4, ..Hashing::DEFAULT });
    let small = small_models(&all_errors());
    for store in [StoreSpec::HashCompact, StoreSpec::Bitstate(BitArray { bits: Some(1 << 26), hashing })] {
        for search in [Strategy::DFS, Strategy::BFS] {
            for (name, loaded, whole) in &small {
                let options = CheckSettings { store, strategy: search, ..all_errors() };
                let verdict = run(loaded, &options);
                assert!(!verdict.outcome.complete);
                assert_ne!(verdict.kind, VerdictKind::Verified);
                assert_eq!(errors(&verdict), errors(whole), "{name} {store:?} {search:?}");
            }
        }
    }
}

/// Where the array has a bit for every state that there could be, a bit-state search is as good as any other.
#[test]
fn bits_of_their_own_give_the_exhaustive_answer() {
    for (por, optimise) in [(true, true), (false, false)] {
        let base = CheckSettings { semantics: Semantics::new(por, optimise), ..all_errors() };
        let mut direct = 0;
        for (name, loaded, whole) in small_models(&base) {
            let by_levels = run(&loaded, &CheckSettings { strategy: Strategy::BFS, ..base.clone() });
            for search in [Strategy::DFS, Strategy::BFS] {
                let whole = if search == Strategy::BFS { &by_levels } else { &whole };
                let verdict = run(
                    &loaded,
                    &CheckSettings {
                        store: StoreSpec::Bitstate(BitArray::default()),
                        strategy: search,
                        ..base.clone()
                    },
                );
                let StoreAccount::Direct(account) = verdict.outcome.store else { continue };
                direct += 1;
                assert_eq!(account.misfits, 0, "{name}: a value that it cannot have");
                assert_eq!(verdict.kind, whole.kind, "{name}");
                assert_eq!(verdict.outcome.complete, whole.outcome.complete, "{name}");
                assert_eq!(errors(&verdict), errors(whole), "{name}");
                let counts = |verdict: &Verdict| {
                    let statistics = &verdict.outcome.statistics;
                    (statistics.stored, statistics.transitions)
                };
                assert_eq!(counts(&verdict), counts(whole), "{name}");
            }
        }
        assert!(direct > 40, "only {direct}");
    }
}

/// An array that is one bit too short is used as any other.
#[test]
fn bits_of_their_own_are_used_only_if_there_are_enough() {
    let (_, loaded) = models().into_iter().find(|(name, _)| name == "dekker.pml").expect("it is there");
    let with = |bits, memory| {
        let store = StoreSpec::Bitstate(BitArray { bits, hashing: None });
        let limits = Limits { memory, ..Limits::default() };
        let options = CheckSettings { store, limits, ..all_errors() };
        run(&loaded, &options).outcome.store
    };
    let StoreAccount::Direct(account) = with(None, None) else { panic!("few states are possible") };
    assert!(matches!(with(Some(account.bits), None), StoreAccount::Direct(_)));
    assert!(matches!(with(Some(account.bits - 1), None), StoreAccount::Bitstate(_)));
    assert!(matches!(with(None, Some(account.bits / 8)), StoreAccount::Bitstate(_)));
}

/// A search that stores some states only notices when it does too much twice, and comes to its end.
#[test]
fn loop_states_do_not_run_away() {
    let (_, loaded) = models().into_iter().find(|(name, _)| name == "philosophers.pml").expect("it is there");
    let base = CheckSettings { strategy: Strategy::DFS, semantics: Semantics::EXACT, ..all_errors() };
    let whole = run(&loaded, &base);
    let verdict = run(&loaded, &CheckSettings { loop_states: true, ..base });
    assert!(verdict.outcome.complete);
    let statistics = &verdict.outcome.statistics;
    assert!(statistics.more_stored_from > 0, "it was not needed");
    let visits = statistics.stored + statistics.passed;
    assert!(visits < 3 * whole.outcome.statistics.stored, "{visits} visits");
}

#[test]
fn a_crowded_array_finds_only_what_can_be_replayed() {
    // Reduced searches may choose other states.
    let base = CheckSettings { semantics: Semantics::new(false, true), ..all_errors() };
    for (name, loaded, whole) in small_models(&base) {
        let states = whole.outcome.statistics.stored;
        let hashing = Some(Hashing { passes: 3, ..Hashing::DEFAULT });
        let store = StoreSpec::Bitstate(BitArray { bits: Some(2 * states), hashing });
        let options = CheckSettings { store, ..base.clone() };
        let verdict = run(&loaded, &options);
        assert!(errors(&verdict).is_subset(&errors(&whole)), "{name}");
        assert_eq!(verdict.passes.len(), 3);
        assert_eq!(
            verdict.passes.iter().map(|pass| pass.errors_added).sum::<usize>(),
            verdict.outcome.errors.len()
        );
        let most = verdict.passes.iter().map(|pass| pass.stored).max().unwrap_or(0);
        let added: u64 = verdict.passes.iter().map(|pass| pass.added).sum();
        // The sample holds all states of a model so small.
        assert!(most <= added && added <= states, "{name}: {most} {added} {states}");
        assert_eq!(verdict.outcome.statistics.stored, most);
    }
}

/// Whatever breadth-first search finds within a bound, depth-first search finds, and conversely.
#[test]
fn bounded_depth_first_search_finds_all_that_breadth_first_search_finds() {
    let small = StoreSpec::Cache(CacheSize { states: 200, replacement: None });
    for (name, loaded) in models() {
        for depth in [1, 4, 20] {
            let with = |search, store, loop_states| {
                let time = Some(Duration::from_secs(1));
                let limits = Limits { time, ..Limits::of_depth(depth) };
                let options = CheckSettings { strategy: search, store, loop_states, limits, ..all_errors() };
                run(&loaded, &options)
            };
            let breadth_first = with(Strategy::BFS, StoreSpec::Exact, false);
            let expected = errors(&breadth_first);
            let counts = |verdict: &Verdict| verdict.outcome.error_counts.clone();
            assert!(breadth_first.outcome.errors.iter().all(|error| error.length as u64 <= depth), "{name}");
            for (store, loop_states) in [
                (StoreSpec::Exact, false),
                (StoreSpec::Compressed, false),
                (StoreSpec::HashCompact, false),
                (small, false),
                (StoreSpec::Exact, true),
            ] {
                let depth_first = with(Strategy::DFS, store, loop_states);
                if depth_first.outcome.limits.contains(&panoptes_search::Limit::Time) {
                    continue;
                }
                assert_eq!(errors(&depth_first), expected, "{name} {depth} {store:?} {loop_states}");
                if store != small && !loop_states {
                    assert_eq!(counts(&depth_first), counts(&breadth_first), "{name} {depth} {store:?}");
                }
                assert!(depth_first.outcome.errors.iter().all(|error| error.length as u64 <= depth));
            }
        }
    }
}

#[test]
fn the_depth_of_the_papers_is_ten_times_the_control_states() {
    let (_, loaded) =
        models().into_iter().find(|(name, _)| name == "alternating_bit.pml").expect("it is there");
    let states =
        |id: u32| panoptes_model::Machine::of(&loaded.model, panoptes_model::ProcId(id)).states as u64;
    let all: u64 = loaded.model.initial.iter().map(|initial| states(initial.process.0)).sum();
    assert_eq!(auto_depth(&loaded.model), 10 * all);
}
