//! Mutation testing: does any test notice when an operator, a condition or a whole function is changed?
//!
//! [cargo-mutants](https://mutants.rs) lists all such changes and tries them. There are thousands, so a sample is tried,
//! chosen by a seed. Each mutant meets the tests that are nearest to it first; only those that survive meet the others.
//! Mutants that change nothing that a test could see are in `xtask/mutants-equivalent.txt`, each with its reason.

mod equivalent;
mod options;
mod results;
mod sample;
mod stages;
mod tool;

use equivalent::Equivalents;
use options::Options;
use results::{Outcome, Results};
use sample::Mutant;
use stages::Stage;
use std::process::ExitCode;
use tool::Tool;

/// So many are tried through all stages before the next ones: what an interrupted run has seen is then a sample too.
const WINDOW: usize = 20;

/// Runs the command; `args` are the words after its name.
pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(Options::parse(&args), options::USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    match try_sample(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

/// True if enough of the sample is caught.
fn try_sample(options: &Options) -> Result<bool, String> {
    let equivalents = Equivalents::read()?;
    let tool = Tool::new(options)?;
    let mut mutants = tool.list()?;
    for key in equivalents.keys().filter(|key| !mutants.iter().any(|mutant| mutant.key == **key)) {
        println!("warning: mutants-equivalent.txt names a mutant that there is not: {key}");
    }
    sample::shuffle(&mut mutants, options.seed);
    mutants.retain(|mutant| mutant.key.contains(&options.only));
    println!("mutants: {} in all, seed {}, {}", mutants.len(), options.seed, tool.commit());
    let mut results = Results::open(&options.directory, options.resume)?;
    let mut passed = Vec::new();
    loop {
        let sample = sample(&mutants, options.count, &results);
        if options.list {
            sample.iter().for_each(|mutant| println!("{}", mutant.key));
            return Ok(true);
        }
        let judged = sample.iter().filter(|mutant| !equivalents.has(&mutant.key));
        let todo: Vec<&Mutant> = judged.copied().filter(|mutant| !results.is_settled(&mutant.key)).collect();
        if todo.is_empty() {
            return Ok(report(&sample, &equivalents, &results, options));
        }
        let mut try_window =
            |window: &[&Mutant]| try_all(&tool, window, options.quick, &mut passed, &mut results);
        todo.chunks(WINDOW).try_for_each(&mut try_window)?;
    }
}

/// The first mutants of the shuffled list, and as many more as turned out not to compile.
fn sample<'m>(mutants: &'m [Mutant], count: usize, results: &Results) -> Vec<&'m Mutant> {
    let viable = mutants.iter().filter(|mutant| results.outcome(&mutant.key) != Some(Outcome::Unviable));
    viable.take(count).collect()
}

/// Stage by stage, area by area, so that little has to be built again between two mutants. `passed` are the stages whose
/// tests are known to pass without a mutant.
fn try_all(
    tool: &Tool,
    mutants: &[&Mutant],
    is_quick: bool,
    passed: &mut Vec<&'static Stage>,
    results: &mut Results,
) -> Result<(), String> {
    for area in stages::AREAS {
        let own: Vec<&Mutant> = mutants.iter().copied().filter(|mutant| area.has(mutant)).collect();
        let stages = &area.stages[..area.stages.len() - usize::from(is_quick)];
        for (number, stage) in stages.iter().enumerate() {
            let alive = own
                .iter()
                .copied()
                .filter(|mutant| number == 0 || results.outcome(&mutant.key) == Some(Outcome::Missed));
            let alive: Vec<&Mutant> = alive.collect();
            if !alive.is_empty() && !passed.iter().any(|known| std::ptr::eq(*known, stage)) {
                tool.baseline(stage)?;
                passed.push(stage);
            }
            for mutant in alive {
                try_one(tool, mutant, stage, number + 1 == stages.len(), results)?;
            }
        }
    }
    Ok(())
}

fn try_one(
    tool: &Tool,
    mutant: &Mutant,
    stage: &Stage,
    is_last: bool,
    results: &mut Results,
) -> Result<(), String> {
    let (outcome, seconds) = tool.run(mutant, stage)?;
    results.note(&mutant.key, outcome, is_last)?;
    let word = if outcome == Outcome::Missed && !is_last { "not yet caught" } else { outcome.word() };
    println!("{word:<14} {seconds:>5.1} s  {}", mutant.name);
    Ok(())
}

/// Says what came out, the survivors last.
fn report(sample: &[&Mutant], equivalents: &Equivalents, results: &Results, options: &Options) -> bool {
    let (mut caught, mut by_time, mut equivalent, mut missed) = (0, 0, 0, Vec::new());
    for mutant in sample {
        match results.outcome(&mutant.key) {
            _ if equivalents.has(&mutant.key) => equivalent += 1,
            Some(Outcome::Caught) => caught += 1,
            Some(Outcome::Timeout) => (caught, by_time) = (caught + 1, by_time + 1),
            _ => missed.push(mutant),
        }
    }
    let judged = sample.len() - equivalent;
    let score = if judged == 0 { 100.0 } else { f64::from(caught) * 100.0 / judged as f64 };
    for mutant in &missed {
        println!("missed: {}\n        {}", mutant.name, mutant.key);
    }
    println!(
        "mutants: {caught} of {judged} caught ({by_time} by time), {score:.1}%; {} in the sample, {equivalent} equivalent, {} not compiled and left out",
        sample.len(),
        results.unviable(),
    );
    score >= options.least
}
