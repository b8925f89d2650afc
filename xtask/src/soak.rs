//! Soak: random models under random combinations of options, for as long as one likes.
//!
//! A case is a model and a *reference*: the reference executor, breadth first, one thread, every state in memory. Every other way to
//! check the same model must come to the same answer, or say that it looked at a part only. Every run is a process of its own in a directory of its
//! own; a crash, a run that does not end, a file that is left behind and a process that is left behind are failures as well. Some runs are killed
//! and resumed.
//!
//! Every case follows from one number. A failure is saved as a model and a script that repeats it.

mod case;
mod judge;
mod options;
mod process;

use case::{Case, Way};
use judge::Answer;
use options::Options;
use process::{Ended, Place};
use std::process::ExitCode;
use std::time::Instant;

/// How the runs of a soak ended.
#[derive(Default)]
struct Tally {
    cases: u64,
    runs: u64,
    refused: u64,
    partial: u64,
    kills: u64,
    failures: u64,
}

/// Runs the command; `args` are the words after its name.
pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(Options::parse(&args), options::USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    match soak(&options) {
        Ok(tally) => {
            let Tally { cases, runs, refused, partial, kills, failures } = tally;
            println!("soak: {cases} models from seed {}, {runs} runs, {failures} failures", options.seed);
            println!(
                "  {refused} runs were refused, {partial} looked at a part, {kills} were killed and resumed"
            );
            // Then nothing was compared.
            if failures == 0 && (runs == 0 || refused + partial < runs) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

fn soak(options: &Options) -> Result<Tally, String> {
    let place = Place::new(options)?;
    let known = place.options_known()?;
    println!("soak: seed {}, {} s, {}", options.seed, options.time.as_secs(), options.panoptes.display());
    println!("soak: with {}", known.join(", "));
    let (start, mut tally) = (Instant::now(), Tally::default());
    for number in 0..options.count {
        if start.elapsed() >= options.time {
            break;
        }
        let case = Case::of(options.seed.wrapping_add(number), &known);
        tally.cases += 1;
        try_case(&case, &place, options, &mut tally)?;
    }
    Ok(tally)
}

fn try_case(case: &Case, place: &Place, options: &Options, tally: &mut Tally) -> Result<(), String> {
    let fail = |way: &Way, why: &str, tally: &mut Tally| {
        tally.failures += 1;
        let script = place.save(case, way);
        println!("soak: seed {} ({}): {why}\n  {}\n  {script}", case.seed, case.name, way.words.join(" "));
    };
    let reference = case.reference();
    let ended = place.run(case, &reference)?;
    tally.runs += 1;
    let expected = match judge::answer(&ended) {
        Ok(Some(answer)) => answer,
        // A model that is wrong: nothing else is to be learnt.
        Ok(None) => return Ok(()),
        Err(why) => {
            fail(&reference, &why, tally);
            return Ok(());
        }
    };
    for way in &case.ways {
        let ended: Ended = place.run(case, way)?;
        tally.runs += 1;
        tally.kills += ended.kills;
        match judge::answer(&ended) {
            Ok(None) => tally.refused += 1,
            Ok(Some(answer)) => {
                tally.partial += u64::from(answer.is_partial());
                if let Err(why) = Answer::compare(&answer, &expected, case, way) {
                    fail(way, &why, tally);
                }
            }
            Err(why) => fail(way, &why, tally),
        }
        if options.verbose {
            println!("seed {} {}: {:?}", case.seed, way.words.join(" "), ended.status);
        }
    }
    Ok(())
}
