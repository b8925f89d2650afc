//! Invariants: the same ones are broken by every search, engine and reduction, and as by a monitor that asserts them.

use panoptes_check::{
    CheckSettings, Engine, Language, Limits, Loaded, Semantics, Strategy, TextOptions, Verdict, VerdictKind,
    check, load_text, replay_error, run_search,
};
use panoptes_exec::FaultKind;
use panoptes_model::ProcessKind;
use panoptes_modelgen::{Profile, Rng, generate};
use panoptes_search::{FindingKind, Observer, Reduction};
use std::collections::BTreeSet;
use std::path::Path;

struct Nobody;
impl Observer for Nobody {}

fn load(text: &str, language: Language, invariants: &[&str]) -> Result<Loaded, String> {
    let options = TextOptions {
        invariants: invariants.iter().map(|text| (*text).to_string()).collect(),
        ..TextOptions::default()
    };
    load_text("m", text.to_string(), Path::new("m"), language, &options)
        .map_err(|error| error.diagnostics.iter().map(|wrong| wrong.message.clone() + "\n").collect())
}

fn promela(text: &str, invariants: &[&str]) -> Loaded {
    load(text, Language::Promela, invariants).expect("a model without mistakes")
}

fn exact(search: Strategy) -> CheckSettings {
    CheckSettings {
        strategy: search,
        semantics: Semantics::EXACT,
        all_errors: true,
        ..CheckSettings::default()
    }
}

/// The invariants that a check finds broken; each is walked again.
fn broken(loaded: &Loaded, options: &CheckSettings) -> (BTreeSet<String>, Verdict) {
    let verdict = run_search(loaded, options, &mut Nobody);
    let kind = FindingKind::Fault(FaultKind::Invariant);
    let errors = verdict.outcome.errors.iter().filter(|error| error.kind == kind);
    let texts = errors.map(|error| {
        let trace = replay_error(loaded, options, error);
        trace.unwrap_or_else(|wrong| panic!("{:?}: {wrong}", error.fault));
        error.fault.as_ref().expect("an invariant").message.clone()
    });
    (texts.collect(), verdict)
}

/// Both engines and searches, with and without each reduction, find the same.
fn same_everywhere(name: &str, loaded: &Loaded) -> Option<BTreeSet<String>> {
    let bounded = CheckSettings { limits: Limits::of_states(20_000), ..exact(Strategy::BFS) };
    let (expected, verdict) = broken(loaded, &bounded);
    if !verdict.outcome.complete {
        return None;
    }
    for search in [Strategy::BFS, Strategy::DFS] {
        for engine in [Engine::Interp, Engine::Jit] {
            for (optimise, por) in [(true, true), (true, false), (false, true)] {
                let options =
                    CheckSettings { semantics: Semantics::new(por, optimise), engine, ..exact(search) };
                let (found, _) = broken(loaded, &options);
                assert_eq!(expected, found, "{name} {search:?} {engine:?} optimise {optimise} por {por}");
            }
        }
    }
    Some(expected)
}

const COUNTER: &str = "\
byte x, y; chan q = [2] of { byte };
active proctype P() { byte i; do :: i < 3 -> i++; x++; q!i :: i == 3 -> break od; done: skip }
active proctype Q() { byte m; do :: q?m -> y = m :: timeout -> break od }
";

#[test]
fn what_an_invariant_can_say() {
    for (condition, holds) in [
        ("x <= 3", true),
        ("x < 3", false),
        ("y <= x", true),
        ("y == x", false),
        ("x - y <= 3", true),
        ("len(q) <= 2", true),
        ("len(q) < 2", false),
        ("nfull(q)", false),
        ("!full(q) || x >= 2", true),
        ("empty(q) || nempty(q)", true),
        ("!q?[3]", false),
        ("!q?[4]", true),
        ("P:i <= 3", true),
        ("P[0]:i < 3", false),
        ("P@done -> x == 3", true),
        ("!P@done", false),
        ("Q@done || 1", true),
        ("_nr_pr <= 2", true),
        ("_nr_pr == 2", false),
        ("x <= LIMIT", true),
        ("x == 7 / (3 - x)", false),
    ] {
        if condition.starts_with("Q@") {
            let message = load(COUNTER, Language::Promela, &[condition]).expect_err("no such label");
            assert!(message.contains("`Q` has no label `done`"), "{message}");
            continue;
        }
        let text = format!("#define LIMIT 3\n{COUNTER}");
        let loaded = promela(&text, &[condition]);
        let found = same_everywhere(condition, &loaded).expect("a small model");
        assert_eq!(found.is_empty(), holds, "{condition}: {found:?}");
    }
}

/// A monitor that asserts the condition at any moment sees the same states.
#[test]
fn as_by_a_monitor() {
    let model = "\
byte x, y; bit busy;
active proctype A() { do :: atomic { !busy -> busy = 1; x++; x-- }; y = x + 1; busy = 0; y = 0 od }
active proctype B() { d_step { x = 2; x = 0 }; atomic { y = 3; x = 1; !busy; x = 0 } }
";
    let mut differ = 0;
    for condition in ["x == 0", "x <= 1", "y == 0", "y < 3", "!(x == 1 && y == 3)", "busy || y == 0", "x < 2"]
    {
        let (found, verdict) = broken(&promela(model, &[condition]), &exact(Strategy::BFS));
        let monitored = format!("{model}active proctype Monitor() {{ assert({condition}) }}");
        let (_, asserted) = broken(&promela(&monitored, &[]), &exact(Strategy::BFS));
        let is_false = asserted.outcome.error_counts.contains_key(&FindingKind::Fault(FaultKind::Assertion));
        assert_eq!(!found.is_empty(), is_false, "{condition}");
        assert_eq!(verdict.kind == VerdictKind::Violated, !verdict.outcome.errors.is_empty());
        differ += usize::from(is_false);
    }
    assert!((2..=5).contains(&differ), "{differ} are false");
}

#[test]
fn the_initial_state_counts_and_several_are_told_apart() {
    let loaded = promela(COUNTER, &["x > 0", "x < 9", "y == 0"]);
    let (found, verdict) = broken(&loaded, &exact(Strategy::BFS));
    assert_eq!(found, BTreeSet::from(["x > 0".to_string(), "y == 0".to_string()]));
    let lengths: Vec<usize> = verdict.outcome.errors.iter().map(|error| error.length).collect();
    assert_eq!(lengths[0], 0);
    let first = CheckSettings { all_errors: false, ..CheckSettings::default() };
    assert_eq!(broken(&loaded, &first).1.outcome.errors.len(), 1);
}

/// A shortest path ends in the first state that breaks it, also where a deadlock or assertion is as near.
#[test]
fn shortest() {
    let loaded = promela(COUNTER, &["y < 2"]);
    let exact_length = broken(&loaded, &exact(Strategy::BFS)).1.outcome.errors[0].length;
    let options = CheckSettings { strategy: Strategy::SHORTEST, ..CheckSettings::default() };
    assert_eq!(broken(&loaded, &options).1.outcome.errors[0].length, exact_length);
    for depth in [exact_length as u64 - 1, exact_length as u64] {
        for search in [Strategy::DFS, Strategy::BFS] {
            let options = CheckSettings {
                limits: Limits::of_depth(depth),
                strategy: search,
                ..CheckSettings::default()
            };
            let is_found = !broken(&loaded, &options).0.is_empty();
            assert_eq!(is_found, depth as usize == exact_length, "{search:?} {depth}");
        }
    }
}

/// The reduction works on, where an invariant does not see what is done.
#[test]
fn invisible_steps_are_reduced() {
    let model = "\
byte seen; byte a, b;
active proctype A() { byte i; do :: i < 5 -> i++; a = a ^ i :: else -> break od }
active proctype B() { byte i; do :: i < 5 -> i++; b = b ^ i :: else -> break od; seen = 1 }
";
    let stored = |invariants: &[&str], por: bool| {
        let loaded = promela(model, invariants);
        let options = CheckSettings { semantics: Semantics::new(por, false), ..CheckSettings::default() };
        let (_, verdict) = broken(&loaded, &options);
        (verdict.outcome.statistics.stored, verdict.outcome.reduction)
    };
    let (all, _) = stored(&["seen <= 1"], false);
    let (some, reduction) = stored(&["seen <= 1"], true);
    assert!(some * 2 < all && reduction == Reduction::Por, "{some} of {all}");
    let (seen, _) = stored(&["a < 9", "b < 9"], true);
    assert!(seen > some, "{seen} with visible steps");
}

#[test]
fn argos() {
    let model = "\
proc client {
    var n = 0;
    queue ack[2];
    do :: n < 3 -> req!ask(n); n = n + 1; waits: ack?ok
       :: n == 3 -> break
    od
}
proc server {
    var m = 0;
    queue req[2];
    do :: req?ask(m) -> ack!ok od
}
";
    let of = |condition: &str| load(model, Language::Argos, &[condition]);
    for (condition, holds) in [
        ("n <= 3", true),
        ("client:n < 3", false),
        ("len(req) <= 1", true),
        ("empty(req) -> empty(ack)", false),
        ("!req?[ask(2)]", false),
        ("!req?[ask(3)]", true),
        ("!(req?[ask] && ack?[ok])", true),
        ("client@waits -> n > 0", true),
        ("!client@waits", false),
        ("server:m <= client:n", true),
    ] {
        let loaded = of(condition).unwrap_or_else(|wrong| panic!("{condition}: {wrong}"));
        let found = same_everywhere(condition, &loaded).expect("a small model");
        assert_eq!(found.is_empty(), holds, "{condition}: {found:?}");
    }
    for (condition, says) in [
        ("k < 3", "no process has a variable `k`"),
        ("client:k < 3", "`client` has no variable `k`"),
        ("clent:n < 3", "there is no process `clent`"),
        ("len(reqs) < 2", "there is no channel `reqs`"),
        ("req?[aks]", "there is no message `aks`"),
        ("client@wait", "never stands at a label `wait`"),
        ("n <", "expected an expression, found the end of the invariant"),
        ("n < 3 3", "expected an operator or the end of the invariant"),
    ] {
        let message = of(condition).expect_err(condition);
        assert!(message.contains(says), "{condition}: {message}");
    }
}

#[test]
fn what_is_no_invariant() {
    for (condition, says) in [
        ("z < 3", "undeclared variable `z`"),
        ("x <", "expected an expression, found the end of the invariant"),
        ("x < 3; y", "expected an operator or the end of the invariant"),
        ("x = 3", "`=` assigns a value: it is not a comparison"),
        ("timeout", "`timeout` is not about a state"),
        ("_last == 1", "`_last` is not about a state"),
        ("enabled(1)", "`enabled` is not about a state"),
        ("run P()", "`run` outside a process"),
        ("secret == 0", "`secret` is hidden"),
        ("i < 3", "undeclared variable `i`"),
        ("P:j < 3", "`P` has no variable `j`"),
    ] {
        let text = format!("hidden byte secret;\n{COUNTER}");
        let message = load(&text, Language::Promela, &[condition]).expect_err(condition);
        assert!(message.contains(says), "{condition}: {message}");
    }
}

#[test]
fn on_random_models() {
    random_models(0..20);
}

/// Many more seeds: `cargo test --release -p panoptes-check --test check invariants:: -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn on_many_random_models() {
    random_models(1000..2500);
}

fn random_models(seeds: std::ops::Range<u64>) {
    let (mut compared, mut broken, mut held) = (0, 0, 0);
    for preset in ["default", "data", "channels", "control", "processes", "core"] {
        let profile = Profile::preset(preset).expect("a preset by its name");
        for seed in seeds.clone() {
            let text = generate(seed, &profile).to_promela();
            let Ok(plain) = load(&text, Language::Promela, &[]) else { continue };
            let conditions = conditions(&plain, &mut Rng::new(seed));
            // What one of them cannot say (an array without subscript, say) is left out.
            let is_one = |condition: &&str| load(&text, Language::Promela, &[condition]).is_ok();
            let conditions: Vec<&str> = conditions.iter().map(String::as_str).filter(is_one).collect();
            let Ok(loaded) = load(&text, Language::Promela, &conditions) else { continue };
            reached_exactly_if_broken(&format!("{preset} {seed}"), &text, &conditions, &loaded);
            if let Some(found) = same_everywhere(&format!("{preset} {seed} {conditions:?}"), &loaded) {
                compared += 1;
                broken += found.len();
                held += conditions.len() - found.len().min(conditions.len());
            }
        }
    }
    println!("{compared} models, {broken} conditions broken, {held} hold");
    assert!(compared > 0 && broken > compared / 2 && held > compared / 2, "{compared} {broken} {held}");
}

/// A state that breaks an invariant is one that its negation reaches, and nearest ones are equally near.
fn reached_exactly_if_broken(name: &str, text: &str, conditions: &[&str], loaded: &Loaded) {
    let bounded = CheckSettings { limits: Limits::of_states(1_000), ..exact(Strategy::SHORTEST) };
    let verdict = run_search(loaded, &bounded, &mut Nobody);
    if !verdict.outcome.complete {
        return;
    }
    for condition in conditions.iter().take(1) {
        // Where it has no value it is broken, but nothing is reached.
        let mut errors = verdict.outcome.errors.iter();
        let is_it =
            |fault: &panoptes_exec::Fault| fault.kind == FaultKind::Invariant && fault.message == **condition;
        let nearest = errors.find(|error| error.fault.as_ref().is_some_and(is_it)).map(|error| error.length);
        let options = TextOptions { reach: Some(format!("!({condition})")), ..TextOptions::default() };
        let sought = load_text("m", text.to_string(), Path::new("m"), Language::Promela, &options);
        let sought = sought.unwrap_or_else(|error| panic!("{name}: {:?}", error.diagnostics));
        for por in [false, true] {
            let strategy = if por { Strategy::BFS } else { Strategy::SHORTEST };
            let settings =
                CheckSettings { strategy, semantics: Semantics::new(por, true), ..CheckSettings::default() };
            let report = check(&sought, &settings, &mut Nobody).expect("a report");
            let expected = if nearest.is_some() { VerdictKind::Verified } else { VerdictKind::Violated };
            assert_eq!(report.verdict, expected, "{name} {condition} {strategy:?}");
            let witness = report.sought.and_then(|sought| sought.witness);
            let length = witness.map(|witness| witness.trace.expect("it was walked").length());
            match por {
                false => assert_eq!(length, nearest, "{name} {condition}"),
                true => assert!(length >= nearest, "{name} {condition}: {length:?}, {nearest:?}"),
            }
        }
    }
}

/// A few conditions about what the model has.
fn conditions(loaded: &Loaded, rng: &mut Rng) -> Vec<String> {
    let model = &loaded.model;
    let mut subjects: Vec<String> = model.variables.iter().map(|variable| variable.name.clone()).collect();
    subjects.extend(model.channels.iter().map(|channel| format!("len({})", channel.name)));
    let processes = model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
    for process in processes {
        subjects
            .extend(process.variables.iter().map(|variable| format!("{}:{}", process.name, variable.name)));
        let labels = process.states.iter().flat_map(|state| &state.labels);
        subjects.extend(labels.map(|label| format!("{}@{label}", process.name)));
    }
    subjects.push("_nr_pr".to_string());
    let signs = ["<", "<=", "==", "!=", ">="];
    let mut pick = |count: usize| rng.below(count);
    (0..4)
        .map(|_| {
            let (left, right) = (pick(subjects.len()), pick(subjects.len()));
            let (sign, number) = (signs[pick(signs.len())], pick(4));
            match pick(3) {
                0 => format!("{} {sign} {}", subjects[left], subjects[right]),
                1 => format!("{} {sign} {number} || {}", subjects[left], subjects[right]),
                _ => format!("{} {sign} {number}", subjects[left]),
            }
        })
        .collect()
}

/// What the partner in a rendezvous changes counts, also where the send comes later in an atomic sequence.
#[test]
fn what_a_partner_changes_is_seen() {
    let text = "chan c = [0] of { byte }; byte x, y;
        active proctype P() { atomic { skip; c!5 } }
        active proctype Q() { c?x }
        active proctype R() { y = 1 }";
    let loaded = promela(text, &["!(x == 0 && y == 1)"]);
    assert_eq!(same_everywhere("partner", &loaded).expect("it is small").len(), 1);
}
