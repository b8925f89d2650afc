//! Every example model is what its first comment says it is: verified or violated, by which errors, and in how many
//! states. The numbers come from SPIN in its exact mode (but for those in `models/spin_wrong`, and of Argos models, which SPIN cannot read), so this is also the test
//! of our semantics; both searches must agree with it and hence with each other.

use panoptes_check::{
    CheckSettings, EndStates, Language, Meaning, Property, Semantics, Strategy, TextOptions, Timeouts,
    load_file, run_search,
};
use panoptes_modelgen::shipped;
use panoptes_search::Outcome;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn depth_first() {
    all_models(Strategy::DFS);
}

#[test]
fn breadth_first() {
    all_models(Strategy::BFS);
}

fn all_models(search: Strategy) {
    let mut breaches = Vec::new();
    let mut seen = 0;
    for path in shipped(&["", "spin_wrong", "argos_twins"]) {
        let text = std::fs::read_to_string(&path).expect("a model is text");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let expected = Expected::of(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        for optimise in [false, true] {
            let expected = if optimise { expected.clone().without_counts() } else { expected.clone() };
            breaches.extend(
                run(&path, &expected, search, optimise)
                    .and_then(|outcome| expected.compare(&outcome, search))
                    .err()
                    .map(|differences| format!("{name}, optimised {optimise}: {differences}")),
            );
        }
        seen += 1;
    }
    assert!(seen > 50, "only {seen} models found");
    assert!(breaches.is_empty(), "\n{}\n", breaches.join("\n"));
}

/// An Argos model that has been translated by hand to Promela has the states, transitions and kinds of error of its twin,
/// whose numbers are SPIN's.
#[test]
fn argos_models_are_like_their_twins() {
    let mut pairs = 0;
    for twin in shipped(&["", "spin_wrong", "argos_twins"])
        .iter()
        .filter(|path| path.parent().is_some_and(|p| p.ends_with("argos_twins")))
    {
        let name = twin.file_stem().expect("a name").to_string_lossy().into_owned();
        let argos = twin.with_file_name("..").join(format!("{name}.argos"));
        let counts = |path: &Path, search: Strategy| {
            let text = std::fs::read_to_string(path).expect("a model is text");
            let expected = Expected::of(&text).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            let outcome =
                run(path, &expected, search, false).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            let kinds = outcome.errors.iter().map(|error| match error.kind.name() {
                "unspecified-reception" => "deadlock",
                "argos-assertion" => "assertion",
                other => other,
            });
            let kinds: BTreeSet<&str> = kinds.collect();
            (outcome.complete, outcome.statistics.stored, outcome.statistics.transitions, kinds)
        };
        for search in [Strategy::DFS, Strategy::BFS] {
            assert_eq!(counts(&argos, search), counts(twin, search), "{name}, {search:?}");
        }
        pairs += 1;
    }
    assert!(pairs >= 6, "{pairs} pairs");
}

fn run(path: &Path, expected: &Expected, search: Strategy, optimise: bool) -> Result<Outcome, String> {
    let language = Language::of_path(path).expect("the name of a model tells its language");
    let text = TextOptions { meaning: expected.meaning, ..TextOptions::default() };
    let loaded = load_file(path, language, &text).map_err(|error| error.to_string())?;
    let loaded = loaded.map_err(|error| {
        let first = &error.diagnostics[0];
        format!("{}: {}", error.sources.user_position(first.span), first.message)
    })?;
    let options = CheckSettings {
        property: Property::Safety,
        strategy: search,
        all_errors: true,
        semantics: Semantics::new(optimise, optimise),
        ..CheckSettings::default()
    };
    Ok(run_search(&loaded, &options, &mut ()).outcome)
}

/// What the first comment of a model promises.
#[derive(Clone)]
struct Expected {
    violated: bool,
    errors: BTreeSet<String>,
    states: Option<u64>,
    transitions: Option<u64>,
    shortest: Option<usize>,
    /// How the text is to be read.
    meaning: Meaning,
}

impl Expected {
    fn of(text: &str) -> Result<Expected, String> {
        let comment = text.strip_prefix("/*").and_then(|rest| rest.split("*/").next());
        let comment = comment.ok_or("the file does not start with a comment")?;
        let value = |key: &str| {
            let lines = comment.lines().map(|line| line.trim_start_matches([' ', '\t', '*']));
            lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim).next()
        };
        let number = |key: &str| -> Result<Option<u64>, String> {
            let parse = |text: &str| text.replace(',', "").parse().map_err(|_| format!("`{key}: {text}`?"));
            value(key).map(parse).transpose()
        };
        let violated = match value("expect") {
            Some("verified") => false,
            Some("violated") => true,
            other => return Err(format!("`expect: {other:?}`?")),
        };
        let errors = value("errors").map_or_else(BTreeSet::new, |kinds| {
            kinds.split(',').map(|kind| kind.trim().to_string()).collect()
        });
        Ok(Expected {
            violated,
            errors,
            states: number("states")?,
            transitions: number("transitions")?,
            shortest: number("shortest")?.map(|steps| steps as usize),
            meaning: Meaning {
                timeouts: match value("timeouts") {
                    None => Timeouts::Free,
                    Some("lock-only") => Timeouts::LockOnly,
                    other => return Err(format!("`timeouts: {other:?}`?")),
                },
                end_states: match value("end-states") {
                    None => EndStates::Rest,
                    Some("strict") => EndStates::Strict,
                    other => return Err(format!("`end-states: {other:?}`?")),
                },
            },
        })
    }

    /// What an optimised model keeps of it.
    fn without_counts(self) -> Expected {
        Expected { states: None, transitions: None, shortest: None, ..self }
    }

    fn compare(&self, outcome: &Outcome, search: Strategy) -> Result<(), String> {
        let mut differences = Vec::new();
        let mut compare = |what: &str, expected: String, found: String| {
            if expected != found {
                differences.push(format!("{what}: expected {expected}, found {found}"));
            }
        };
        compare("complete", "true".into(), outcome.complete.to_string());
        compare("violated", self.violated.to_string(), (!outcome.errors.is_empty()).to_string());
        let kinds: BTreeSet<String> =
            outcome.errors.iter().map(|error| error.kind.name().to_string()).collect();
        compare("errors", format!("{:?}", self.errors), format!("{kinds:?}"));
        if let Some(states) = self.states {
            compare("states", states.to_string(), outcome.statistics.stored.to_string());
        }
        if let Some(transitions) = self.transitions {
            compare("transitions", transitions.to_string(), outcome.statistics.transitions.to_string());
        }
        if let Some(shortest) = self.shortest.filter(|_| search == Strategy::BFS) {
            let found = outcome.errors.iter().map(|error| error.path.len()).min();
            compare("shortest", shortest.to_string(), found.unwrap_or(0).to_string());
        }
        if differences.is_empty() { Ok(()) } else { Err(differences.join("; ")) }
    }
}
