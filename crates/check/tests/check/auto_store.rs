//! Where nobody chose a store: the search begins with the exact one and goes on with it, or begins again with a compressed one.

use panoptes_check::{
    CheckSettings, Language, Limits, Loaded, Property, Semantics, StoreSpec, Strategy, TextOptions, Threads,
    Verdict, load_text, run_search,
};
use panoptes_search::{Finding, Limit, Observer};
use std::path::Path;

/// Three processes count to `end`, each in three states a step, beside `pad` bytes. One of them passes 20 or not.
fn counters(end: u32, pad: u32) -> Loaded {
    let process = |name: &str, check: &str| {
        format!(
            "byte {name}; active proctype P{name}() {{ do :: {name} < {end} -> {name}++; {check} :: else -> break od }}\n"
        )
    };
    let model = format!(
        "byte pad[{pad}];\n{}{}{}",
        process("a", "pad[0] = 1; assert(a != 20)"),
        process("b", "assert(pad[b] < 2)"),
        process("c", "assert(pad[c] < 2)")
    );
    let loaded = load_text("m.pml", model, Path::new("m.pml"), Language::Promela, &TextOptions::default());
    loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics))
}

#[derive(Default)]
struct Listener {
    told: usize,
}

impl Observer for Listener {
    fn error(&mut self, _: &Finding) {
        self.told += 1;
    }
}

fn run(loaded: &Loaded, settings: &CheckSettings) -> (Verdict, usize) {
    let mut listener = Listener::default();
    let verdict = run_search(loaded, settings, &mut listener);
    (verdict, listener.told)
}

fn all_of_it(strategy: Strategy, threads: Threads) -> CheckSettings {
    CheckSettings {
        property: Property::Safety,
        all_errors: true,
        strategy,
        threads,
        semantics: Semantics::new(false, false),
        ..CheckSettings::default()
    }
}

/// The same counts and errors as with the exact store, each error told once; and the store that it came to.
fn agrees(loaded: &Loaded, settings: &CheckSettings) -> (u64, StoreSpec) {
    let (auto, told) = run(loaded, settings);
    let (exact, _) = run(loaded, &CheckSettings { store: StoreSpec::Exact, ..settings.clone() });
    let counts = |verdict: &Verdict| {
        let statistics = &verdict.outcome.statistics;
        (statistics.stored, statistics.transitions, verdict.outcome.errors.len(), verdict.limits.clone())
    };
    assert_eq!(counts(&auto), counts(&exact));
    assert_eq!(told, auto.outcome.errors.len(), "each is told once");
    (auto.outcome.statistics.stored, auto.store)
}

#[test]
fn a_search_that_stays_small_goes_on_with_the_exact_store() {
    let loaded = counters(12, 150);
    let three = Threads { count: Some(3), ..Threads::default() };
    for (strategy, threads) in
        [(Strategy::BFS, Threads::default()), (Strategy::DFS, Threads::default()), (Strategy::BFS, three)]
    {
        let (states, store) = agrees(&loaded, &all_of_it(strategy, threads));
        assert!(states > 20_000, "{states}");
        assert_eq!(store, StoreSpec::Exact, "{strategy}");
    }
}

#[test]
fn a_large_search_of_long_vectors_begins_again_with_the_compressed_store() {
    let loaded = counters(24, 150);
    let (states, store) = agrees(&loaded, &all_of_it(Strategy::BFS, Threads::default()));
    // That takes more than 64 MiB where every state is kept whole.
    assert!(states * 170 > 64 << 20, "{states}");
    assert_eq!(store, StoreSpec::Compressed);
}

#[test]
fn short_vectors_that_are_numbers_are_packed_at_once() {
    let (_, store) = agrees(&counters(12, 13), &all_of_it(Strategy::BFS, Threads::default()));
    assert_eq!(store, StoreSpec::Compressed);
}

#[test]
fn a_bound_on_states_is_kept() {
    let loaded = counters(12, 150);
    for states in [100, 8192, 10_000] {
        let limits = Limits::of_states(states);
        let settings = CheckSettings { limits, ..all_of_it(Strategy::BFS, Threads::default()) };
        let (verdict, _) = run(&loaded, &settings);
        assert_eq!(verdict.limits, [Limit::States]);
        assert!((states..states + 200).contains(&verdict.outcome.statistics.stored));
        agrees(&loaded, &settings);
    }
}
