//! Fuzzing of limits: whatever the text, the options and the signals, `panoptes check` ends with an answer, in the time and
//! the memory that it was given.
//!
//! Every run is a process of its own with `--time` and `--memory`. Every case follows from one number, and a failure is told
//! with the command line that repeats it.

mod bombs;
mod case;
mod judge;
mod options;
mod run;

use crate::fuzz_front::Corpora;
use case::Case;
use options::Options;
use std::process::ExitCode;
use std::time::Instant;

/// Runs the command; `args` are the words after its name.
pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(Options::parse(&args), options::USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    if let Err(error) = std::fs::create_dir_all(&options.keep) {
        return crate::bad_usage(&format!("cannot make {}: {error}", options.keep.display()), "");
    }
    // A copy of this process, before it becomes the program, could not be told from it.
    let is_ours = |ours: &std::path::PathBuf| run::process_name(ours) == run::process_name(&options.panoptes);
    if std::env::current_exe().is_ok_and(|ours| is_ours(&ours)) {
        return crate::bad_usage("the program must not have the name of this one", "");
    }
    let corpora = Corpora::of_repository();
    if let Some(seed) = options.emit {
        print!("{}", String::from_utf8_lossy(&Case::of(seed, &corpora).text));
        return ExitCode::SUCCESS;
    }
    fuzz(&options, &corpora)
}

fn fuzz(options: &Options, corpora: &Corpora) -> ExitCode {
    println!(
        "fuzz-limits: seed {}, {} s, {}",
        options.seed,
        options.time.as_secs(),
        options.panoptes.display()
    );
    let start = Instant::now();
    let (mut by_status, mut failures, mut number, mut weighed) = ([0u64; 4], 0u64, 0, 0u64);
    while start.elapsed() < options.time && number < options.count {
        let seed = options.seed.wrapping_add(number);
        number += 1;
        let case = Case::of(seed, corpora);
        let outcome = match run::run(&case, seed, options) {
            Ok(outcome) => outcome,
            Err(error) => return crate::bad_usage(&format!("cannot run the program: {error}"), ""),
        };
        weighed += u64::from(outcome.peak_bytes.is_some());
        match judge::judge(&case, &outcome) {
            Ok(status) => by_status[status] += 1,
            Err(why) => {
                failures += 1;
                let path = options.keep.join(format!("seed-{seed}.{}", case.language.file_ending()));
                let saved = std::fs::write(&path, &case.text).is_ok();
                let model = if saved { path.display().to_string() } else { "MODEL".to_string() };
                println!("fuzz-limits: seed {seed} ({}): {why}", case.name);
                println!("  {} {}", options.panoptes.display(), case.command_line(&model));
            }
        }
    }
    println!("fuzz-limits: {number} runs from seed {}, {failures} failures", options.seed);
    for (status, count) in by_status.iter().enumerate() {
        println!("  {count:>7} with status {status}");
    }
    println!("  {weighed:>7} whose memory was seen (the others were over before)");
    // Then nothing is known about memory.
    if weighed == 0 && number > 0 {
        println!("fuzz-limits: the memory of no run was seen");
        return ExitCode::FAILURE;
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
