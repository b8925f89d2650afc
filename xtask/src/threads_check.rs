//! `cargo xtask threads-check`: is the answer the same for any number of threads?
//!
//! Others join from the first state on, so small models are shared out too. Of models of a collection, `--exact` counts are compared for
//! 1, 2, 3 and 8 threads and with SPIN's. With default options verdicts and kinds of errors are compared for 1, 2 and 5 threads on these models and
//! on random ones, temporal properties included. Then two small models, in which threads meet all the time, are searched again and again.

use crate::conformance::golden::{self, Extent, Spin};
use panoptes_check::{
    CheckSettings, Language, Limits, Loaded, Property, Semantics, StoreSpec, Strategy, TextOptions, Threads,
    Verdict, load_text, run_search,
};
use panoptes_modelgen::{Profile, Rng, generate};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
Compares searches by several threads with those by one.

Usage: cargo xtask threads-check DIR [--models N] [--random N] [--runs N] [--seed N]

  DIR              a folder with golden.tsv and models/
  --models N       how many models of it are compared [default: 60]
  --random N       how many random models are compared [default: 1000]
  --runs N         how often each racy model is searched [default: 1000]
  --seed N         chooses models [default: 1]

Exit status 1 if an answer differs.
";

/// Models have so many states.
const STATES: std::ops::Range<u64> = 1_000..300_000;
/// No search takes longer, and none that does is compared.
const TIME: Duration = Duration::from_secs(60);

/// Two processes that change the same variables: every state is reached in many ways.
const RACY: &str = "\
byte x, y;
active [2] proctype P() { do :: x < 6 -> x++ :: x > 0 -> x--; y = (y + x) % 5 od }
active proctype Q() { do :: y > 0 -> y-- :: y == 4 -> x = 0 od }
";
/// The first is violated, the second holds.
const FORMULAS: &str = "\
ltl often { [] <> (y == 4) }
ltl small { [] (<> (y == 4) -> x <= 6) }
";

struct Options {
    corpus: PathBuf,
    models: usize,
    random: u64,
    runs: usize,
    seed: u64,
}

pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(parse_options(args), USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    crate::concluded(check(&options))
}

fn parse_options(args: Vec<String>) -> Result<Option<Options>, String> {
    let mut options = Options { corpus: PathBuf::new(), models: 60, random: 1000, runs: 1000, seed: 1 };
    let mut corpus = None;
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let mut number = |name: &str| -> Result<u64, String> {
            let value = args.next().and_then(|value| value.parse().ok());
            value.ok_or_else(|| format!("`{name}` takes a number"))
        };
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--models" => options.models = number("--models")? as usize,
            "--random" => options.random = number("--random")?,
            "--runs" => options.runs = number("--runs")? as usize,
            "--seed" => options.seed = number("--seed")?,
            unknown if unknown.starts_with('-') => return Err(format!("unexpected argument `{unknown}`")),
            _ if corpus.is_none() => corpus = Some(PathBuf::from(arg)),
            _ => return Err("one folder is enough".to_string()),
        }
    }
    options.corpus = corpus.ok_or("no folder given")?;
    Ok(Some(options))
}

/// What was compared, and what differs.
#[derive(Default)]
struct Tally {
    searches: usize,
    /// In how many of them several threads took part.
    shared: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn line(&self, what: &str) -> String {
        let Tally { searches, shared, wrong } = self;
        let first =
            format!("{what}: {searches} searches, {shared} by several threads, {} differ\n", wrong.len());
        wrong.iter().fold(first, |text, line| text + "  " + line + "\n")
    }

    /// Searches, and compares with one thread what is to be the same.
    fn compare<T: PartialEq + std::fmt::Debug>(
        &mut self,
        (name, loaded): (&str, &Loaded),
        base: &CheckSettings,
        counts: &[u32],
        same: impl Fn(&Verdict) -> T,
    ) -> Option<Verdict> {
        let one = run_search(loaded, base, &mut ());
        if !one.limits.is_empty() {
            return None;
        }
        for count in counts {
            let settings = CheckSettings { threads: Threads::at_once(*count), ..base.clone() };
            let several = run_search(loaded, &settings, &mut ());
            self.searches += 1;
            self.shared += usize::from(several.outcome.threads > 1);
            let (expected, found) = (same(&one), same(&several));
            if several.limits.is_empty() && found != expected {
                self.wrong.push(format!("{name}, {count} threads: {expected:?} alone, {found:?} together"));
            }
        }
        Some(one)
    }
}

fn check(options: &Options) -> Result<(String, bool), String> {
    let models = chosen(options)?;
    let tallies = [
        ("counts with --exact", exact_counts(&models)),
        ("default options", default_answers(models.iter().map(|(name, loaded, _)| (name.clone(), loaded)))),
        ("default options, random models", random_answers(options)),
        ("racy models", racy(options.runs)?),
    ];
    let report = tallies.iter().map(|(what, tally)| tally.line(what)).collect();
    Ok((report, tallies.iter().all(|(_, tally)| tally.wrong.is_empty())))
}

/// A model, and SPIN's counts.
type Chosen = (String, Loaded, (u64, u64));

fn chosen(options: &Options) -> Result<Vec<Chosen>, String> {
    let path = options.corpus.join("golden.tsv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut fitting = Vec::new();
    for row in golden::parse(&text)? {
        if let Spin::Accepts { exact, .. } = &row.spin
            && exact.extent == Extent::Complete
            && STATES.contains(&exact.states)
        {
            fitting.push((row.path, (exact.states, exact.transitions)));
        }
    }
    let mut random = Rng::new(options.seed);
    let mut models = Vec::new();
    while models.len() < options.models && !fitting.is_empty() {
        let (name, counts) = fitting.swap_remove(random.below(fitting.len()));
        let path = options.corpus.join("models").join(&name);
        let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let loaded = load_text(&name, text, &path, Language::Promela, &TextOptions::default());
        models.push((name.clone(), loaded.map_err(|_| format!("{name} cannot be loaded"))?, counts));
    }
    Ok(models)
}

fn base() -> CheckSettings {
    let limits = Limits { time: Some(TIME), ..Limits::default() };
    CheckSettings { limits, threads: Threads::at_once(1), ..CheckSettings::default() }
}

fn exact_counts(models: &[Chosen]) -> Tally {
    let mut tally = Tally::default();
    for (name, loaded, (states, transitions)) in models {
        let base = CheckSettings {
            property: Property::Safety,
            strategy: Strategy::BFS,
            store: StoreSpec::Exact,
            semantics: Semantics::EXACT,
            all_errors: true,
            ..base()
        };
        let counts = |verdict: &Verdict| {
            let found = &verdict.outcome.statistics;
            (found.stored, found.transitions, found.expanded, verdict.outcome.error_counts.clone())
        };
        let Some(one) = tally.compare((name, loaded), &base, &[2, 3, 8], counts) else { continue };
        let found = &one.outcome.statistics;
        if (found.stored, found.transitions) != (*states, *transitions) {
            tally.wrong.push(format!("{name}: {} states in place of {states}", found.stored));
        }
    }
    tally
}

/// Verdicts and kinds of errors, of states and of temporal properties.
fn answers(verdict: &Verdict) -> impl PartialEq + std::fmt::Debug + use<> {
    let kinds: Vec<_> = verdict.outcome.errors.iter().map(|error| error.kind).collect();
    let temporal = |pass: &panoptes_check::TemporalPass| {
        let kinds: Vec<_> = pass.outcome.errors.iter().map(|error| error.kind).collect();
        (pass.name.clone(), pass.verdict(), kinds)
    };
    (verdict.kind, kinds, verdict.temporal.iter().map(temporal).collect::<Vec<_>>())
}

fn default_answers<'l>(models: impl Iterator<Item = (String, &'l Loaded)>) -> Tally {
    let mut tally = Tally::default();
    for (name, loaded) in models {
        tally.compare((&name, loaded), &base(), &[2, 5], answers);
    }
    tally
}

fn random_answers(options: &Options) -> Tally {
    let mut tally = Tally::default();
    for seed in options.seed..options.seed + options.random {
        let text = generate(seed, &Profile::default()).to_promela();
        let Ok(loaded) = load(text) else { continue };
        let base = CheckSettings { limits: Limits::of_states(20_000), ..base() };
        tally.compare((&format!("seed {seed}"), &loaded), &base, &[2, 5], answers);
    }
    tally
}

fn load(text: String) -> Result<Loaded, String> {
    let loaded = load_text("m.pml", text, Path::new("m.pml"), Language::Promela, &TextOptions::default());
    loaded.map_err(|_| "a model cannot be loaded".to_string())
}

fn racy(runs: usize) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for text in [RACY.to_string(), format!("{RACY}{FORMULAS}")] {
        let loaded = load(text)?;
        let base = CheckSettings { semantics: Semantics::EXACT, ..base() };
        let threads: Vec<u32> = (0..runs).map(|run| 2 + run as u32 % 4).collect();
        tally.compare(("the racy model", &loaded), &base, &threads, answers);
    }
    Ok(tally)
}
