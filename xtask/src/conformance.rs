//! `cargo xtask conformance`: does `panoptes check` say what SPIN said, model by model?
//!
//! Each row of `golden.tsv` becomes one or two runs of the program, and each run one comparison:
//!
//! - *exact*: a full search without reductions; states, transitions, kinds of error and exit status are equal;
//! - *reduced*, if asked for: a search with reductions; the kinds of error are those of the full search, and there are no
//!   more states; how many there are in SPIN's default search is compared, but is no difference;
//! - *shortest*: a breadth-first search; its first error is as short as can be;
//! - *temporal*: a formula, a claim or `progress` labels, with and without fairness; the verdict is the same;
//! - *accepted*: a model too large to count, or one that SPIN itself cannot verify; it only must be taken;
//! - *rejected*: a wrong model is refused with a message that says where;
//! - *either way*: a model that only SPIN refuses; it must not crash us.
//!
//! Models in Argos, which SPIN does not read, are compared with what the papers say of them (`conformance/argos.rs`):
//! *machines* are of the sizes they tell, *papers* are the verdicts.

mod argos;
pub mod golden;
mod judge;
mod known;
mod options;
mod panoptes;
mod tally;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

use golden::{Extent, Row, Spin};
use options::{Options, USAGE};
use panoptes::{Panoptes, Run};
use tally::{Check, Comparison, Outcome, Tally};

pub fn run(args: Vec<String>) -> ExitCode {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(args) {
        Ok(options) => options,
        Err(problem) => return crate::bad_usage(&problem, USAGE),
    };
    match compare_all(&options) {
        Ok(tally) => {
            println!("{tally}");
            if tally.all_agree() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn compare_all(options: &Options) -> Result<Tally, String> {
    let corpus = options
        .corpus
        .canonicalize()
        .map_err(|error| format!("no corpus in {}: {error}", options.corpus.display()))?;
    let rows = read_rows(&corpus, options)?;
    let binary = match &options.panoptes {
        Some(path) => path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?,
        None => build()?,
    };
    let panoptes = Panoptes::new(binary, options.memory.clone()).map_err(|error| error.to_string())?;
    let examiner = Examiner { options, panoptes, models: corpus.join("models") };

    let mut outcomes = examine_in_parallel(&examiner, &rows)?;
    outcomes.sort_by_key(|(index, _)| *index);
    let mut outcomes: Vec<Outcome> = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
    if options.only.as_ref().is_none_or(|part| part.starts_with("argos")) {
        let argos = argos::compare(&corpus, examiner.panoptes.binary()).map_err(|error| error.to_string())?;
        for outcome in argos.into_iter().flatten() {
            show(&outcome, 1, 1);
            outcomes.push(outcome);
        }
    }
    if let Some(path) = &options.tsv {
        fs::write(path, tally::to_tsv(&outcomes)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(Tally::of(&outcomes))
}

fn read_rows(corpus: &Path, options: &Options) -> Result<Vec<Row>, String> {
    let path = corpus.join("golden.tsv");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = golden::parse(&text)?;
    if let Some(part) = &options.only {
        rows.retain(|row| row.path.contains(part));
    }
    if options.smoke {
        rows.retain(|row| match &row.spin {
            Spin::Accepts { exact, .. } => {
                exact.extent == Extent::Complete && exact.states <= options.states_max
            }
            Spin::Rejects | Spin::MayReject => true,
        });
    }
    let is_argos = options.only.as_ref().is_some_and(|part| part.starts_with("argos"));
    if rows.is_empty() && !is_argos {
        return Err("no row of golden.tsv was chosen".to_string());
    }
    Ok(rows)
}

/// Builds the release binary and asks cargo where it put it.
pub fn build() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "build",
            "--release",
            "--package",
            "panoptes-cli",
            "--message-format",
            "json-render-diagnostics",
        ])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !output.status.success() {
        return Err("`cargo build --release --package panoptes-cli` failed".to_string());
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "panoptes")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| "cargo built no binary named `panoptes`".to_string())
}

/// Hands the rows to as many threads as asked for, and tells of each difference as soon as it is known.
fn examine_in_parallel(examiner: &Examiner, rows: &[Row]) -> Result<Vec<(usize, Outcome)>, String> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let failure = Mutex::new(None);
    let mut outcomes = Vec::new();
    thread::scope(|scope| {
        for _ in 0..examiner.options.jobs.min(rows.len()) {
            let (sender, next, failure) = (sender.clone(), &next, &failure);
            scope.spawn(move || {
                while let Some((index, row)) = take(next, rows) {
                    match examiner.examine(row) {
                        Ok(outcome) => {
                            sender.send((index, outcome)).expect("the receiver outlives the threads")
                        }
                        Err(error) => {
                            next.store(rows.len(), Ordering::Relaxed);
                            failure.lock().unwrap().replace(format!("{}: {error}", row.path));
                        }
                    }
                }
            });
        }
        drop(sender);
        for (index, outcome) in receiver {
            outcomes.push((index, outcome));
            show(&outcomes[outcomes.len() - 1].1, outcomes.len(), rows.len());
        }
    });
    match failure.into_inner().unwrap() {
        Some(problem) => Err(problem),
        None => Ok(outcomes),
    }
}

fn take<'a>(next: &AtomicUsize, rows: &'a [Row]) -> Option<(usize, &'a Row)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    rows.get(index).map(|row| (index, row))
}

/// One line for each difference; on a terminal also one line of progress that overwrites itself.
fn show(outcome: &Outcome, done: usize, total: usize) {
    let on_terminal = io::stderr().is_terminal();
    if on_terminal {
        eprint!("\r\x1b[K");
    }
    for comparison in &outcome.comparisons {
        for difference in &comparison.differences {
            println!("differs: {} [{}] {difference}", outcome.path, comparison.check.name());
        }
    }
    if on_terminal && done < total {
        eprint!("{done} of {total}: {}", outcome.path);
        let _ = io::stderr().flush();
    }
}

/// Runs what a row asks for and compares.
struct Examiner<'a> {
    options: &'a Options,
    panoptes: Panoptes,
    models: PathBuf,
}

impl Examiner<'_> {
    fn examine(&self, row: &Row) -> io::Result<Outcome> {
        let model = self.models.join(&row.path);
        if !model.is_file() {
            return Err(io::Error::other("the corpus has no such model"));
        }
        let mut outcome = Outcome { path: row.path.clone(), comparisons: Vec::new(), skipped: Vec::new() };
        match &row.spin {
            Spin::Accepts { exact, shortest, temporal } => {
                self.examine_temporal(&model, temporal, &mut outcome)?;
                let Some(shown_by) = known::fault_of_spin(&row.path) else {
                    self.examine_exact(&model, exact, &mut outcome)?;
                    if let Some(shortest) = shortest {
                        self.examine_shortest(&model, shortest, &mut outcome)?;
                    }
                    return Ok(outcome);
                };
                outcome.skipped.push(format!("counts wrong in SPIN, see {shown_by}"));
                self.examine_exact(&model, &known::without_counts(exact), &mut outcome)?;
                if let Some(shortest) = shortest {
                    self.examine_shortest(&model, &known::with_runtime(shortest), &mut outcome)?;
                }
            }
            Spin::Rejects => {
                let run = self.full_search(&model, false)?;
                outcome.add(Check::Rejected, judge::rejected(&run), &run);
            }
            Spin::MayReject => {
                let run = self.full_search(&model, false)?;
                outcome.add(Check::EitherWay, judge::either_way(&run), &run);
            }
        }
        Ok(outcome)
    }

    fn examine_temporal(
        &self,
        model: &Path,
        golden: &[golden::Temporal],
        outcome: &mut Outcome,
    ) -> io::Result<()> {
        for golden in golden {
            if golden.states > self.options.states_max {
                outcome.skipped.push(format!("temporal beyond {} states", self.options.states_max));
                continue;
            }
            let mut flags = vec!["--property", &golden.property];
            flags.extend(golden.fair.then_some("--fair"));
            let run = self.panoptes.check(model, &flags, &self.options.time)?;
            outcome.add(Check::Temporal, judge::temporal(golden, &run), &run);
        }
        Ok(())
    }

    fn examine_exact(&self, model: &Path, golden: &golden::Exact, outcome: &mut Outcome) -> io::Result<()> {
        let counts_known = golden.extent == Extent::Complete;
        if counts_known && golden.states <= self.options.states_max {
            let run = self.full_search(model, true)?;
            outcome.add(Check::Exact, judge::exact(golden, &run), &run);
            if self.options.reductions {
                let run =
                    self.panoptes.check(model, &["--all-errors", "--search", "dfs"], &self.options.time)?;
                outcome.add(Check::Reduced, judge::reduced(golden, &run), &run);
                if let Some(comparison) = outcome.comparisons.last_mut() {
                    comparison.spin_states = golden.reduced_states;
                }
            }
        } else {
            if counts_known {
                outcome.skipped.push(format!("exact beyond {} states", self.options.states_max));
            }
            let run = self.full_search(model, false)?;
            outcome.add(Check::Accepted, judge::accepted(golden, &run), &run);
        }
        Ok(())
    }

    fn examine_shortest(
        &self,
        model: &Path,
        golden: &golden::Shortest,
        outcome: &mut Outcome,
    ) -> io::Result<()> {
        if golden.states > self.options.states_max {
            outcome.skipped.push(format!("shortest beyond {} states", self.options.states_max));
            return Ok(());
        }
        let run = self.panoptes.check(model, &["--exact", "--search", "bfs"], &self.options.time)?;
        outcome.add(Check::Shortest, judge::shortest(golden, &run), &run);
        Ok(())
    }

    fn full_search(&self, model: &Path, to_the_end: bool) -> io::Result<Run> {
        let time = if to_the_end { &self.options.time } else { &self.options.accept_time };
        self.panoptes.check(model, &["--exact", "--all-errors"], time)
    }
}

impl Outcome {
    fn add(&mut self, check: Check, differences: Vec<String>, run: &Run) {
        self.comparisons.push(Comparison {
            check,
            differences,
            seconds: run.seconds,
            states: run.answer().ok().map(|answer| answer.stored),
            spin_states: None,
        });
    }
}
