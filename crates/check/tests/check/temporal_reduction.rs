//! Temporal properties with and without reductions: the verdict is the same, on random models with random formulas, claims written at
//! random and labels. What is violated is also walked again, as every violation is.

use panoptes_check::{
    CheckSettings, Fairness, Language, Limits, Loaded, Property, Report, Semantics, Strategy, Temporal,
    TextOptions, VerdictKind, check, load_text,
};
use panoptes_modelgen::{Profile, Rng, generate};
use panoptes_search::{CycleSearch, Reduction, WhyNot};
use std::fmt::Write;
use std::path::Path;

/// Larger products are left out.
const STATES_MAX: u64 = 6_000;

/// What was compared.
#[derive(Debug, Default)]
struct Counts {
    verified: usize,
    violated: usize,
    /// Pairs of a stutter-sensitive property.
    sensitive: usize,
    claims: usize,
    labels: usize,
    /// Fewer states were stored with the reductions.
    fewer: usize,
    states: [u64; 2],
}

impl Counts {
    fn pairs(&self) -> usize {
        self.verified + self.violated
    }
}

/// What a check with all reductions says of the only property of a model.
fn reduced(text: &str, fairness: Fairness) -> Report {
    let loaded = load(text, Vec::new()).expect("a model");
    let all = Temporal::all(&loaded.model);
    assert_eq!(all.len(), 1, "{text}");
    let property = Property::Temporal(all[0]);
    let settings = CheckSettings {
        property,
        strategy: Strategy::Cycles(CycleSearch::Scc),
        fairness,
        ..CheckSettings::default()
    };
    check(&loaded, &settings, &mut ()).expect("an answer")
}

/// One process goes round for ever, and nobody minds; what the other one does must not be put off for ever.
#[test]
fn nothing_is_put_off_for_ever() {
    for formula in ["[] (x == 0)", "[] !(x == 1)", "[] (x == 0 -> [] (x == 0))"] {
        let text = format!(
            "byte x; active proctype P() {{ byte a; do :: a = 1 - a od }} active proctype Q() {{ x = 1 }} ltl p {{ {formula} }}"
        );
        let report = reduced(&text, Fairness::None);
        assert_eq!((report.verdict, report.reduction), (VerdictKind::Violated, Reduction::Por), "{formula}");
    }
}

/// Two independent loops: of their orders few need to be followed.
#[test]
fn independent_steps_are_followed_in_some_orders() {
    let process = |name: &str, last: &str| {
        format!("active proctype {name}() {{ byte a; do :: a < 9 -> a++ :: a == 9 -> {last}; a = 0 od }}\n")
    };
    let text = format!(
        "byte x, y, z; {}{}{} ltl p {{ [] <> (x == 1) || <> [] (x == 0) }}",
        process("P", "x = 1"),
        process("Q", "y = 1 - y"),
        process("R", "z = 1 - z")
    );
    let loaded = load(&text, Vec::new()).expect("a model");
    let property = Property::Temporal(Temporal::Formula(0));
    let stored = [Semantics::EXACT, Semantics::default()].map(|semantics| {
        let settings = CheckSettings {
            property,
            semantics,
            strategy: Strategy::Cycles(CycleSearch::Scc),
            ..CheckSettings::default()
        };
        let report = check(&loaded, &settings, &mut ()).expect("an answer");
        assert_eq!(report.verdict, VerdictKind::Verified);
        report.statistics.stored
    });
    assert!(stored[1] * 4 < stored[0], "{stored:?}");
}

#[test]
fn where_every_order_counts_it_is_said() {
    let model = "byte x; active proctype P() { do :: x = 1 :: x = 0 od } active proctype Q() { byte a; a = 1; a = 2 }";
    let cases = [
        ("ltl p { [] (x == 1 -> X (x == 0)) }", Fairness::None, Some(WhyNot::CountsRepetitions)),
        // It has an `X`, but does not count.
        ("ltl p { [] ((x == 1) || X [] <> (x == 1)) }", Fairness::None, None),
        ("ltl p { X [] <> (x == 1) }", Fairness::None, None),
        ("ltl p { [] <> (x == 1) }", Fairness::Weak, Some(WhyNot::Fairness)),
        ("ltl p { [] (_last == 0) }", Fairness::None, Some(WhyNot::LastProcess)),
        ("ltl p { [] enabled(0) }", Fairness::None, Some(WhyNot::SeesEverything)),
        ("never { do :: true; x == 1 -> break od }", Fairness::None, Some(WhyNot::CountsRepetitions)),
        ("never { do :: x == 1 -> break :: else od }", Fairness::None, None),
        ("ltl p { <> (x == 1) }", Fairness::None, None),
    ];
    for (property, fairness, why_not) in cases {
        let report = reduced(&format!("{model} {property}"), fairness);
        assert_eq!(report.reduction, why_not.map_or(Reduction::Por, Reduction::NotPossible), "{property}");
    }
}

/// A variable that nobody reads again keeps its value in the model as written, so a lasso may close one round later there.
#[test]
fn lassos_close_in_the_model_as_written() {
    let text = "byte x; active proctype P() { byte a; a = 5; x = a; do :: a = 3; x = a; x = 2; x = 7 od }
                ltl p { [] (x != 7 || <> [] (x == 7)) }";
    let report = reduced(text, Fairness::None);
    assert_eq!(report.verdict, VerdictKind::Violated);
    assert!(report.errors[0].trace.is_some(), "it was walked");
}

#[test]
fn verdicts_stay() {
    let counts = compare_all(0..260);
    let enough = [counts.verified, counts.violated].iter().all(|count| *count > 60)
        && [counts.sensitive, counts.claims, counts.labels, counts.fewer].iter().all(|count| *count > 10);
    assert!(enough, "{counts:?}");
}

#[test]
#[ignore = "takes minutes; for a release build"]
fn verdicts_stay_at_length() {
    let counts = compare_all(1_000..12_000);
    println!("{} pairs: {counts:?}", counts.pairs());
    assert!(counts.pairs() > 3_000 && counts.fewer > 300, "{counts:?}");
}

fn compare_all(seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let text = match seed % 4 {
            0 => {
                let presets = ["core", "control", "processes", "channels", "default", "exotic"];
                let profile = Profile::preset(presets[seed as usize / 4 % presets.len()]).expect("a preset");
                generate(seed, &profile).to_promela()
            }
            _ => processes(&mut rng),
        };
        let Some(plain) = load(&text, Vec::new()) else { continue };
        let atoms = atoms(&mut rng, &plain);
        let (text, formulas) = match rng.below(3) {
            0 if plain.model.claims.is_empty() => {
                (format!("{text}\n{}", claim(&mut rng, &atoms)), Vec::new())
            }
            _ => (text, vec![formula(&mut rng, &atoms, 3)]),
        };
        let Some(loaded) = load(&text, formulas.clone()) else { continue };
        let told = format!("seed {seed}\n{formulas:?}\n{text}");
        for property in Temporal::all(&loaded.model) {
            compare(&loaded, property, &told, &mut counts);
        }
    }
    counts
}

fn compare(loaded: &Loaded, property: Temporal, told: &str, counts: &mut Counts) {
    let settings = |semantics| CheckSettings {
        property: Property::Temporal(property),
        strategy: Strategy::Cycles(CycleSearch::Scc),
        semantics,
        limits: Limits { states: Some(STATES_MAX), ..Limits::default() },
        ..CheckSettings::default()
    };
    let run = |semantics| {
        let report = check(loaded, &settings(semantics), &mut ());
        report.unwrap_or_else(|error| panic!("{property:?} {semantics:?}: {error}\n{told}"))
    };
    let full = run(Semantics::EXACT);
    if full.verdict == VerdictKind::Inconclusive {
        return;
    }
    let kinds = |report: &Report| -> Vec<&str> {
        report.errors.iter().map(|error| error.found.kind.name()).collect()
    };
    for semantics in [Semantics::new(true, true), Semantics::new(true, false), Semantics::new(false, true)] {
        let reduced = run(semantics);
        assert_eq!(full.verdict, reduced.verdict, "{property:?} {semantics:?}\n{told}");
        // A step that goes wrong ends a search, whatever the property: then which error comes first is not settled.
        let is_of_step = kinds(&full).iter().chain(&kinds(&reduced)).any(|kind| *kind == "runtime");
        if semantics == Semantics::default() && !is_of_step {
            let stored = [full.statistics.stored, reduced.statistics.stored];
            if full.verdict == VerdictKind::Verified {
                counts.verified += 1;
                assert!(stored[1] <= stored[0], "{stored:?} states with {property:?}\n{told}");
                counts.fewer += usize::from(stored[1] < stored[0]);
                counts.states = [counts.states[0] + stored[0], counts.states[1] + stored[1]];
            } else {
                counts.violated += 1;
            }
            counts.sensitive += usize::from(matches!(reduced.reduction, Reduction::NotPossible(_)));
            counts.claims += usize::from(matches!(property, Temporal::Claim(_)));
            counts.labels += usize::from(matches!(property, Temporal::Acceptance | Temporal::Progress));
        }
    }
}

fn load(text: &str, formulas: Vec<String>) -> Option<Loaded> {
    let options = TextOptions { formulas, ..TextOptions::default() };
    load_text("m", text.to_string(), Path::new("m.pml"), Language::Promela, &options).ok()
}

/// Conditions on the states of a model.
fn atoms(rng: &mut Rng, loaded: &Loaded) -> Vec<String> {
    let model = &loaded.model;
    let hidden = model.header.hidden_bytes;
    let variables = model.variables.iter().filter(|variable| !variable.is_array && variable.offset >= hidden);
    let named = variables.filter(|variable| !variable.name.contains('.'));
    let mut atoms: Vec<String> =
        named.map(|variable| format!("({} == {})", variable.name, rng.below(3))).collect();
    let channels = model.channels.iter().filter(|channel| !channel.name.contains(['[', '.', ' ']));
    for channel in channels.filter(|channel| !channel.is_rendezvous()) {
        atoms.push(format!("({}({}))", rng.pick(&["len", "nempty", "full", "empty"]), channel.name));
    }
    for process in &model.processes {
        for label in process.states.iter().flat_map(|state| &state.labels) {
            atoms.push(format!("({}@{label})", process.name));
        }
    }
    // Few others: they make most or all steps visible.
    let others = ["(_nr_pr > 1)", "(np_)", "(_last == 0)"];
    if atoms.is_empty() || rng.chance(15) {
        atoms.push(rng.pick(&others).to_string());
    }
    // A formula over few conditions is more often about the same.
    while atoms.len() > 3 {
        atoms.swap_remove(rng.below(atoms.len()));
    }
    atoms
}

fn formula(rng: &mut Rng, atoms: &[String], depth: usize) -> String {
    if depth == 0 || rng.chance(15) {
        return rng.pick(atoms).clone();
    }
    let mut part = || formula(rng, atoms, depth - 1);
    let (left, right) = (part(), part());
    match rng.below(21) {
        0 | 1 => format!("!({left})"),
        2..=5 => format!("[] ({left})"),
        6..=9 => format!("<> ({left})"),
        10 => format!("X ({left})"),
        11..=14 => format!("({left}) U ({right})"),
        15 | 16 => format!("({left}) && ({right})"),
        17 | 18 => format!("({left}) || ({right})"),
        _ => format!("({left}) -> ({right})"),
    }
}

/// A never claim with some states; most of its states can wait, as claims made from formulas can.
fn claim(rng: &mut Rng, atoms: &[String]) -> String {
    let count = 1 + rng.below(3);
    let label =
        |state: usize, accepts: &[bool]| format!("{}S{state}", if accepts[state] { "accept_" } else { "" });
    let accepts: Vec<bool> = (0..count).map(|state| rng.chance(if state == 0 { 20 } else { 60 })).collect();
    let mut text = "never {\n".to_string();
    for state in 0..count {
        let _ = writeln!(text, "{}: do", label(state, &accepts));
        let stays = if rng.chance(50) { "true".to_string() } else { rng.pick(atoms).clone() };
        if rng.chance(80) {
            let _ = writeln!(text, "  :: {stays} -> goto {}", label(state, &accepts));
        }
        for _ in 0..1 + rng.below(2) {
            let not = if rng.chance(40) { "!" } else { "" };
            let target = label(rng.below(count), &accepts);
            let _ = writeln!(text, "  :: {not}{} -> goto {target}", rng.pick(atoms));
        }
        if rng.chance(8) {
            let _ = writeln!(text, "  :: {} -> break", rng.pick(atoms));
        }
        text += "  od;\n";
    }
    text + "}\n"
}

/// A model of processes that have much to do by themselves, in loops, and now and then something with each other.
fn processes(rng: &mut Rng) -> String {
    let mut text = "byte x, y, z; chan q = [1] of { byte }; chan r = [0] of { byte };\n".to_string();
    for number in 0..2 + rng.below(2) {
        let _ = writeln!(text, "active proctype P{number}() {{ byte a, b;");
        let mut labels = 0;
        text += &sequence(rng, 2, &mut labels);
        text += "}\n";
    }
    text
}

fn sequence(rng: &mut Rng, depth: usize, labels: &mut usize) -> String {
    let count = 1 + rng.below(3);
    let statements: Vec<String> = (0..count).map(|_| statement(rng, depth, labels)).collect();
    statements.join(";\n") + "\n"
}

fn statement(rng: &mut Rng, depth: usize, labels: &mut usize) -> String {
    let value = rng.below(3);
    let global = *rng.pick(&["x", "y", "z"]);
    let own = *rng.pick(&["a", "b"]);
    let mut label = |rng: &mut Rng| {
        *labels += 1;
        match rng.below(10) {
            0 => format!("progress_{labels}: "),
            1 => format!("accept_{labels}: "),
            2 => format!("end_{labels}: "),
            3 => format!("l{labels}: "),
            _ => String::new(),
        }
    };
    let label = label(rng);
    let plain = match rng.below(if depth == 0 { 9 } else { 13 }) {
        0 => format!("{own} = {value}"),
        1 => format!("{own} = 1 - {own}"),
        2 => format!("{global} = {value}"),
        3 => format!("{global} = {own}"),
        4 => format!("({global} == {value})"),
        5 => "skip".to_string(),
        6 => format!("q{}{}", rng.pick(&["!", "?"]), own),
        7 => format!("r{}{}", rng.pick(&["!", "?"]), own),
        8 => format!("{own} = {global}"),
        9 | 10 => {
            let bodies = [sequence(rng, depth - 1, labels), sequence(rng, depth - 1, labels)];
            let leaves =
                if rng.chance(70) { format!(":: ({global} == {value}) -> break ") } else { String::new() };
            format!("do :: {} :: {} {leaves}od", bodies[0], bodies[1])
        }
        11 => {
            let bodies = [sequence(rng, depth - 1, labels), sequence(rng, depth - 1, labels)];
            format!("if :: {} :: {} fi", bodies[0], bodies[1])
        }
        _ => format!("atomic {{ {} }}", sequence(rng, depth - 1, labels)),
    };
    label + &plain
}
