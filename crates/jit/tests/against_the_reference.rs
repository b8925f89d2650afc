//! The compiled executor gives what the reference executor gives, item by item, on every model we have and on random
//! ones.

mod chains;
mod conditions;
mod features;

use panoptes_exec::{Executor, FaultKind, Patience, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_jit::{Jit, Statistics};
use panoptes_model::Model;
use panoptes_modelgen::{Profile, SMALL, generate, shipped};
use panoptes_optimise::{Passes, optimise};
use panoptes_promela::FileLoader;
use panoptes_source::SourceMap;
use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::Ordering;

#[test]
fn on_every_model() {
    let (mut native, mut all, mut later) = (0, 0, 0);
    let (mut by_code, mut chained) = (0, 0);
    for path in shipped(SMALL) {
        let text = std::fs::read_to_string(&path).expect("a model is text");
        let name = path.display().to_string();
        let model = load(&name, text, &path).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let (statistics, bit_by_bit) = compare(&name, &model, 4000);
        let calls = statistics.native_calls + statistics.reference_calls;
        println!("{name}: {} of {calls} calls native", statistics.native_calls);
        by_code += statistics.native_chains;
        chained += statistics.native_chains + statistics.other_chains;
        native += statistics.native_calls;
        all += calls;
        later += bit_by_bit.native_calls;
        assert!(bit_by_bit.native_states <= statistics.native_states, "{name}: {bit_by_bit:?}");
    }
    println!("{native} of {all} calls native, {later} if compiled bit by bit");
    assert!(native * 10 > all * 6, "only {native} of {all} calls native");
    assert!(
        later < native && later * 10 > native * 6,
        "{later} calls native if compiled bit by bit, {native} at once"
    );
    let answered = conditions::ANSWERED.load(Ordering::Relaxed);
    println!("{answered} sets of conditions answered");
    assert!(answered > 10_000, "only {answered} sets of conditions answered");
    println!("{by_code} of {chained} times chains followed by native code");
    assert!(by_code * 10 > chained * 8, "only {by_code} of {chained} times by native code");
    let followed = chains::FOLLOWED.load(Ordering::Relaxed);
    println!("{followed} times chains followed at once");
    assert!(followed > 1000, "only {followed} times chains followed at once");
}

#[test]
fn on_random_models() {
    random_models(0..40, 400);
}

/// Chains behind long vectors are left to the search, which watches how much memory they take.
#[test]
fn chains_of_long_vectors_are_not_kept_together() {
    let text = "byte a[60000]; active proctype P() { byte k;
        atomic { do :: k < 10 -> if :: a[k] = 1 :: a[k] = 2 fi; k++ :: k == 10 -> break od }; assert(a[0]) }";
    let model = load("long", text.to_string(), Path::new("long.pml")).expect("a model");
    let mut jit = Jit::new(&model, Box::new(Interpreter::new(&model, InterpreterOptions::default())));
    let mut out = Successors::default();
    jit.successors(&jit.initial().expect("a state"), None, &mut out);
    let closes = vec![true; model.transitions.len()];
    let mut chains = panoptes_exec::Chains { closes: &closes, is_chosen: None, executed: &mut [] };
    assert!(!jit.follow(&mut out, &mut chains));
    assert!(out.heap_bytes() < 64 << 20, "{} bytes", out.heap_bytes());
}

/// Where a deterministic step is given up, both give it up.
#[test]
fn long_deterministic_steps_have_one_limit() {
    let statements_max = 8 << 20;
    let patience = Patience { statements_max, ..Patience::default() };
    let (mut given_up, mut done) = (0, 0);
    // About four statements a round.
    for rounds in [1 << 10, 1 << 19, 1 << 20, (2 << 20) - 9, (2 << 20) + 9, 4 << 20] {
        let text = format!(
            "int a, b; active proctype P() {{ d_step {{ do :: a < {rounds} -> a++; b = a; b++ :: else -> break od }} }}"
        );
        let model = load("long", text, Path::new("long.pml")).expect("a model");
        let mut interpreter = Interpreter::new(&model, InterpreterOptions::default());
        let mut jit = Jit::new(&model, Box::new(Interpreter::new(&model, InterpreterOptions::default())));
        let faults: Vec<_> = [&mut interpreter as &mut dyn Executor, &mut jit]
            .into_iter()
            .map(|executor| {
                let (state, mut out) = (executor.initial().expect("a state"), Successors::default());
                executor.set_patience(&patience);
                executor.successors(&state, None, &mut out);
                assert_eq!(out.items.len(), 1);
                (out.faults.first().map(|fault| fault.kind), out.state(&out.items[0]).to_vec())
            })
            .collect();
        assert_eq!(faults[0], faults[1], "{rounds} rounds");
        match faults[0].0 {
            Some(kind) => {
                assert_eq!(kind, FaultKind::EndlessBlock);
                given_up += 1;
            }
            None => done += 1,
        }
    }
    assert!(given_up > 0 && done > 3, "{given_up} given up, {done} done");
}

/// What the code generator may not take memory for is interpreted.
#[test]
fn large_states_are_interpreted_where_memory_is_bounded() {
    let options: String = (0..100).map(|i| format!(":: x == {i} ")).collect();
    let text = format!("byte x; active proctype P() {{ do {options} od }}");
    let model = load("wide", text, Path::new("wide.pml")).expect("a model");
    let native_states = |compiler_bytes_max| {
        let mut jit = Jit::soon(&model, Box::new(Interpreter::new(&model, InterpreterOptions::default())));
        jit.set_patience(&Patience { compiler_bytes_max, ..Patience::default() });
        let (state, mut out) = (jit.initial().expect("a state"), Successors::default());
        jit.successors(&state, None, &mut out);
        assert_eq!(out.items.len(), 1);
        jit.statistics().native_states
    };
    let (all, few) = (native_states(usize::MAX), native_states(0));
    assert_eq!(all, few + 1, "the loop is too large");
}

/// Many more seeds, for an idle runtime: `cargo test --release -p panoptes-jit -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models() {
    random_models(1000..4000, 1000);
}

fn random_models(seeds: std::ops::Range<u64>, states_max: usize) {
    let presets = Profile::PRESETS
        .map(|name| (name, Profile::preset(name).expect("a preset by its name"), seeds.clone()));
    // What is drawn of these features in the presets is little.
    let many = seeds.start..seeds.start + 3 * (seeds.end - seeds.start);
    let (mut native, mut all, mut seen) = (0, 0, features::Seen::default());
    for (name, profile, seeds) in presets.into_iter().chain([("scheduling", Profile::scheduling(), many)]) {
        let (mut native_here, mut all_here) = (0, 0);
        for seed in seeds {
            let text = generate(seed, &profile).to_promela();
            let name = format!("{name} {seed}");
            let Ok(model) = load(&name, text, Path::new("random.pml")) else { continue };
            seen.add(&model);
            let mut walked = vec![compare(&name, &model, states_max).0];
            if seed % 2 == 0 {
                // As a check runs it: steps that create processes set variables back, others keep control.
                let model = optimise(&model, Passes::ALL).model;
                walked.push(compare(&format!("{name} optimised"), &model, states_max).0);
            }
            native_here += walked.iter().map(|statistics| statistics.native_calls).sum::<u64>();
            all_here += walked
                .iter()
                .map(|statistics| statistics.native_calls + statistics.reference_calls)
                .sum::<u64>();
        }
        println!("{name}: {native_here} of {all_here} calls native");
        native += native_here;
        all += all_here;
    }
    seen.check();
    println!("{native} of {all} calls native");
    assert!(native > all / 4, "only {native} of {all} calls native");
}

/// Walks up to `states_max` configurations, nearest first, with the reference and with native code, compiled at once
/// and bit by bit.
fn compare(name: &str, model: &Model, states_max: usize) -> (Statistics, Statistics) {
    // With a model or two, channels lose messages.
    let lossy = name.len().is_multiple_of(2) && model.monitor.is_some() || model.transitions.len() % 3 == 1;
    let reference = || Box::new(Interpreter::new(model, InterpreterOptions { lossy }));
    let mut interpreter = reference();
    let mut at_once = Jit::new(model, reference());
    let mut bit_by_bit = Jit::at_once(model, reference());
    let Ok(initial) = interpreter.initial() else { return (at_once.statistics(), bit_by_bit.statistics()) };
    let mut seen = HashSet::from([(initial.clone(), None)]);
    let mut queue = VecDeque::from([(initial, None)]);
    let mut chains = chains::Comparison::new(model);
    let conditions = conditions::Comparison::new(model, &mut interpreter, &mut at_once);
    let (mut expected, mut found) = (Successors::default(), Successors::default());
    while let Some((state, control)) = queue.pop_front() {
        interpreter.successors(&state, control, &mut expected);
        let describe = |out: &Successors| {
            let items = out.items.iter().map(|item| {
                let state = item.has_state().then(|| out.state(item).to_vec());
                (item.step(), item.control(), state, out.fault(item).cloned())
            });
            (items.collect::<Vec<_>>(), out.ending)
        };
        for (jit, how) in [(&mut at_once, "at once"), (&mut bit_by_bit, "bit by bit")] {
            jit.successors(&state, control, &mut found);
            assert_eq!(describe(&expected), describe(&found), "{name} {how}: {control:?} {state:?}");
            if control.is_none() {
                chains.compare(&mut *interpreter, jit, &mut found, &expected, &format!("{name} {how}"));
            }
        }
        if control.is_none() {
            conditions.compare(&mut interpreter, &mut at_once, &state, name);
        }
        let let_go = (expected.ending == panoptes_exec::Ending::LetGo).then(|| (state.clone(), None));
        let items = expected.items.iter().filter(|item| item.has_state());
        let next = items.map(|item| (expected.state(item).to_vec(), item.control()));
        for configuration in next.chain(let_go) {
            if seen.len() < states_max && seen.insert(configuration.clone()) {
                queue.push_back(configuration);
            }
        }
    }
    (at_once.statistics(), bit_by_bit.statistics())
}

fn load(name: &str, text: String, path: &Path) -> Result<Model, String> {
    let mut sources = SourceMap::default();
    let file = sources.add_file(name, text, None);
    let options = panoptes_promela::PreprocessorOptions::default();
    if path.extension().is_some_and(|ending| ending == "argos") {
        let (module, problems) = panoptes_argos::parse_file(&mut sources, file, path, &options, &FileLoader);
        assert!(problems.is_empty(), "{problems:?}");
        let lowered = panoptes_argos::lower(&module, &sources, name, panoptes_argos::Meaning::default());
        return lowered.model.ok_or_else(|| format!("{:?}", lowered.diagnostics));
    }
    let (module, problems) = panoptes_promela::parse_file(&mut sources, file, path, &options, &FileLoader);
    if let Some(problem) = problems.iter().find(|problem| problem.is_error()) {
        return Err(problem.message.clone());
    }
    let lowered = panoptes_promela::lower(&module, &sources, name);
    lowered.model.ok_or_else(|| format!("{:?}", lowered.diagnostics))
}
