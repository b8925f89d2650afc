//! A search of the optimised model finds what a search of the model itself finds: the same errors, the same executed
//! statements, no more states; every violation is a path of the model as it was, and both executors agree.
//!
//! Where equivalent control states became one, equal errors at different places became one too, and statements that are
//! equal may count as executed together. How such paths are replayed is a matter of `check`, and tested there.

use panoptes_exec::{Ending, Executor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_jit::Jit;
use panoptes_model::{Model, verify};
use panoptes_modelgen::{Profile, SMALL, generate, shipped, with_twins};
use panoptes_optimise::{Lift, Optimised, Passes, optimise};
use panoptes_promela::FileLoader;
use panoptes_search::{Finding, Observer, Outcome, SearchOptions, Statistics};
use panoptes_source::SourceMap;
use panoptes_trace::{Expectation, Origin, Subject};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;

/// Each pass alone, and all of them.
fn variants() -> Vec<(&'static str, Passes)> {
    vec![
        ("unused", Passes { unused: true, ..Passes::NONE }),
        ("dead variables", Passes { dead_variables: true, ..Passes::NONE }),
        ("pack", Passes { pack: true, ..Passes::NONE }),
        ("merge", Passes { merge: true, ..Passes::NONE }),
        ("minimise", Passes { minimise: true, ..Passes::NONE }),
        ("all but minimise", Passes { minimise: false, ..Passes::ALL }),
        ("all", Passes::ALL),
    ]
}

#[test]
fn on_every_model() {
    let mut tally = Tally::default();
    for path in shipped(SMALL) {
        let text = std::fs::read_to_string(&path).expect("a model is text");
        let name = path.display().to_string();
        let (model, sources) = load(&name, text, &path).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        compare(&name, &model, &sources, 60_000, &mut tally);
    }
    tally.report();
    assert!(tally.searched > 60 && tally.fewer > 10, "{tally:?}");
}

#[test]
fn on_random_models() {
    let tally = random_models(0..24, 4_000);
    assert!(tally.searched > 80 && tally.fewer > 16 && tally.errors > 40, "{tally:?}");
    assert!(tally.minimised > 16, "{tally:?}");
}

/// Each of these once had more states than before, or other statements executed.
#[test]
fn on_models_that_went_wrong() {
    let mut tally = Tally::default();
    for (preset, seed) in [
        ("control", 10_738),
        ("control", 10_935),
        ("processes", 10_018),
        ("processes", 10_096),
        ("processes", 10_211),
        ("processes", 10_540),
        ("exotic", 10_470),
        ("default", 10_002),
    ] {
        let profile = Profile::preset(preset).expect("a preset by its name");
        let text = generate(seed, &profile).to_promela();
        let loaded = load(preset, text, Path::new("random.pml")).expect("a model without mistakes");
        compare(&format!("{preset} {seed}"), &loaded.0, &loaded.1, 20_000, &mut tally);
    }
    tally.report();
    assert_eq!(tally.searched, 8);
}

/// Many more seeds, for an idle machine: `cargo test --release -p panoptes-optimise -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models() {
    random_models(10_000..11_000, 20_000);
}

#[derive(Debug, Default)]
struct Tally {
    searched: usize,
    fewer: usize,
    /// Models with fewer states by minimisation alone.
    minimised: usize,
    errors: usize,
    states_before: u64,
    states_after: u64,
    /// Of the longest vectors.
    bytes_before: usize,
    bytes_after: usize,
    breaches: Vec<String>,
}

impl Tally {
    /// Fails if there was a breach.
    fn report(&self) {
        let shown: Vec<&str> = self.breaches.iter().take(20).map(String::as_str).collect();
        assert!(shown.is_empty(), "{} breaches:\n{}", self.breaches.len(), shown.join("\n"));
        println!("{self:?}");
    }

    fn require(&mut self, holds: bool, breach: impl FnOnce() -> String) {
        if !holds {
            self.breaches.push(breach());
        }
    }
}

fn random_models(seeds: std::ops::Range<u64>, states_max: u64) -> Tally {
    let mut tally = Tally::default();
    for preset in Profile::PRESETS {
        let profile = Profile::preset(preset).expect("a preset by its name");
        for seed in seeds.clone() {
            let model = generate(seed, &profile);
            // Half of them say things twice.
            let model = if seed % 2 == 0 { model } else { with_twins(&model, seed) };
            let (text, name) = (model.to_promela(), format!("{preset} {seed}"));
            let Ok((model, sources)) = load(&name, text, Path::new("random.pml")) else { continue };
            compare(&name, &model, &sources, states_max, &mut tally);
        }
    }
    tally.report();
    tally
}

fn compare(name: &str, model: &Model, sources: &SourceMap, states_max: u64, tally: &mut Tally) {
    let before = search(model, states_max);
    // The observer is asked now and then, so a search a little too large may come to its end.
    if !before.complete || before.statistics.generated > UpTo(states_max).generated_max() {
        return;
    }
    tally.searched += 1;
    tally.errors += before.errors.len();
    let mut unminimised = 0;
    for (variant, options) in variants() {
        let name = format!("{name}, {variant}");
        let Optimised { model: smaller, summary, lift } = optimise(model, options);
        let violations = verify(&smaller);
        tally.require(violations.is_empty(), || format!("{name}: {violations:?}"));
        let after = search(&smaller, states_max);
        for error in after.errors.iter().filter(|_| lift.is_trivial()) {
            let replayed = replay(model, sources, error);
            tally.require(replayed.is_ok(), || format!("{name}: {replayed:?} {error:?}"));
        }
        if variant != "all but minimise" {
            executors_agree(&name, &smaller, 300);
        }
        // A variable that does not count makes the outcome depend on the order of the search.
        if model.header.hidden_bytes > 0 {
            continue;
        }
        let (many, few) = (before.statistics.stored, after.statistics.stored);
        tally.require(after.complete, || format!("{name}: not complete"));
        tally.require(few <= many, || format!("{name}: {few} states instead of {many}"));
        same_statements(&name, model, &lift, (&before, &after), tally);
        let told = |outcome: &Outcome| if lift.is_trivial() { errors(outcome) } else { kinds(outcome) };
        let (expected, found) = (told(&before), told(&after));
        tally.require(expected == found, || {
            let (lost, new) = (expected.difference(&found), found.difference(&expected));
            format!(
                "{name} {summary:?}: lost {:?}, new {:?}",
                lost.collect::<Vec<_>>(),
                new.collect::<Vec<_>>()
            )
        });
        match variant {
            "pack" => {
                tally.require(counts(&before) == counts(&after), || format!("{name}: other counts"));
                tally.bytes_before += before.statistics.vector_bytes;
                tally.bytes_after += after.statistics.vector_bytes;
            }
            "minimise" => tally.minimised += usize::from(few < many),
            "all but minimise" => unminimised = few,
            "all" => {
                tally.require(few <= unminimised, || {
                    format!("{name}: {few} states, and {unminimised} without minimisation")
                });
                tally.fewer += usize::from(few < many);
                tally.states_before += many;
                tally.states_after += few;
            }
            _ => {}
        }
    }
}

/// The same statements are executed. Of statements that became one, all may be that a process can come to.
fn same_statements(
    name: &str,
    model: &Model,
    lift: &Lift,
    (before, after): (&Outcome, &Outcome),
    tally: &mut Tally,
) {
    let lifted = lift.executed(model, &|id| after.executed.contains(id.index()));
    let lifted: Vec<usize> = (0..lifted.len()).filter(|number| lifted[*number]).collect();
    let expected: Vec<usize> = before.executed.iter().collect();
    let is_right = match lift.is_trivial() {
        true => lifted == expected,
        false => expected.iter().all(|number| lifted.contains(number)),
    };
    tally.require(is_right, || format!("{name}: {lifted:?} executed instead of {expected:?}"));
}

fn search(model: &Model, states_max: u64) -> Outcome {
    let mut interpreter = Interpreter::new(model, InterpreterOptions::default());
    let options = SearchOptions { all_errors: true, ..SearchOptions::default() };
    panoptes_search::bfs::<panoptes_store::ExactStore>(
        model,
        &mut interpreter,
        &options,
        &mut UpTo(states_max),
    )
}

/// Stops a search that is too large for a test.
struct UpTo(u64);

impl UpTo {
    fn generated_max(&self) -> u64 {
        4 * self.0
    }
}

impl Observer for UpTo {
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        if statistics.generated > self.generated_max() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

fn errors(outcome: &Outcome) -> BTreeSet<String> {
    outcome
        .errors
        .iter()
        .map(|error| format!("{:?} {:?} {:?}", error.kind, error.fault, error.standing))
        .collect()
}

/// What packing must not change.
fn counts(outcome: &Outcome) -> [u64; 4] {
    let statistics = &outcome.statistics;
    [statistics.stored, statistics.transitions, statistics.generated, statistics.max_depth]
}

/// Errors without their places. (What is left unreceived is told with the state that does not receive it.)
fn kinds(outcome: &Outcome) -> BTreeSet<String> {
    let message = |error: &Finding| {
        error.fault.as_ref().filter(|fault| !fault.kind.is_of_state()).map(|fault| fault.message.clone())
    };
    outcome.errors.iter().map(|error| format!("{:?} {:?}", error.kind, message(error))).collect()
}

fn replay(model: &Model, sources: &SourceMap, error: &Finding) -> Result<(), String> {
    let mut executor = Interpreter::new(model, InterpreterOptions::default());
    let mut subject = Subject { model, sources, executor: &mut executor };
    let expectation = error.fault.as_ref().map_or(Expectation::Deadlock, Expectation::from);
    let path: Vec<_> = error.path.iter().collect();
    let trace = panoptes_trace::replay(&mut subject, Origin::default(), &path, &expectation);
    trace.map(|_| ()).map_err(|error| error.to_string())
}

/// Walks up to `states_max` configurations, nearest first, with both executors.
fn executors_agree(name: &str, model: &Model, states_max: usize) {
    let reference = || Box::new(Interpreter::new(model, InterpreterOptions::default()));
    let mut interpreter = reference();
    let mut jit = Jit::new(model, reference());
    let Ok(initial) = interpreter.initial() else { return };
    let mut seen = HashSet::from([(initial.clone(), None)]);
    let mut queue = VecDeque::from([(initial, None)]);
    let (mut expected, mut found) = (Successors::default(), Successors::default());
    while let Some((state, control)) = queue.pop_front() {
        interpreter.successors(&state, control, &mut expected);
        jit.successors(&state, control, &mut found);
        let describe = |out: &Successors| {
            let items = out.items.iter().map(|item| {
                let state = item.has_state().then(|| out.state(item).to_vec());
                (item.step(), item.control(), state, out.fault(item).cloned())
            });
            (items.collect::<Vec<_>>(), out.ending)
        };
        assert_eq!(describe(&expected), describe(&found), "{name}: {control:?} {state:?}");
        let let_go = (expected.ending == Ending::LetGo).then(|| (state.clone(), None));
        let items = expected.items.iter().filter(|item| item.has_state());
        let next = items.map(|item| (expected.state(item).to_vec(), item.control()));
        for configuration in next.chain(let_go) {
            if seen.len() < states_max && seen.insert(configuration.clone()) {
                queue.push_back(configuration);
            }
        }
    }
}

fn load(name: &str, text: String, path: &Path) -> Result<(Model, SourceMap), String> {
    let mut sources = SourceMap::default();
    let file = sources.add_file(name, text, None);
    let options = panoptes_promela::PreprocessorOptions::default();
    if path.extension().is_some_and(|ending| ending == "argos") {
        let (module, problems) = panoptes_argos::parse_file(&mut sources, file, path, &options, &FileLoader);
        assert!(problems.is_empty(), "{problems:?}");
        let lowered = panoptes_argos::lower(&module, &sources, name, panoptes_argos::Meaning::default());
        let model = lowered.model.ok_or_else(|| format!("{:?}", lowered.diagnostics))?;
        return Ok((model, sources));
    }
    let (module, problems) = panoptes_promela::parse_file(&mut sources, file, path, &options, &FileLoader);
    if let Some(problem) = problems.iter().find(|problem| problem.is_error()) {
        return Err(problem.message.clone());
    }
    let lowered = panoptes_promela::lower(&module, &sources, name);
    let model = lowered.model.ok_or_else(|| format!("{:?}", lowered.diagnostics))?;
    Ok((model, sources))
}
