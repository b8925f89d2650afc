//! Processes that never move again while others go on: small models, and random ones against the definition, on a graph that is written
//! down whole.

use panoptes_check::{
    CheckSettings, Engine, Language, Loaded, Property, StoreSpec, Temporal, VerdictKind, check, load_text,
};
use panoptes_exec::{Ending, Executor, Successor, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::{Model, StateView};
use panoptes_modelgen::{Profile, generate};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Larger graphs are left out: what is compared takes the third power of that.
const STATES_MAX: usize = 260;

fn load(text: &str) -> Option<Loaded> {
    load_text("m", text.to_string(), Path::new("m.pml"), Language::Promela, &Default::default()).ok()
}

fn settings() -> CheckSettings {
    CheckSettings { property: Property::Temporal(Temporal::Stuck), ..CheckSettings::default() }
}

#[test]
fn small_models() {
    let clock = "active proctype Clock() { bit now; do :: now = 1 - now od }";
    for (name, text, stuck) in [
        ("waits for ever", format!("bool go; active proctype P() {{ go }} {clock}"), true),
        ("at an end label", format!("bool go; active proctype P() {{ end: go }} {clock}"), false),
        ("ended", format!("byte x; active proctype P() {{ x = 1 }} {clock}"), false),
        ("a deadlock", "bool go; active proctype P() { go } active proctype Q() { !go }".to_string(), false),
        ("may still be let go", format!("bool go; active proctype P() {{ go }} active proctype Q() {{ do :: go = !go od }} {clock}"), false),
        ("not from the start", format!("byte n; active proctype P() {{ n = 1; (n == 0) }} {clock}"), true),
        ("only on one way", format!("chan q = [1] of {{ bit }}; active proctype P() {{ q?0 }} active proctype Q() {{ if :: q!0 :: q!1 fi }} {clock}"), true),
        ("a rendezvous", format!("chan q = [0] of {{ bit }}; active proctype P() {{ q?1 }} active proctype Q() {{ q!0 }} {clock}"), true),
        ("a partner moves", "chan q = [0] of { bit }; active proctype P() { do :: q?_ od } active proctype Q() { do :: q!0 od }".to_string(), false),
        ("within an atomic sequence", "chan q = [0] of { bit }; byte x; active proctype P() { do :: q?_ od } active proctype Q() { do :: atomic { x = 1; q!0; x = 0 } od }".to_string(), false),
        ("a child", format!("bool go; active proctype P() {{ run C() }} proctype C() {{ go }} {clock}"), true),
    ] {
        let loaded = load(&text).unwrap_or_else(|| panic!("{name}"));
        let report = check(&loaded, &settings(), &mut ()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report.verdict == VerdictKind::Violated, stuck, "{name}");
        assert_eq!((report.properties[0].name.as_str(), report.properties[0].kind), ("stuck", "stuck"));
        for error in &report.errors {
            assert_eq!((error.kind.name(), error.property_name.as_str()), ("stuck", "stuck"), "{name}");
            assert!(error.message.ends_with("never moves again"), "{}", error.message);
            assert!(error.cycle_start.is_some_and(|start| start < error.length), "{name}");
            assert!(error.location.is_some() && error.trace.is_some(), "{name}");
        }
    }
}

/// A search that did not see everything does not know who may still move.
#[test]
fn not_of_a_part() {
    let text = "byte n; bool go; active proctype P() { go } active proctype Q() { bit b; do :: n < 50 -> n++ :: n == 50 -> go = true; break :: b = 1 - b od }";
    let loaded = load(text).expect("a model");
    let mut settings = settings();
    assert_eq!(check(&loaded, &settings, &mut ()).expect("a report").verdict, VerdictKind::Verified);
    settings.limits.depth = Some(panoptes_check::Depth::Steps(10));
    let report = check(&loaded, &settings, &mut ()).expect("a report");
    assert_eq!((report.verdict, report.complete), (VerdictKind::Inconclusive, false));
}

/// All states, and the steps between them with those who move.
struct Whole {
    arcs: Vec<(usize, usize, BTreeSet<u8>)>,
    states: Vec<Vec<u8>>,
}

impl Whole {
    /// None if it is too large, or a step goes wrong.
    fn of(executor: &mut dyn Executor) -> Option<Whole> {
        let initial = executor.initial().ok()?;
        let mut numbers = HashMap::from([(initial.clone(), 0)]);
        let mut whole = Whole { arcs: Vec::new(), states: vec![initial] };
        let mut next = 0;
        while next < whole.states.len() {
            let mut moves = Vec::new();
            follow(executor, (&whole.states[next].clone(), None), &BTreeSet::new(), 0, &mut moves)?;
            for (to, movers) in moves {
                let number = *numbers.entry(to.clone()).or_insert_with(|| {
                    whole.states.push(to);
                    whole.states.len() - 1
                });
                whole.arcs.push((next, number, movers));
            }
            next += 1;
            if whole.states.len() > STATES_MAX {
                return None;
            }
        }
        Some(whole)
    }

    /// Is there a state from which some process never moves, others may go on for ever, and it is not where it may end?
    fn has_stuck(&self, model: &Model) -> bool {
        let count = self.states.len();
        let mut leads = vec![vec![false; count]; count];
        self.arcs.iter().for_each(|(from, to, _)| leads[*from][*to] = true);
        for middle in 0..count {
            let further = leads[middle].clone();
            for row in leads.iter_mut().filter(|row| row[middle]) {
                row.iter_mut().zip(&further).for_each(|(leads, further)| *leads |= further);
            }
        }
        (0..count).any(|state| {
            let is_behind = |other: usize| other == state || leads[state][other];
            let goes_on = (0..count).any(|other| is_behind(other) && leads[other][other]);
            let view = StateView::new(model, &self.states[state]).expect("a state");
            goes_on
                && view.processes().any(|process| {
                    let may_end = process.state().is_none_or(|control| control.end);
                    let moves = |(from, _, movers): &(usize, usize, BTreeSet<u8>)| {
                        is_behind(*from) && movers.contains(&process.pid)
                    };
                    !may_end && !self.arcs.iter().any(moves)
                })
        })
    }
}

fn with_movers(pids: &BTreeSet<u8>, item: &Successor) -> BTreeSet<u8> {
    let step = item.step();
    let movers = [Some(step.pid), step.partner.map(|(pid, _)| pid)].into_iter().flatten();
    pids.iter().copied().chain(movers).collect()
}

/// Goes to the states at the ends of all steps and chains. None if something goes wrong or it is long.
fn follow(
    executor: &mut dyn Executor,
    (vector, control): (&[u8], Option<u8>),
    movers: &BTreeSet<u8>,
    length: usize,
    ends: &mut Vec<(Vec<u8>, BTreeSet<u8>)>,
) -> Option<()> {
    let mut out = Successors::default();
    executor.successors(vector, control, &mut out);
    if length > 0 && (control.is_none() || out.ending == Ending::LetGo) {
        ends.push((vector.to_vec(), movers.clone()));
        return (ends.len() < 200).then_some(());
    }
    for item in &out.items {
        if out.fault(item).is_some() || ends.len() > 100 || length > 40 {
            return None;
        }
        let movers = with_movers(movers, item);
        follow(executor, (out.state(item), item.control()), &movers, length + 1, ends)?;
    }
    Some(())
}

#[test]
fn as_by_definition() {
    random_models(0..300);
}

#[test]
#[ignore = "takes minutes; for a release build"]
fn as_by_definition_at_length() {
    random_models(300..6000);
}

fn random_models(seeds: std::ops::Range<u64>) {
    let presets = ["core", "control", "processes", "channels", "default", "exotic"];
    let mut counts = [0; 2];
    for seed in seeds {
        let profile = Profile::preset(presets[seed as usize % presets.len()]).expect("a preset");
        let text = generate(seed, &profile).to_promela();
        // Somebody who goes on, so that the others can be stuck.
        let texts = [
            text.clone(),
            format!("{text}\nactive proctype Clock() {{ bit now; do :: now = 1 - now od }}\n"),
        ];
        for text in texts {
            let Some(loaded) = load(&text) else { continue };
            let mut executor = Interpreter::new(&loaded.model, InterpreterOptions::default());
            let Some(whole) = Whole::of(&mut executor) else { continue };
            let is_stuck = whole.has_stuck(&loaded.model);
            counts[usize::from(is_stuck)] += 1;
            for (engine, store) in [(Engine::Interp, StoreSpec::Exact), (Engine::Jit, StoreSpec::Compressed)]
            {
                let settings = CheckSettings { engine, store, ..settings() };
                let report = check(&loaded, &settings, &mut ());
                let report = report.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
                let expected = if is_stuck { VerdictKind::Violated } else { VerdictKind::Verified };
                assert_eq!(report.verdict, expected, "seed {seed}\n{text}");
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|count| *count > 20), "both happen often: {counts:?}");
}
