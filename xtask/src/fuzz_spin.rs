//! Random differential testing: the same generated model to SPIN and to Panoptes, and their answers compared.

mod compare;
mod json;
mod options;
mod oracle;
mod process;
mod report;
mod subject;

use compare::{Difference, compare};
use options::{Mode, Options};
use oracle::{Oracle, Spin};
use panoptes_modelgen::{Model, generate};
use report::Tally;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use subject::{Panoptes, Subject};

/// What became of one model.
pub(crate) enum Outcome {
    Agree(String),
    Skipped(&'static str),
    /// What differed, the shrunk model and what differs there.
    Disagree(Difference, Box<Model>, Difference),
}

/// Runs the command; `args` are the words after its name.
pub fn run(args: Vec<String>) -> ExitCode {
    let options = match Options::parse(&args) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("fuzz-spin: {message}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    if let Mode::Emit(seed) = options.mode {
        print!("{}", generate(seed, &options.profile).to_promela());
        return ExitCode::SUCCESS;
    }
    if let Err(message) = Spin::find(options.cc.as_deref()) {
        eprintln!("fuzz-spin: {message}");
        return ExitCode::from(2);
    }
    if options.mode == Mode::Compare && !options.panoptes.exists() {
        eprintln!(
            "fuzz-spin: no panoptes at {}; build it, name it with --panoptes, or use --oracle-only",
            options.panoptes.display()
        );
        return ExitCode::from(2);
    }
    let tally = Mutex::new(Tally::default());
    let next = AtomicU64::new(0);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for job in 0..options.jobs {
            let (options, tally, next) = (&options, &tally, &next);
            scope.spawn(move || work(job, options, tally, next));
        }
    });
    let tally = tally.into_inner().unwrap_or_else(|e| e.into_inner());
    tally.print(&options, started.elapsed());
    if tally.disagree > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// One worker: takes seeds until none is left.
fn work(job: usize, options: &Options, tally: &Mutex<Tally>, next: &AtomicU64) {
    let spin = match Spin::new(options.cc.as_deref(), job) {
        Ok(spin) => spin,
        Err(message) => return eprintln!("fuzz-spin: {message}"),
    };
    let panoptes = Panoptes::new(&options.panoptes, spin.dir());
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= options.count {
            return;
        }
        let seed = options.seed.wrapping_add(number);
        let model = generate(seed, &options.profile);
        let oracle = spin.check(&model.to_promela());
        let lock = || tally.lock().unwrap_or_else(|e| e.into_inner());
        lock().see(&model, &oracle);
        if options.mode != Mode::Compare {
            if options.mode == Mode::OracleOnly {
                println!("seed {seed}: {}", oracle.summary());
            }
            continue;
        }
        let outcome = outcome(&spin, &panoptes, &model, &oracle, options.shrink);
        let mut tally = lock();
        tally.count(&outcome);
        report::print(seed, &outcome);
        if let Outcome::Disagree(difference, small, small_difference) = &outcome
            && let Err(e) = report::save(&options.keep, seed, &model, difference, small, small_difference)
        {
            eprintln!("fuzz-spin: cannot save to {}: {e}", options.keep.display());
        }
    }
}

fn outcome(spin: &Spin, panoptes: &Panoptes, model: &Model, oracle: &Oracle, limit: Duration) -> Outcome {
    if let Oracle::None(reason, _) = oracle {
        return Outcome::Skipped(reason);
    }
    let subject = panoptes.check(&model.to_promela());
    if let Subject::Partial = subject {
        return Outcome::Skipped("panoptes gave only a part");
    }
    match compare(oracle, &subject) {
        None => Outcome::Agree(oracle.summary()),
        Some(difference) => {
            let (small, small_difference) = shrink(spin, panoptes, model, &difference, limit);
            Outcome::Disagree(difference, Box::new(small), small_difference)
        }
    }
}

/// Cuts the model as long as the same kind of difference remains and the time allows.
fn shrink(
    spin: &Spin,
    panoptes: &Panoptes,
    model: &Model,
    difference: &Difference,
    limit: Duration,
) -> (Model, Difference) {
    let deadline = Instant::now() + limit;
    let mut best = (model.clone(), difference.clone());
    'smaller: loop {
        for candidate in best.0.shrink_candidates().into_iter().filter(|model| !model.is_pitfall()) {
            if Instant::now() > deadline {
                return best;
            }
            let text = candidate.to_promela();
            // What Panoptes says is cheaper to find out, so it is asked first where that decides.
            let subject = panoptes.check(&text);
            if !difference.possible(&subject) {
                continue;
            }
            match compare(&spin.check(&text), &subject) {
                Some(found) if found.same_kind(difference) => {
                    best = (candidate, found);
                    continue 'smaller;
                }
                _ => {}
            }
        }
        return best;
    }
}
