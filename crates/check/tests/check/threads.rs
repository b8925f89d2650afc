//! However many threads search, the answer is the same, and every violation can be replayed.

use crate::support::models;
use panoptes_check::{
    BitArray, BitLayout, CheckSettings, Engine, Hashing, Language, Limits, Loaded, Property, Semantics,
    StoreSpec, Strategy, TextOptions, Threads, Verdict, load_text, replay_error, run_search,
};
use panoptes_modelgen::{Profile, generate};
use std::collections::BTreeSet;
use std::path::Path;

/// Larger models take too long with eight threads on few cores.
const STATES_MAX: u64 = 60_000;

fn run(loaded: &Loaded, settings: &CheckSettings) -> Verdict {
    let verdict = run_search(loaded, settings, &mut ());
    for error in verdict.outcome.errors.iter().filter(|error| error.path.len() == error.length) {
        replay_error(loaded, settings, error).expect("a violation can be replayed");
    }
    verdict
}

/// By kind, place, message and where processes stand; with its length, if that counts.
fn errors(verdict: &Verdict, with_length: bool) -> Vec<String> {
    let name = |error: &panoptes_search::Finding| {
        let what = match &error.fault {
            Some(fault) => format!("{:?} {:?} {}", error.kind, fault.span, fault.message),
            None => format!("{:?} {:?}", error.kind, error.standing),
        };
        if with_length { format!("{what} {}", error.length) } else { what }
    };
    verdict.outcome.errors.iter().map(name).collect()
}

/// One statement is one step: the same states, transitions and errors, and where no sequences are atomic the same depth.
#[test]
fn counts_are_the_same_for_any_number_of_threads() {
    let mut judged = 0;
    for (name, loaded) in models() {
        let base = CheckSettings {
            property: Property::Safety,
            strategy: Strategy::BFS,
            semantics: Semantics::EXACT,
            limits: Limits::of_states(STATES_MAX),
            threads: Threads::at_once(1),
            ..CheckSettings::default()
        };
        let one = run(&loaded, &base);
        if one.outcome.statistics.stored > STATES_MAX {
            continue;
        }
        judged += 1;
        let has_chains = loaded.model.has_chains();
        for store in [StoreSpec::Exact, StoreSpec::Compressed, StoreSpec::HashCompact] {
            for count in [2, 3, 8] {
                // Native code is made for each thread, which takes longer than most of these searches.
                let engine = if count == 2 { Engine::Auto } else { Engine::Interp };
                let threads = Threads::at_once(count);
                let settings = CheckSettings { store, threads, engine, ..base.clone() };
                let several = run(&loaded, &settings);
                let name = format!("{name}, {count} threads, {store}");
                assert!(several.outcome.threads <= count as usize, "{name}");
                if store != StoreSpec::HashCompact {
                    assert_eq!(several.kind, one.kind, "{name}");
                    assert_eq!(several.outcome.complete, one.outcome.complete, "{name}");
                }
                let sorted =
                    |verdict: &Verdict| errors(verdict, !has_chains).into_iter().collect::<BTreeSet<_>>();
                if store == StoreSpec::Exact {
                    assert_eq!(errors(&several, true), errors(&one, true), "{name}");
                }
                assert_eq!(sorted(&several), sorted(&one), "{name}");
                if one.outcome.errors.is_empty() {
                    let counts = |verdict: &Verdict| {
                        let found = &verdict.outcome.statistics;
                        (found.stored, found.transitions, found.expanded, found.generated)
                    };
                    assert_eq!(counts(&several), counts(&one), "{name}");
                    assert_eq!(several.outcome.executed, one.outcome.executed, "{name}");
                    let depth = |verdict: &Verdict| verdict.outcome.statistics.max_depth;
                    assert!(has_chains || depth(&several) == depth(&one), "{name}");
                }
            }
        }
    }
    assert!(judged > 60, "only {judged} models");
}

/// The same depth first, where paths and depths may differ, and over bits, in both orders.
#[test]
fn depth_first_and_over_bits_counts_are_the_same() {
    let (mut judged, mut shared) = (0, 0);
    let hashing = Some(Hashing::DEFAULT);
    let hashed = StoreSpec::Bitstate(BitArray { bits: Some(1 << 27), hashing });
    let blocked = Hashing { layout: BitLayout::Blocked, ..Hashing::DEFAULT };
    let blocked = StoreSpec::Bitstate(BitArray { bits: Some(1 << 27), hashing: Some(blocked) });
    let direct = StoreSpec::Bitstate(BitArray::default());
    let ways = [
        (Strategy::DFS, StoreSpec::Exact, 2),
        (Strategy::DFS, StoreSpec::Exact, 8),
        (Strategy::DFS, StoreSpec::Compressed, 3),
        (Strategy::DFS, StoreSpec::HashCompact, 2),
        (Strategy::DFS, hashed, 3),
        (Strategy::DFS, blocked, 2),
        (Strategy::DFS, direct, 8),
        (Strategy::BFS, hashed, 2),
        (Strategy::BFS, blocked, 8),
        (Strategy::BFS, direct, 3),
    ];
    for (name, loaded) in models() {
        let base = CheckSettings {
            property: Property::Safety,
            strategy: Strategy::DFS,
            semantics: Semantics::EXACT,
            all_errors: true,
            engine: Engine::Interp,
            limits: Limits::of_states(STATES_MAX),
            threads: Threads::at_once(1),
            ..CheckSettings::default()
        };
        let one = run(&loaded, &base);
        if one.outcome.statistics.stored > STATES_MAX / 2 {
            continue;
        }
        judged += 1;
        for (strategy, store, count) in ways {
            let threads = Threads::at_once(count);
            let several = run(&loaded, &CheckSettings { strategy, store, threads, ..base.clone() });
            let name = format!("{name}, {count} threads, {strategy}, {store}");
            shared += usize::from(several.outcome.threads > 1);
            let sorted = |verdict: &Verdict| errors(verdict, false).into_iter().collect::<BTreeSet<_>>();
            assert_eq!(sorted(&several), sorted(&one), "{name}");
            let counts = |verdict: &Verdict| {
                let found = &verdict.outcome.statistics;
                (found.stored, found.transitions, found.expanded, found.generated)
            };
            assert_eq!(counts(&several), counts(&one), "{name}");
            assert_eq!(several.outcome.executed, one.outcome.executed, "{name}");
        }
    }
    assert!(judged > 60 && shared > 9 * judged, "{judged} models, {shared} searched by several");
}

/// With all reductions, counts may differ: verdicts and errors do not.
#[test]
fn reduced_searches_find_the_same() {
    for (name, loaded) in models() {
        let base = CheckSettings {
            property: Property::Safety,
            limits: Limits::of_states(STATES_MAX),
            threads: Threads::at_once(1),
            ..CheckSettings::default()
        };
        for all_errors in [false, true] {
            let base = CheckSettings { all_errors, ..base.clone() };
            let one = run(&loaded, &base);
            if one.outcome.statistics.stored > STATES_MAX / 2 {
                continue;
            }
            let bits = StoreSpec::Bitstate(BitArray { bits: Some(1 << 27), hashing: Some(Hashing::DEFAULT) });
            let ways = [
                (Strategy::BFS, StoreSpec::Exact),
                (Strategy::BFS, StoreSpec::Compressed),
                (Strategy::DFS, StoreSpec::Exact),
                (Strategy::DFS, bits),
            ];
            for (strategy, store) in ways {
                for count in [2, 5] {
                    let threads = Threads::at_once(count);
                    let settings = CheckSettings { strategy, store, threads, ..base.clone() };
                    let several = run(&loaded, &settings);
                    let name =
                        format!("{name}, {count} threads, {strategy}, {store}, all errors: {all_errors}");
                    if store != bits {
                        assert_eq!(several.kind, one.kind, "{name}");
                    }
                    if strategy == Strategy::DFS && !all_errors {
                        // Which one is found first depends on who is faster.
                        assert_eq!(
                            several.outcome.errors.is_empty(),
                            one.outcome.errors.is_empty(),
                            "{name}"
                        );
                        continue;
                    }
                    let sorted =
                        |verdict: &Verdict| errors(verdict, false).into_iter().collect::<BTreeSet<_>>();
                    assert_eq!(sorted(&several), sorted(&one), "{name}");
                }
            }
        }
    }
}

#[test]
fn random_models_have_the_same_verdict() {
    let (mut violated, mut shared) = (0, 0);
    for seed in 0..300 {
        let text = generate(seed, &Profile::default()).to_promela();
        let options = TextOptions::default();
        let loaded = load_text("m", text, Path::new("m.pml"), Language::Promela, &options);
        let Ok(loaded) = loaded else { continue };
        for semantics in [Semantics::default(), Semantics::EXACT] {
            let base = CheckSettings {
                property: Property::Safety,
                semantics,
                all_errors: true,
                engine: Engine::Interp,
                limits: Limits::of_states(20_000),
                threads: Threads::at_once(1),
                ..CheckSettings::default()
            };
            let one = run(&loaded, &base);
            if one.outcome.statistics.stored > 10_000 {
                continue;
            }
            let sorted = |verdict: &Verdict| errors(verdict, false).into_iter().collect::<BTreeSet<_>>();
            for (strategy, count) in
                [(Strategy::BFS, 2), (Strategy::BFS, 5), (Strategy::DFS, 2), (Strategy::DFS, 5)]
            {
                let threads = Threads::at_once(count);
                let several = run(&loaded, &CheckSettings { threads, strategy, ..base.clone() });
                assert_eq!(several.kind, one.kind, "seed {seed}, {count} threads, {strategy}");
                assert_eq!(sorted(&several), sorted(&one), "seed {seed}, {count} threads, {strategy}");
                shared += usize::from(several.outcome.threads > 1);
            }
            violated += usize::from(!one.outcome.errors.is_empty());
        }
    }
    assert!(violated > 20 && shared > 300, "{violated} violated, {shared} searched by several");
}
