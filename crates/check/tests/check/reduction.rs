//! Partial order reduction loses nothing: every deadlock, every fault and every step of the full search is met, on every
//! model we have and on random ones, and there are never more states.

mod independence;

use panoptes_check::{
    CheckSettings, Language, Loaded, Property, Semantics, Strategy, TextOptions, load_file, load_text,
    run_search,
};
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::Model;
use panoptes_modelgen::{Group, Profile, SMALL, generate, shipped};
use panoptes_optimise::{Passes, optimise, without_claims};
use panoptes_search::{Choice, Observer, Outcome, Reducer, Reduction, SearchOptions, bfs, dfs};
use panoptes_store::{ExactStore, TreeStore};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::Path;

#[test]
fn on_every_model() {
    let mut reduced = 0;
    for path in shipped(SMALL) {
        let language = Language::of_path(&path).expect("the name tells");
        let loaded = load_file(&path, language, &TextOptions::default());
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
    for path in shipped(SMALL) {
        let language = Language::of_path(&path).expect("the name tells");
        let loaded = load_file(&path, language, &TextOptions::default());
        let loaded = loaded.expect("a readable file").expect("a model without mistakes");
        let (exact, _, _) = summary(&loaded, Strategy::BFS, false, false);
        let (expected, full, _) = summary(&loaded, Strategy::BFS, false, true);
        assert_eq!(exact, expected, "{}", path.display());
        for search in [Strategy::DFS, Strategy::BFS] {
            let (found, reduced, reduction) = summary(&loaded, search, true, true);
            assert_eq!(expected, found, "{} {search:?}", path.display());
            assert!(reduced <= full, "{} {search:?}: {reduced} > {full}", path.display());
            assert_ne!(reduction, Reduction::NotWanted);
        }
    }
}

fn compare_text(text: &str) -> Comparison {
    let loaded =
        load_text("m", text.to_string(), Path::new("m.pml"), Language::Promela, &TextOptions::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{text}: {:?}", error.diagnostics));
    compare(text, &loaded.model, 1000, false).expect("a small model that can be reduced")
}

/// Of all orders of steps that do not concern each other one is enough.
#[test]
fn one_order_is_enough() {
    let text = "active [3] proctype A() { byte l; l = 1; l = 2; l = 3 }";
    let Comparison { full, reduced } = compare_text(text);
    assert!(full > 80 && reduced < 20, "{reduced} of {full}");
    let text = "active [3] proctype A() { byte l; l = 1; atomic { l = 2; l = 3 }; l = 1 }";
    let Comparison { full, reduced } = compare_text(text);
    assert!(full > 80 && reduced < 20, "{reduced} of {full}");
}

/// The youngest process goes round and round, and concerns nobody: the others have their turn all the same.
#[test]
fn nobody_is_put_off_for_ever() {
    for round in ["l = 1 - l", "atomic { l = 1 - l; l = l }", "l = 1; l = 2; l = 0"] {
        let text = format!(
            "byte x; active proctype B() {{ x = 1; x = 2; assert(x == 1) }}
             active proctype C() {{ byte m; m = 1 }} active proctype A() {{ byte l; do :: {round} od }}"
        );
        compare_text(&text);
    }
}

#[test]
fn on_random_models() {
    random_models(0..150, 1500);
}

/// Many more seeds, from `FIRST_SEED` on; `KEEP_MODEL` names a file for the model at hand: `cargo test --release -p panoptes-check --test check reduction:: -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models() {
    let from = std::env::var("FIRST_SEED").map_or(1000, |seed| seed.parse().expect("a number"));
    random_models(from..from + 4000, 6000);
}

fn random_models(seeds: std::ops::Range<u64>, states_max: usize) {
    let (mut compared, mut reduced) = (0, 0);
    for preset in ["default", "data", "channels", "control", "processes", "core", "unsafe", "failing"] {
        let mut profile = Profile::preset(preset).expect("a preset by its name");
        for group in [Group::Provided, Group::Priority, Group::Remote, Group::Exotic] {
            profile.set(group, 0);
        }
        for seed in seeds.clone() {
            let text = generate(seed, &profile).to_promela();
            let name = format!("{preset} {seed}");
            if let Ok(path) = std::env::var("KEEP_MODEL") {
                std::fs::write(path, &text).expect("a writable file");
            }
            let Ok(loaded) =
                load_text(&name, text, Path::new("random.pml"), Language::Promela, &TextOptions::default())
            else {
                continue;
            };
            // The passes make models that the front end does not.
            let optimised = optimise(&without_claims(&loaded.model), Passes::ALL).model;
            let optimised_name = format!("{name} optimised");
            for (name, model, lossy) in [
                (&name, &loaded.model, false),
                (&name, &loaded.model, true),
                (&optimised_name, &optimised, false),
            ] {
                let Some(comparison) = compare(name, model, states_max, lossy) else { continue };
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

/// Searches the model with and without reduction; none if it is too large or is not reduced.
fn compare(name: &str, model: &Model, states_max: usize, lossy: bool) -> Option<Comparison> {
    let mut reducer = Reducer::new(model, lossy).ok()?;
    let full = ends(model, lossy, None, states_max)?;
    let without_proviso = ends(model, lossy, Some(&mut reducer), usize::MAX)?;
    assert_eq!(full.ends, without_proviso.ends, "{name}: other final states");
    assert!(without_proviso.states <= full.states, "{name}: {} states", without_proviso.states);
    let expected = search(model, lossy, dfs::<ExactStore>, false);
    assert_eq!(expected.statistics.stored as usize, full.states, "{name}");
    let mut reduced = full.states;
    for (search_name, strategy) in STRATEGIES {
        let found = search(model, lossy, strategy, true);
        assert_eq!(errors(&expected), errors(&found), "{name}: other errors with {search_name}");
        assert_eq!(expected.executed, found.executed, "{name}: other steps with {search_name}");
        let states = found.statistics.stored as usize;
        assert!(states <= full.states, "{name}: {states} > {} states with {search_name}", full.states);
        reduced = reduced.min(states);
    }
    Some(Comparison { full: full.states, reduced })
}

/// Both orders, each with one of the stores, and what is settled before the search.
const STRATEGIES: [(&str, Search); 3] =
    [("dfs", dfs::<TreeStore>), ("bfs", bfs::<ExactStore>), ("a settled proviso", settled)];

/// As processes do that search together.
fn settled(
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    observer: &mut dyn Observer,
) -> Outcome {
    let options = SearchOptions { proviso_is_settled: true, ..options.clone() };
    bfs::<ExactStore>(model, executor, &options, observer)
}

type Search = fn(&Model, &mut dyn Executor, &SearchOptions, &mut dyn Observer) -> Outcome;

fn search(model: &Model, lossy: bool, strategy: Search, por: bool) -> Outcome {
    let options = SearchOptions { all_errors: true, por, lossy, ..SearchOptions::default() };
    let outcome =
        strategy(model, &mut Interpreter::new(model, InterpreterOptions { lossy }), &options, &mut ());
    assert_eq!(outcome.reduction, if por { Reduction::Por } else { Reduction::NotWanted });
    outcome
}

/// The errors by kind and place.
fn errors(outcome: &Outcome) -> BTreeSet<String> {
    let errors = outcome.errors.iter().map(|error| {
        let place = error.fault.as_ref().map(|fault| (fault.span, &fault.message));
        format!("{:?} {place:?} {:?}", error.kind, error.standing)
    });
    errors.collect()
}

#[derive(Default)]
struct Ends {
    states: usize,
    /// States in which nothing can move, and whether that is an error.
    ends: BTreeSet<(Vec<u8>, bool)>,
}

/// Walks all configurations by the simplest of searches, without proviso, and collects the final states.
fn ends(model: &Model, lossy: bool, mut reducer: Option<&mut Reducer>, states_max: usize) -> Option<Ends> {
    let mut interpreter = Interpreter::new(model, InterpreterOptions { lossy });
    let hidden = interpreter.hidden_bytes();
    let initial = interpreter.initial().ok()?;
    let mut found = Ends::default();
    let mut seen = HashSet::from([(initial[hidden..].to_vec(), None)]);
    let mut queue = VecDeque::from([(initial, None)]);
    let mut out = Successors::default();
    while let Some((vector, control)) = queue.pop_front() {
        found.states += usize::from(control.is_none());
        if seen.len() > states_max {
            return None;
        }
        interpreter.successors(&vector, control, &mut out);
        if let Some(reducer) = &mut reducer
            && control.is_none()
            && out.ending == Ending::Moves
        {
            let choice = reducer.choose(&vector, &out, |_| true);
            out.items.retain(|item| choice.includes(item.step()));
            assert!(choice == Choice::All || out.items.iter().any(|item| item.has_state()));
        }
        let let_go = (out.ending == Ending::LetGo).then(|| (vector.clone(), None));
        if matches!(out.ending, Ending::Deadlock | Ending::Valid) {
            found.ends.insert((vector[hidden..].to_vec(), out.ending == Ending::Deadlock));
        }
        let items = out.items.iter().filter(|item| item.has_state());
        let next = items.map(|item| (out.state(item).to_vec(), item.control()));
        for (vector, control) in next.chain(let_go) {
            if seen.insert((vector[hidden..].to_vec(), control)) {
                queue.push_back((vector, control));
            }
        }
    }
    Some(found)
}

/// The errors by kind and place, the states, and what was reduced.
fn summary(
    loaded: &Loaded,
    search: Strategy,
    por: bool,
    optimise: bool,
) -> (BTreeSet<String>, u64, Reduction) {
    let options = CheckSettings {
        property: Property::Safety,
        strategy: search,
        semantics: Semantics::new(por, optimise),
        all_errors: true,
        ..CheckSettings::default()
    };
    let outcome = run_search(loaded, &options, &mut ()).outcome;
    assert!(outcome.complete);
    let executed = outcome.executed.iter().map(|transition| format!("{transition} executed"));
    (errors(&outcome).into_iter().chain(executed).collect(), outcome.statistics.stored, outcome.reduction)
}
