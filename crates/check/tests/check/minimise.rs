//! A search of minimised machines has the verdict of a search of the machines as written; what it finds is an error of the
//! model as written, by kind, message and place, along a path of that model. Nor are there more states than estimated.

use panoptes_check::{
    CheckSettings, Engine, Language, Loaded, Optimisation, Property, Semantics, Strategy, TextOptions,
    VerdictKind, estimate, load_file, load_text, replay_error, run_search,
};
use panoptes_modelgen::{Profile, SMALL, generate, shipped, with_twins};
use panoptes_search::{Finding, Observer, Statistics};
use std::ops::ControlFlow;
use std::path::Path;

fn semantics(por: bool, minimise: bool) -> Semantics {
    let optimisation = if minimise { Optimisation::Minimise } else { Optimisation::Steps };
    Semantics { por, optimisation, ..Semantics::default() }
}

#[test]
fn on_every_model() {
    let mut tally = Tally::default();
    for path in shipped(SMALL) {
        let language = Language::of_path(&path).expect("the name tells");
        let loaded = load_file(&path, language, &TextOptions::default()).expect("a readable file");
        tally.compare(&path.display().to_string(), &loaded.expect("a model without mistakes"), 40_000);
    }
    println!("{tally:?}");
    assert!(tally.fewer >= 5 && tally.violated > 20, "{tally:?}");
}

#[test]
fn on_random_models() {
    let tally = random_models(0..20, 3_000);
    assert!(tally.fewer > 10 && tally.violated > 20, "{tally:?}");
}

/// Many more seeds, for an idle machine: `cargo test --release -p panoptes-check --test check minimise:: -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models() {
    random_models(20_000..21_000, 20_000);
}

fn random_models(seeds: std::ops::Range<u64>, states_max: u64) -> Tally {
    let mut tally = Tally::default();
    for preset in Profile::PRESETS {
        let profile = Profile::preset(preset).expect("a preset by its name");
        for seed in seeds.clone() {
            let text = with_twins(&generate(seed, &profile), seed).to_promela();
            if let Ok(loaded) = load(text, "random.pml") {
                tally.compare(&format!("{preset} {seed}"), &loaded, states_max);
            }
        }
    }
    println!("{tally:?}");
    tally
}

#[derive(Debug, Default)]
struct Tally {
    searched: usize,
    minimised: usize,
    fewer: usize,
    violated: usize,
    /// Models with a statement that counts as executed because its twin was.
    by_twin: usize,
}

impl Tally {
    fn compare(&mut self, name: &str, loaded: &Loaded, states_max: u64) {
        let base = CheckSettings {
            property: Property::Safety,
            semantics: semantics(false, true),
            ..CheckSettings::default()
        };
        let every = CheckSettings { all_errors: true, strategy: Strategy::BFS, ..base.clone() };
        let all = run_search(loaded, &every, &mut UpTo(states_max)).outcome;
        if !all.complete || loaded.model.header.hidden_bytes > 0 {
            return;
        }
        self.searched += 1;
        self.violated += usize::from(!all.errors.is_empty());
        let plain = run_search(
            loaded,
            &CheckSettings { semantics: semantics(false, false), ..base.clone() },
            &mut (),
        )
        .outcome;
        for (strategy, engine, por) in [
            (Strategy::BFS, Engine::Interp, false),
            (Strategy::DFS, Engine::Jit, false),
            (Strategy::DFS, Engine::Interp, true),
            (Strategy::SHORTEST, Engine::Jit, false),
        ] {
            let options = CheckSettings { strategy, engine, semantics: semantics(por, true), ..base.clone() };
            let verdict = run_search(loaded, &options, &mut ());
            let name = format!("{name}, {strategy:?} {engine:?} {por}");
            let outcome = &verdict.outcome;
            assert_eq!(outcome.errors.is_empty(), all.errors.is_empty(), "{name}");
            for error in &outcome.errors {
                assert!(all.errors.iter().any(|known| known.is_same(error)), "{name}: {error:?}");
                let trace = replay_error(loaded, &options, error);
                let trace = trace.unwrap_or_else(|problem| panic!("{name}: {problem} {error:?}"));
                assert_eq!(trace.steps.len(), error.length, "{name}");
            }
            if strategy == Strategy::SHORTEST {
                let nearest = |errors: &[Finding]| errors.iter().map(|error| error.length).min();
                let unminimised = CheckSettings { semantics: semantics(por, false), ..options };
                let expected = run_search(loaded, &unminimised, &mut ()).outcome;
                assert_eq!(nearest(&outcome.errors), nearest(&expected.errors), "{name}");
                continue;
            }
            if verdict.kind != VerdictKind::Verified {
                continue;
            }
            if let Some(sizes) = estimate(loaded).filter(|sizes| !sizes.is_open) {
                let stored = outcome.statistics.stored as f64;
                assert!(stored.log2() <= sizes.states.log2 + 1e-6, "{name}: {stored} states, {sizes:?}");
            }
            if verdict.optimisations.minimised == 0 {
                continue;
            }
            let mut all_executed = all.executed.iter();
            assert!(all_executed.all(|number| outcome.executed.contains(number)), "{name}: lost a statement");
            if strategy != Strategy::DFS {
                let (many, few) = (plain.statistics.stored, outcome.statistics.stored);
                assert!(few <= many, "{name}: {few} states, {many} without minimisation");
                self.minimised += 1;
                self.fewer += usize::from(few < many);
                self.by_twin += usize::from(outcome.executed.count() > all.executed.count());
            }
        }
    }
}

struct UpTo(u64);

impl Observer for UpTo {
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        if statistics.generated > 4 * self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Three equal tails are searched as one.
#[test]
fn a_machine_that_says_things_three_times_is_searched_as_if_it_said_them_once() {
    let thrice = include_str!("../../../../models/relay_thrice.argos");
    let tail = "down!open; back?ready; down!shut; back?done";
    let once = thrice.replace(&format!("red -> {tail}"), "red -> goto tail");
    let once = once.replace(&format!("green -> {tail}"), "green -> goto tail");
    let once = once.replace(&format!("blue -> {tail}"), &format!("blue -> tail: {tail}"));
    let loaded = [load(thrice.to_string(), "m.argos"), load(once, "m.argos")];
    let [thrice, once] = loaded.map(|loaded| loaded.unwrap_or_else(|problem| panic!("{problem}")));
    for por in [false, true] {
        let states = |loaded: &Loaded, minimise: bool| {
            let options = CheckSettings { semantics: semantics(por, minimise), ..CheckSettings::default() };
            let verdict = run_search(loaded, &options, &mut ());
            assert_eq!(verdict.kind, VerdictKind::Verified);
            verdict.outcome.statistics.stored
        };
        assert_eq!(states(&thrice, true), states(&once, true), "por {por}");
        assert_eq!(states(&once, true), states(&once, false), "por {por}");
        assert!(states(&thrice, true) < states(&thrice, false), "por {por}");
    }
}

/// The search sees one assertion, at the first of two places; only the second one fails in the model as written, since the
/// first is behind a condition that never holds with this value.
#[test]
fn an_error_is_told_where_it_happens() {
    let text = "byte x, y;
active proctype P() {
  do
  :: x == 0 -> x = 1; y = 1;
     assert(y < 2); y = 0
  :: x == 1 -> x = 2; y = 2;
     assert(y < 2); y = 0
  od }";
    let loaded = load(text.to_string(), "m.pml").unwrap_or_else(|problem| panic!("{problem}"));
    for search in [Strategy::BFS, Strategy::DFS] {
        let options = CheckSettings { strategy: search, ..CheckSettings::default() };
        let verdict = run_search(&loaded, &options, &mut ());
        assert!(verdict.optimisations.minimised > 0);
        let error = &verdict.outcome.errors[0];
        let fault = error.fault.as_ref().expect("an assertion");
        assert_eq!(loaded.sources.user_position(fault.span).line, 7, "{fault:?}");
        let trace = replay_error(&loaded, &options, error).expect("its path shows it");
        let lines: Vec<&str> = trace.steps.iter().map(|step| step.location.as_str()).collect();
        assert!(lines.last().is_some_and(|line| line.starts_with("m.pml:7:")), "{lines:?}");
    }
}

/// A tail that is never come to stays unreached although its twin is executed.
#[test]
fn a_tail_that_nobody_comes_to_is_unreached() {
    let text = "byte x, y;
active proctype P() {
  do
  :: x == 0 -> x = 1; y = 1; y = 2; y = 0
  :: x == 7 -> x = 2; y = 1; y = 2; y = 0
  :: x == 1 -> break
  od }
active proctype Q() { y < 3; x < 9 }";
    let loaded = load(text.to_string(), "m.pml").unwrap_or_else(|problem| panic!("{problem}"));
    let executed = |minimise: bool| {
        // Otherwise ranges show that the guard never holds, and it is taken out beforehand.
        let options = CheckSettings { semantics: semantics(true, minimise), ..CheckSettings::default() };
        let outcome = run_search(&loaded, &options, &mut ()).outcome;
        outcome.executed.iter().collect::<Vec<_>>()
    };
    assert_eq!(executed(true), executed(false));
}

/// With all errors asked for, each of two equal assertions is listed.
#[test]
fn all_errors_are_listed_at_their_places() {
    let text = "byte x; active proctype P() { if :: x = 1; assert(x == 5) :: x = 2; assert(x == 5) fi }";
    let loaded = load(text.to_string(), "m.pml").unwrap_or_else(|problem| panic!("{problem}"));
    let verdict =
        run_search(&loaded, &CheckSettings { all_errors: true, ..CheckSettings::default() }, &mut ());
    assert_eq!((verdict.outcome.errors.len(), verdict.optimisations.minimised), (2, 0));
}

fn load(text: String, name: &str) -> Result<Loaded, String> {
    let path = Path::new(name);
    let language = Language::of_path(path).expect("the name tells");
    load_text(name, text, path, language, &TextOptions::default())
        .map_err(|error| error.diagnostics.first().map_or_else(String::new, |first| first.message.clone()))
}
