//! Two programs on the same models: are all verdicts, counts, errors and traces the same?
//!
//! For changes that are to change nothing: the program as it was before, and as it is now. Each model is checked by both in
//! many modes; answers and traces are compared as JSON, without times and sizes in memory.

mod answer;
mod options;

use crate::conformance::golden::{self, Spin};
use answer::{Answer, Differences};
use options::Options;
use panoptes_modelgen::{Profile, generate, generate_argos};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A corpus lists its models here; their names end in many ways.
const GOLDEN: &str = "golden.tsv";

/// The command lines that are tried.
const MODES: &[&str] = &[
    "",
    "--exact",
    "--search dfs",
    "--exact --search dfs",
    "--shortest",
    "--shortest --exact",
    "--all-errors",
    "--all-errors --exact --search dfs",
    "--all-errors --exact --search bfs",
    "--no-por --search dfs",
    "--profile --search dfs",
    "--depth 12",
    "--depth 12 --search dfs --all-errors",
    "--store compressed",
    "--store hash-compact --search bfs",
    "--store bitstate --bits 1M",
    "--store cache:100",
    "--loop-states",
    "--search scatter",
    "--search escalate",
];

/// Runs the command; `args` are the words after its name.
pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(Options::parse(&args), options::USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    let folder = std::env::temp_dir().join(format!("panoptes-compare-{}", std::process::id()));
    let done = std::fs::create_dir_all(&folder)
        .and_then(|()| models(&options, &folder))
        .map(|models| compare_all(&options, &models, &folder));
    drop(std::fs::remove_dir_all(&folder));
    match done {
        Ok(tally) => {
            let Tally { same, differ, skipped, classes } = tally;
            classes.iter().for_each(|(class, count)| println!("{count:>7} differ in: {class}"));
            println!(
                "compare: {same} the same, {differ} differ, {skipped} skipped (too long for the first program)"
            );
            if differ > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

#[derive(Default)]
struct Tally {
    same: usize,
    differ: usize,
    skipped: usize,
    /// How many differ in the same parts of the answer.
    classes: BTreeMap<String, usize>,
}

/// The models in the folders that were named, and as many random ones as were asked for.
fn models(options: &Options, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut models = Vec::new();
    let mut folders = options.folders.clone();
    while let Some(path) = folders.pop() {
        if path.join(GOLDEN).is_file() {
            models.extend(listed(&path)?);
        } else if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                folders.push(entry?.path());
            }
        } else if path
            .extension()
            .is_some_and(|ending| ["pml", "argos", "pr"].iter().any(|known| ending == *known))
        {
            models.push(path);
        }
    }
    models.sort();
    let (first, every) = options.slice;
    models = models.into_iter().skip(first).step_by(every).collect();
    for number in (first as u64..options.random).step_by(every) {
        let seed = options.seed.wrapping_add(number);
        // One in four is of Argos.
        let (name, text) = if seed.is_multiple_of(4) {
            (format!("{seed}.argos"), generate_argos(seed))
        } else {
            (format!("{seed}.pml"), generate(seed, &Profile::default()).to_promela())
        };
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        models.push(path);
    }
    Ok(models)
}

/// The models of a corpus that SPIN accepts.
fn listed(corpus: &Path) -> std::io::Result<Vec<PathBuf>> {
    let rows =
        golden::parse(&std::fs::read_to_string(corpus.join(GOLDEN))?).map_err(std::io::Error::other)?;
    let accepted = rows.into_iter().filter(|row| matches!(row.spin, Spin::Accepts { .. }));
    Ok(accepted.map(|row| corpus.join("models").join(row.path)).collect())
}

fn compare_all(options: &Options, models: &[PathBuf], folder: &Path) -> Tally {
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    let modes = match &options.modes {
        Some(modes) => modes.iter().map(String::as_str).collect(),
        None => MODES.to_vec(),
    };
    let modes: Vec<&str> = modes.into_iter().filter(|mode| mode.contains(&options.only)).collect();
    std::thread::scope(|scope| {
        for worker in 0..options.jobs {
            let (tally, next, modes) = (&tally, &next, &modes);
            scope.spawn(move || {
                let trace = folder.join(format!("trace-{worker}"));
                while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                    compare_modes(options, model, modes, &trace, tally);
                }
            });
        }
    });
    tally.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Until the model has been too long too often.
fn compare_modes(options: &Options, model: &Path, modes: &[&str], trace: &Path, tally: &Mutex<Tally>) {
    let mut skipped = 0;
    for (number, mode) in modes.iter().enumerate() {
        skipped += usize::from(!compare(options, model, mode, trace, tally));
        if skipped >= options.give_up {
            let mut tally = tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            tally.skipped += modes.len() - number - 1;
            break;
        }
    }
}

/// Was it compared, rather than skipped?
fn compare(options: &Options, model: &Path, mode: &str, trace: &Path, tally: &Mutex<Tally>) -> bool {
    let answer = |program, seconds, more: &str| Answer::of(program, model, seconds, &[mode, more], trace);
    let mut before = answer(&options.before, options.seconds, &options.before_options);
    let after = (!before.is_cut()).then(|| {
        // What ends a run just in time must not cut the other.
        let mut after = answer(&options.after, 3 * options.seconds, &options.after_options);
        if options.ignores_new {
            after.reduce_to(&before);
        }
        before.leave_out(&options.ignored);
        after.leave_out(&options.ignored);
        after
    });
    let mut tally = tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let is_compared = after.is_some();
    match after {
        None => tally.skipped += 1,
        Some(after) if after == before => tally.same += 1,
        Some(after) => {
            tally.differ += 1;
            let Differences { class, lines } = before.differences(&after);
            println!("{} {mode}", model.display());
            lines.iter().for_each(|line| println!("    {line}"));
            *tally.classes.entry(class).or_default() += 1;
        }
    }
    is_compared
}
