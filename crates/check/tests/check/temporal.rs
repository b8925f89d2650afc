//! Temporal properties of small models. The answers are those of SPIN (`-a` or `-l`, with and without `-f`), except where the
//! comment says why not.

use panoptes_check::{
    CheckSettings, CycleSearch, Engine, Fairness, Language, Limits, Property, StoreSpec, Strategy,
    TextOptions, VerdictKind, check, load_file, load_text,
};
use panoptes_modelgen::{SMALL, shipped};
use panoptes_source::Warning;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

struct Case {
    name: &'static str,
    property: &'static str,
    /// Is it violated, and is it by a weakly fair execution?
    violated: bool,
    by_a_fair_one: bool,
    text: &'static str,
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { name: "accept_cycle", property: "acceptance", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1; accept: x = 0 :: x = 2 od }" },
    Case { name: "accept_once", property: "acceptance", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { accept: x = 1; do :: x = 0 od }" },
    Case { name: "accept_stutter", property: "acceptance", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { x = 1; accept: (x == 3) }" },
    Case { name: "atomic_hides", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x, y; active proctype P() { do :: atomic { x = 1; y = 1; x = 0; y = 0 } od } ltl p { [] (x == y) }" },
    Case { name: "channel", property: "p", violated: false, by_a_fair_one: false,
        text: "chan q = [2] of { byte }; active proctype S() { do :: q!1 od } active proctype R() { byte y; do :: q?y od } ltl p { [] (full(q) -> <> !full(q)) }" },
    Case { name: "claim_accepts", property: "never_0", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1 :: x = 0 od } never { T: if :: true -> goto T :: x == 1 -> goto accept fi; accept: if :: x == 1 -> goto accept fi }" },
    Case { name: "claim_and_labels", property: "never_0", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1; accept: x = 0 od } never { do :: true od }" },
    Case { name: "claim_asserts", property: "never_0", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { x = 1; x = 2 } never { do :: assert(x < 2) od }" },
    Case { name: "claim_atomic", property: "never_0", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { x = 1; x = 2 } never { do :: atomic { x == 1 -> assert(x == 3) } :: else od }" },
    Case { name: "claim_blocks", property: "never_0", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x = 1 :: x = 0 od } never { do :: x == 0 od }" },
    Case { name: "claim_end", property: "never_0", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1 :: x = 2; x = 3 od } never { do :: x == 2 -> break :: else od }" },
    Case { name: "claim_end_label", property: "never_0", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1 - x od } never { S: if :: x == 2 -> goto S :: else -> goto end_1 fi; end_1: if :: x == 0 -> goto end_1 :: else -> goto S fi }" },
    Case { name: "claim_excludes_labels", property: "never_0", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x = 0; accept: x = 1; x = 2 :: x = 7 od } never { do :: x == 7 || x == 0 od }" },
    // Nobody writes them: optimisation makes the same constant of both.
    Case { name: "constants", property: "p", violated: true, by_a_fair_one: true,
        text: "bool a, b; byte x; active proctype P() { do :: x = 1 - x od } ltl p { <> (a && !b) }" },
    Case { name: "else", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x == 9 -> x = 0 :: else -> x++ od } ltl p { [] <> (x == 9) }" },
    Case { name: "ends", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { x = 1; x = 2 } ltl p { <> [] (x == 2) }" },
    Case { name: "ends_too_early", property: "p", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { x = 1; x = 2 } ltl p { <> (x == 3) }" },
    Case { name: "in_atomic_rendezvous", property: "p", violated: true, by_a_fair_one: false,
        text: "chan c = [0] of { byte }; byte x; active proctype S() { do :: atomic { x = 0; c!1; x = 2 } od } active proctype R() { byte y; do :: c?y od } active proctype N() { byte n; do :: n = 1 - n od } ltl p { [] <> (x == 2) }" },
    Case { name: "infinitely", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x = (x + 1) % 3 od } ltl p { [] <> (x == 2) && [] <> (x == 0) }" },
    // SPIN is mostly built without `X`.
    Case { name: "next", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { x = 1; x = 2; x = 3 } ltl p { X (x == 1 && X (x == 2 && X [] (x == 3))) }" },
    // SPIN is mostly built without `X`.
    Case { name: "next_fails", property: "p", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { x = 1; x = 2; x = 3 } ltl p { X X (x == 1) }" },
    Case { name: "poll", property: "p", violated: true, by_a_fair_one: true,
        text: "chan q = [2] of { byte }; active proctype S() { do :: q!1 :: q!2 od } active proctype R() { byte y; do :: q?y od } ltl p { [] <> (q?[2]) }" },
    Case { name: "progress_avoided", property: "progress", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1; progress: x = 0 :: x = 2 od }" },
    Case { name: "progress_end", property: "progress", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { progress: x = 1; x = 2 }" },
    Case { name: "progress_ok", property: "progress", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x = 1; progress: x = 0 od }" },
    Case { name: "progress_starved", property: "progress", violated: true, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x = 1; progress: x = 0 od } active proctype Q() { byte n; do :: n = 1 - n od }" },
    // SPIN finds nothing with `-f`; but the process cannot move again and again, so nobody owes it a step.
    Case { name: "provided", property: "p", violated: true, by_a_fair_one: true,
        text: "byte x, t; active proctype P() provided (t == 0) { do :: x = 1 - x od } active proctype Q() { do :: t = 1 - t od } ltl p { [] <> (x == 1) }" },
    Case { name: "release", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { x = 1; x = 2; do :: x = 2 od } ltl p { (x == 2) V (x < 3) }" },
    Case { name: "remote", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x = 1; here: x = 0 od } ltl p { [] <> P@here }" },
    Case { name: "remote_fails", property: "p", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1; here: x = 0 :: x = 2 od } ltl p { [] <> P@here }" },
    Case { name: "rendezvous", property: "p", violated: true, by_a_fair_one: true,
        text: "chan c = [0] of { byte }; byte x; active proctype S() { do :: c!1 :: c!2 od } active proctype R() { do :: c?x od } ltl p { [] <> (x == 2) }" },
    Case { name: "rendezvous_fair", property: "p", violated: true, by_a_fair_one: false,
        text: "chan c = [0] of { byte }; byte x; active proctype S() { do :: c!1; c!2 od } active proctype R() { do :: c?x od } active proctype N() { byte n; do :: n = 1 - n od } ltl p { [] <> (x == 2) }" },
    Case { name: "response", property: "p", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1 :: x = 2 od } ltl p { [] (x == 1 -> <> (x == 2)) }" },
    Case { name: "semaphore", property: "p", violated: true, by_a_fair_one: true,
        text: "byte s = 1, in0, in1; active proctype A() { do :: atomic { s > 0 -> s-- }; in0 = 1; in0 = 0; s++ od } active proctype B() { do :: atomic { s > 0 -> s-- }; in1 = 1; in1 = 0; s++ od } ltl p { [] <> (in0 == 1) }" },
    Case { name: "starved", property: "p", violated: true, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { byte n; do :: n = 1; n = 0 od } ltl p { [] <> (x == 1) }" },
    Case { name: "strong_until", property: "p", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> x = 0 :: x = 5; break od } ltl p { (x < 2) U (x == 5) }" },
    Case { name: "terminated_pid", property: "p", violated: true, by_a_fair_one: true,
        text: "byte n; proctype W() { n++; n-- } init { do :: run W(); n = 0 od } ltl p { [] <> (_nr_pr == 1) }" },
    Case { name: "terminates", property: "p", violated: false, by_a_fair_one: false,
        text: "byte n; proctype W() { n++ } init { run W(); run W() } ltl p { <> (n == 2) }" },
    Case { name: "timeout", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: timeout -> x = 1 - x od } ltl p { [] <> (x == 1) }" },
    Case { name: "unfair_choice", property: "p", violated: true, by_a_fair_one: true,
        text: "byte x; active proctype P() { do :: x = 1 :: x = 2 od } ltl p { <> (x == 2) }" },
    Case { name: "unless", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: { x = 1; x = 2 } unless { x == 2 -> x = 0 } od } ltl p { [] <> (x == 0) }" },
    Case { name: "weak_until", property: "p", violated: false, by_a_fair_one: false,
        text: "byte x; active proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> x = 0 :: x = 5; break od } ltl p { (x < 2) W (x == 5) }" },
];

/// The searches to be tried, with stores. Those that are nested look at all executions alike.
fn ways(fairness: Fairness) -> Vec<(Strategy, StoreSpec)> {
    use CycleSearch::{AstarDfs, ImprovedNdfs, Ndfs};
    let mut ways = vec![(Strategy::Auto, StoreSpec::Exact), (Strategy::SCC, StoreSpec::Compressed)];
    if fairness == Fairness::None {
        ways.extend([Ndfs, ImprovedNdfs, AstarDfs].map(|by| (Strategy::Cycles(by), StoreSpec::Exact)));
    }
    ways
}

#[test]
fn every_case() {
    for case in CASES {
        let path = Path::new("m.pml");
        let loaded =
            load_text(case.name, case.text.to_string(), path, Language::Promela, &Default::default());
        let loaded = loaded.unwrap_or_else(|error| panic!("{}: {:?}", case.name, error.diagnostics));
        let property = Property::of_model(case.property, &loaded.model).expect("a property of the model");
        for (fairness, violated) in [(Fairness::None, case.violated), (Fairness::Weak, case.by_a_fair_one)] {
            for engine in [Engine::Interp, Engine::Jit] {
                for (strategy, store) in ways(fairness) {
                    let base = CheckSettings { property, fairness, ..CheckSettings::default() };
                    let settings = CheckSettings { strategy, engine, store, ..base };
                    // A report is given only if the reference executor shows the violation.
                    let report = check(&loaded, &settings, &mut ());
                    let report = report.unwrap_or_else(|error| panic!("{}: {error}", case.name));
                    let expected = if violated { VerdictKind::Violated } else { VerdictKind::Verified };
                    assert_eq!(
                        report.verdict, expected,
                        "{} {fairness:?} {strategy} {engine} {store}",
                        case.name
                    );
                }
            }
        }
    }
}

/// Strong fairness owes a step to whoever can take one again and again; SPIN has none.
#[test]
fn strong_fairness() {
    let violated = |name: &str| {
        let case = CASES.iter().find(|case| case.name == name).expect("a case");
        let path = Path::new("m.pml");
        let loaded = load_text(name, case.text.to_string(), path, Language::Promela, &Default::default());
        let loaded = loaded.unwrap_or_else(|error| panic!("{name}: {:?}", error.diagnostics));
        let property = Property::of_model(case.property, &loaded.model).expect("a property of the model");
        let settings = CheckSettings { property, fairness: Fairness::Strong, ..CheckSettings::default() };
        check(&loaded, &settings, &mut ()).expect("a report").verdict == VerdictKind::Violated
    };
    for name in
        ["semaphore", "provided", "starved", "rendezvous_fair", "in_atomic_rendezvous", "progress_starved"]
    {
        assert!(!violated(name), "{name}");
    }
    // A choice within a process is its own.
    for name in ["unfair_choice", "rendezvous", "poll", "progress_avoided", "ends_too_early", "claim_end"] {
        assert!(violated(name), "{name}");
    }
}

/// A property that holds for a trivial reason gets a warning with the reason, and others do not.
#[test]
fn suspicion_of_success() {
    let counter = "byte x, y; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }";
    let walker = "byte x; active proctype P() { do :: x = 1 - x; here: skip :: x == 5 -> there: x = 0 od }";
    let formula = |text: &str| format!("ltl p {{ {text} }}");
    for (model, property, vacuous, says) in [
        (counter, formula("[] (x == 2 -> <> (x == 0))"), Some(false), ""),
        (counter, formula("[] (x == 7 -> <> (x == 0))"), Some(true), "`x == 7` is never true"),
        (
            counter,
            formula("[] (x == 2 && x > 2 -> X (x == 0))"),
            Some(true),
            "what it says `->` of never happens",
        ),
        (
            counter,
            formula("[] ((x == 7 -> x == 8) && (x == 1 -> <> (x == 2)))"),
            Some(true),
            "`x == 7` is never true",
        ),
        (counter, formula("[] (x == 2 -> <> (x < 9))"), Some(true), "only because `x < 9` is always true"),
        (counter, formula("[] <> (x < 9)"), Some(true), "only because `x < 9` is always true"),
        (counter, formula("[] !(x == 1 && x == 8)"), Some(true), "only because `x == 8` is never true"),
        (counter, formula("[] !(x == 1 && x == 2)"), Some(false), ""),
        (counter, formula("[] <> (x == 3)"), Some(false), ""),
        // It says so itself.
        (counter, formula("[] (x < 4)"), None, ""),
        (counter, formula("[] (x < 4 && x != 7)"), None, ""),
        (counter, formula("[] (y < 4)"), Some(true), "nothing in the model changes what `y < 4` speaks of"),
        (counter, formula("[] (y == 1 -> <> (x == 0))"), Some(true), "`y == 1` is never true"),
        // Violated.
        (counter, formula("[] (x == 2 -> <> (x == 8))"), None, ""),
        // A state that the automaton of the formula does not come to, but the system does.
        (counter, formula("<> (x == 1) || [] (x == 2 -> <> (x == 8))"), Some(false), ""),
        (walker, formula("[] !(x == 1 && P@there)"), Some(true), "`P@there` is never true"),
        (walker, formula("[] (P@here -> x < 2)"), Some(true), "only because `x < 2` is always true"),
        (counter, "never { do :: x == 2 -> goto accept :: true od; accept: x == 9 }".to_string(), None, ""),
        (counter, "never { do :: x == 1 od; accept: x == 9 }".to_string(), Some(true), "it never moves"),
        (counter, "never { do :: x == 0 od; accept: x == 9 }".to_string(), Some(false), ""),
        (
            "byte x; active proctype P() { do :: x = 1 - x :: x == 5 -> accept: x = 0 od }",
            String::new(),
            Some(true),
            "no execution gets to a label that begins with `accept`",
        ),
        ("byte x; active proctype P() { accept: x = 1; do :: x = 1 - x od }", String::new(), Some(false), ""),
        (
            "byte x; active proctype P() { x = 1; (x == 2); progress: x = 0 }",
            String::new(),
            Some(true),
            "no execution gets to a label that begins with `progress`",
        ),
        ("byte x; active proctype P() { do :: x = 1; progress: x = 0 od }", String::new(), Some(false), ""),
    ] {
        let text = format!("{model}\n{property}\n");
        let loaded = load_text("m.pml", text, Path::new("m.pml"), Language::Promela, &Default::default());
        let loaded = loaded.unwrap_or_else(|error| panic!("{property} {:?}", error.diagnostics));
        for engine in [Engine::Interp, Engine::Jit] {
            let settings = CheckSettings { engine, ..CheckSettings::default() };
            let report = check(&loaded, &settings, &mut ()).expect("a report");
            let what = format!("{model} {property}");
            assert_eq!(report.properties[1].vacuous, vacuous, "{what}");
            let told: Vec<&str> = report
                .search_warnings
                .iter()
                .filter(|warning| warning.warning == Some(Warning::VacuousProperty))
                .map(|warning| warning.message.as_str())
                .collect();
            assert_eq!(!told.is_empty(), vacuous == Some(true), "{what}: {told:?}");
            assert!(says.is_empty() || told.iter().any(|message| message.contains(says)), "{what}: {told:?}");
        }
    }
}

/// A condition that has no value in some state is an error there, in formulas and in claims.
#[test]
fn conditions_without_a_value() {
    for property in
        ["ltl p { [] (a[x] == 0) }", "ltl p { [] <> (8 / (2 - x) == 4) }", "never { do :: a[x] == 0 od }"]
    {
        let text = format!(
            "byte x, a[2]; active proctype P() {{ do :: x < 3 -> x++ :: x == 3 -> x = 0 od }}\n{property}\n"
        );
        let loaded = load_text("m.pml", text, Path::new("m.pml"), Language::Promela, &Default::default());
        let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
        let report = check(&loaded, &CheckSettings::default(), &mut ()).expect("a report");
        assert_eq!(report.verdict, VerdictKind::Violated, "{property}");
        assert!(report.errors[0].message.starts_with("a condition has no value: "), "{property}");
        assert_eq!((report.errors[0].length, report.errors[0].cycle_start), (4, None), "{property}");
    }
}

/// The models of this project say in their first comments what holds in them: see `models/README.md`.
#[test]
fn every_model() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in shipped(SMALL) {
        let text = std::fs::read_to_string(&path).expect("a model is text");
        let language = Language::of_path(&path).expect("the name of a model tells its language");
        let comment = text.split("*/").next().unwrap_or_default();
        for line in comment.lines().map(|line| line.trim_start_matches([' ', '*'])) {
            let Some((key, rest)) = line.split_once(": ") else { continue };
            let mut words = rest.split_whitespace();
            let mut next = || words.next().unwrap_or_default();
            let (name, verdict, fairness) = match key {
                "ltl" => (next().to_string(), next(), next()),
                "never" => ("never_0".to_string(), next(), ""),
                "acceptance" | "progress" | "stuck" => (key.to_string(), next(), ""),
                "formula" => {
                    let verdict = next();
                    let rest = rest[verdict.len()..].trim();
                    let fairness = ["fair ", "strong "].into_iter().find(|word| rest.starts_with(word));
                    let fairness = fairness.unwrap_or_default();
                    (rest[fairness.len()..].to_string(), verdict, fairness.trim())
                }
                _ => continue,
            };
            let formulas = if key == "formula" { vec![name.clone()] } else { Vec::new() };
            let options = TextOptions { formulas, ..TextOptions::default() };
            let loaded = load_file(&path, language, &options).expect("a file");
            let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
            let property = Property::of_model(&name, &loaded.model).expect("a property of the model");
            let fairness = match fairness {
                "fair" => Fairness::Weak,
                "strong" => Fairness::Strong,
                _ => Fairness::None,
            };
            let settings = CheckSettings { property, fairness, ..CheckSettings::default() };
            let report = check(&loaded, &settings, &mut ()).expect("a report");
            let expected = if verdict == "violated" { VerdictKind::Violated } else { VerdictKind::Verified };
            assert_eq!(report.verdict, expected, "{name} {fairness:?} of {}", path.display());
            *counts.entry(format!("{key} {verdict}")).or_default() += 1;
        }
    }
    assert!(counts.values().sum::<usize>() > 50, "{counts:?}");
    // Each kind holds in some model and is violated in another.
    for key in ["ltl", "never", "acceptance", "progress", "stuck", "formula"] {
        for verdict in ["verified", "violated"] {
            assert!(counts.contains_key(&format!("{key} {verdict}")), "{key} {verdict}: {counts:?}");
        }
    }
}

/// What is hidden from the state still decides where an execution goes.
#[test]
fn hidden_variables() {
    let text = "hidden byte h; byte x; active proctype P() { do :: h = 1 :: h = 0 :: x = h od }\n\
                ltl p { [] <> (x == 1) }\nltl q { [] (x < 2) }\n";
    let loaded =
        load_text("m.pml", text.to_string(), Path::new("m.pml"), Language::Promela, &Default::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong] {
        let settings = CheckSettings { fairness, ..CheckSettings::default() };
        let report = check(&loaded, &settings, &mut ()).expect("a report");
        let verdicts: Vec<VerdictKind> = report.properties.iter().map(|property| property.verdict).collect();
        assert_eq!(verdicts[1..], [VerdictKind::Violated, VerdictKind::Verified], "{fairness:?}");
    }
}

/// A violation that is found when there is no time to show it is still told as one.
#[test]
fn a_cycle_without_time_to_show_it() {
    let text = "int n; active proctype P() { do :: n < 60000 -> n++ :: n == 60000 -> n = 60001 od }\nltl p { <> (n == 7777777) }";
    let loaded =
        load_text("m.pml", text.to_string(), Path::new("m.pml"), Language::Promela, &Default::default());
    let loaded = loaded.unwrap_or_else(|error| panic!("{:?}", error.diagnostics));
    let property = Property::of_model("p", &loaded.model).expect("the formula");
    for millis in [1, 5, 20, 60, 150, 400] {
        let limits = Limits::of_time(Duration::from_millis(millis));
        let settings = CheckSettings { property, limits, ..CheckSettings::default() };
        let report = check(&loaded, &settings, &mut ()).expect("a report");
        match report.verdict {
            VerdictKind::Violated => assert_eq!(report.errors.len(), 1),
            verdict => assert_eq!((verdict, report.complete), (VerdictKind::Inconclusive, false)),
        }
    }
}
