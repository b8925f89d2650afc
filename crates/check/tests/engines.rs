//! A whole search is the same with every engine: the same states, transitions, depth, errors and paths.

use panoptes_check::{
    CheckSettings, Engine, Language, Loaded, Property, Strategy, TextOptions, check, load_file,
};
use std::path::{Path, PathBuf};

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
    for path in model_files() {
        let language = Language::of_path(&path).expect("the name tells");
        let loaded = load_file(&path, language, &TextOptions::default());
        let loaded = loaded.expect("a readable file").expect("a model without mistakes");
        let (expected, _) = summary(&loaded, search, Engine::Interp);
        for engine in [Engine::Jit, Engine::Auto] {
            let (found, is_compiled) = summary(&loaded, search, engine);
            assert_eq!(expected, found, "{} with {engine:?}", path.display());
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
    let verdict = check(loaded, &options, &mut ());
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

fn model_files() -> Vec<PathBuf> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = [models.clone(), models.join("spin_wrong")];
    let entries = folders.into_iter().flat_map(|folder| std::fs::read_dir(folder).expect("models are there"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "pml" || ending == "argos"));
    files.sort();
    files
}
