//! A whole search is the same with every engine: the same states, transitions, depth, errors and paths.

use crate::support::models_in;
use panoptes_check::{CheckSettings, Engine, Loaded, Property, Strategy, run_search};
use panoptes_modelgen::SMALL;

#[test]
fn depth_first() {
    all_models(Strategy::DFS);
}

#[test]
fn breadth_first() {
    all_models(Strategy::BFS);
}

fn all_models(search: Strategy) {
    let mut compiled = 0;
    for (name, loaded) in models_in(SMALL) {
        let (expected, _) = summary(&loaded, search, Engine::Interp);
        for engine in [Engine::Jit, Engine::Auto] {
            let (found, is_compiled) = summary(&loaded, search, engine);
            assert_eq!(expected, found, "{name} with {engine:?}");
            compiled += usize::from(is_compiled);
        }
    }
    assert!(compiled > 50, "only {compiled} runs used native code");
}

fn summary(loaded: &Loaded, search: Strategy, engine: Engine) -> (String, bool) {
    let options = CheckSettings {
        property: Property::Safety,
        strategy: search,
        engine,
        all_errors: true,
        ..CheckSettings::default()
    };
    let verdict = run_search(loaded, &options, &mut ());
    let outcome = &verdict.outcome;
    let statistics = &outcome.statistics;
    let numbers = [
        statistics.stored,
        statistics.matched,
        statistics.transitions,
        statistics.expanded,
        statistics.generated,
        statistics.max_depth,
        statistics.vector_bytes as u64,
    ];
    let errors: Vec<_> =
        outcome.errors.iter().map(|error| (error.kind, &error.fault, &error.path, error.count)).collect();
    let text =
        format!("{:?} {} {numbers:?} {errors:?} {:?}", verdict.kind, outcome.complete, outcome.error_counts);
    (text, verdict.engine.is_compiled)
}
