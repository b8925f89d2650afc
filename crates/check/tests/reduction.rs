//! Partial order reduction loses nothing: every deadlock, every fault and every step of the full search is met, on every
//! model we have and on random ones, and there are never more states.

use panoptes_check::{
    CheckOptions, Language, Loaded, Property, SearchKind, TextOptions, check, load_file, load_text,
};
use panoptes_exec::{Ending, Executor, FaultKind, Successors};
use panoptes_interp::{Interpreter, Options};
use panoptes_model::{Model, TransId};
use panoptes_modelgen::{Group, Profile, generate};
use panoptes_search::{Checks, Reducer, Reduction};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::{Path, PathBuf};

const EVERYTHING: Checks = Checks { deadlocks: true, assertions: true };
const DEADLOCKS: Checks = Checks { deadlocks: true, assertions: false };

#[test]
fn on_every_model() {
    let mut reduced = 0;
    for path in model_files() {
        let loaded = load_file(&path, Language::Promela, &TextOptions::default());
        let loaded = loaded.expect("a readable file").expect("a model without mistakes");
        if let Some(comparison) = compare(&path.display().to_string(), &loaded.model, 60_000, false) {
            reduced += usize::from(comparison.reduced < comparison.full);
        }
    }
    assert!(reduced > 20, "only {reduced} models have fewer states");
}

/// The searches themselves: the same errors by kind and place.
#[test]
fn by_both_searches() {
    for path in model_files() {
        let loaded = load_file(&path, Language::Promela, &TextOptions::default());
        let loaded = loaded.expect("a readable file").expect("a model without mistakes");
        let (expected, full, _) = summary(&loaded, SearchKind::Bfs, false);
        let mut counts = Vec::new();
        for search in [SearchKind::Dfs, SearchKind::Bfs] {
            let (found, reduced, reduction) = summary(&loaded, search, true);
            assert_eq!(expected, found, "{} {search:?}", path.display());
            assert!(reduced <= full, "{} {search:?}: {reduced} > {full}", path.display());
            assert_ne!(reduction, Reduction::NotWanted);
            counts.push(reduced);
        }
        assert_eq!(counts[0], counts[1], "{}", path.display());
    }
}

#[test]
fn on_random_models() {
    random_models(0..150, 1500);
}

/// Many more seeds: `cargo test --release -p panoptes-check --test reduction -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models() {
    let from = std::env::var("FIRST_SEED").map_or(1000, |seed| seed.parse().expect("a number"));
    random_models(from..from + 4000, 6000);
}

fn random_models(seeds: std::ops::Range<u64>, states_max: usize) {
    let (mut compared, mut reduced) = (0, 0);
    for preset in ["default", "data", "channels", "control", "processes", "core", "unsafe"] {
        let mut profile = Profile::preset(preset).expect("a preset by its name");
        for group in [Group::Provided, Group::Priority, Group::Remote, Group::Exotic, Group::Trace] {
            profile.set(group, 0);
        }
        for seed in seeds.clone() {
            let text = generate(seed, &profile).to_promela();
            let name = format!("{preset} {seed}");
            let Ok(loaded) =
                load_text(&name, text, Path::new("random.pml"), Language::Promela, &TextOptions::default())
            else {
                continue;
            };
            for lossy in [false, true] {
                let Some(comparison) = compare(&name, &loaded.model, states_max, lossy) else { continue };
                compared += 1;
                reduced += usize::from(comparison.reduced < comparison.full);
            }
        }
    }
    println!("{reduced} of {compared} have fewer states");
    assert!(reduced * 10 > compared, "only {reduced} of {compared} models have fewer states");
}

struct Comparison {
    full: usize,
    reduced: usize,
}

/// Walks the model with and without reduction; none if it is too large or is not reduced.
fn compare(name: &str, model: &Model, states_max: usize, lossy: bool) -> Option<Comparison> {
    let mut reducer = Reducer::new(model, EVERYTHING, lossy).ok()?;
    let full = walk(model, lossy, None, states_max)?;
    let reduced = walk(model, lossy, Some(&mut reducer), usize::MAX)?;
    assert_eq!(full.ends, reduced.ends, "{name}: other final states");
    assert_eq!(full.faults, reduced.faults, "{name}: other faults");
    assert_eq!(full.executed, reduced.executed, "{name}: other steps");
    assert!(reduced.states <= full.states, "{name}: {} states > {}", reduced.states, full.states);
    let mut reducer = Reducer::new(model, DEADLOCKS, lossy).expect("allowed as before");
    let free = walk(model, lossy, Some(&mut reducer), usize::MAX)?;
    assert_eq!(full.ends, free.ends, "{name}: other final states without proviso");
    assert!(free.states <= full.states, "{name}: {} states > {}", free.states, full.states);
    Some(Comparison { full: full.states, reduced: reduced.states })
}

#[derive(Default)]
struct Walk {
    states: usize,
    /// States in which nothing can move, and whether that is an error.
    ends: BTreeSet<(Vec<u8>, bool)>,
    faults: BTreeSet<(u32, Option<u32>, FaultKind, String)>,
    executed: BTreeSet<TransId>,
}

/// Walks all configurations by the simplest of searches.
fn walk(model: &Model, lossy: bool, mut reducer: Option<&mut Reducer>, states_max: usize) -> Option<Walk> {
    let mut interpreter = Interpreter::new(model, Options { lossy });
    let hidden = interpreter.hidden_bytes();
    let initial = interpreter.initial().ok()?;
    let mut walk = Walk::default();
    let mut seen = HashSet::from([(initial[hidden..].to_vec(), None)]);
    let mut queue = VecDeque::from([(initial, None)]);
    let mut out = Successors::default();
    while let Some((vector, control)) = queue.pop_front() {
        walk.states += usize::from(control.is_none());
        if seen.len() > states_max {
            return None;
        }
        interpreter.successors(&vector, control, &mut out);
        if let Some(reducer) = &mut reducer
            && control.is_none()
            && out.ending == Ending::Moves
        {
            reducer.filter(&vector, &mut out);
            assert!(
                out.items.iter().any(|item| item.has_state) || out.items.iter().all(|item| !item.has_state)
            );
        }
        for item in &out.items {
            let step = item.step;
            if let Some(fault) = out.fault(item) {
                let partner = step.partner.map(|(_, transition)| transition.0);
                walk.faults.insert((step.transition.0, partner, fault.kind, fault.message.clone()));
            }
            if out.ending == Ending::Moves {
                walk.executed.insert(step.transition);
                walk.executed.extend(step.partner.map(|(_, transition)| transition));
            }
        }
        let let_go = (out.ending == Ending::LetGo).then(|| (vector.clone(), None));
        if matches!(out.ending, Ending::Deadlock | Ending::Valid) {
            walk.ends.insert((vector[hidden..].to_vec(), out.ending == Ending::Deadlock));
        }
        let items = out.items.iter().filter(|item| item.has_state);
        let next = items.map(|item| (out.state(item).to_vec(), item.control));
        for (vector, control) in next.chain(let_go) {
            if seen.insert((vector[hidden..].to_vec(), control)) {
                queue.push_back((vector, control));
            }
        }
    }
    Some(walk)
}

/// The errors by kind and place, the states, and what was reduced.
fn summary(loaded: &Loaded, search: SearchKind, por: bool) -> (BTreeSet<String>, u64, Reduction) {
    let options =
        CheckOptions { property: Property::Safety, search, por, all_errors: true, ..CheckOptions::default() };
    let outcome = check(loaded, &options, &mut ()).outcome;
    assert!(outcome.complete);
    let errors = outcome.errors.iter().map(|error| {
        let place = error.fault.as_ref().map(|fault| (fault.span, &fault.message));
        format!("{:?} {place:?} {:?}", error.kind, error.standing)
    });
    let executed = outcome.executed.iter().map(|transition| format!("{transition} executed"));
    (errors.chain(executed).collect(), outcome.statistics.stored, outcome.reduction)
}

fn model_files() -> Vec<PathBuf> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = [models.clone(), models.join("spin_wrong")];
    let entries = folders.into_iter().flat_map(|folder| std::fs::read_dir(folder).expect("models are there"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "pml"));
    files.sort();
    files
}
