//! `--print-jobs`: the searches of a swarm as commands that can be run anywhere.

use crate::args::CheckArgs;
use crate::failure::{Status, usage};
use crate::input::{Input, define_text};
use crate::output;
use panoptes_check::{CheckSettings, Engine, Job, Named, Steps, Strategy, SymmetryChoice};
use panoptes_report::human;
use std::path::Path;

/// Commands are written when there is so much text.
const BLOCK_BYTES: usize = 1 << 16;

/// Prints one command a line.
pub fn print(args: &CheckArgs, input: &Input, settings: &CheckSettings) -> anyhow::Result<Status> {
    if args.model.model == Path::new("-") {
        return Err(usage(
            "`--print-jobs` needs a model in a file: other machines cannot read this standard input",
        ));
    }
    let Strategy::Swarm(swarm) = settings.strategy else { return Ok(Status::Success) };
    let time = swarm.time_of_job(&settings.limits);
    let mut text = String::new();
    for number in 0..swarm.job_count() {
        let job = Job::new(&input.loaded.model, swarm, settings, number);
        let mut words = vec!["panoptes".to_string(), "check".to_string(), input.name.clone()];
        words.extend(shared(args, settings));
        words.extend(job.arguments());
        words.extend(["--time".to_string(), format!("{}ms", time.as_millis().max(1))]);
        words.extend(
            job.settings
                .limits
                .memory
                .into_iter()
                .flat_map(|bytes| ["--memory".to_string(), bytes.to_string()]),
        );
        words.extend(["--trace-out".to_string(), trace_name(args, number)]);
        let words: Vec<String> = words.iter().map(|word| human::shell_word(word)).collect();
        text += &words.join(" ");
        text.push('\n');
        // Of many jobs the reader may want the first only (`| head`).
        if text.len() >= BLOCK_BYTES {
            output::to_stdout(&std::mem::take(&mut text))?;
        }
    }
    output::to_stdout(&text)?;
    Ok(Status::Success)
}

/// What all jobs have in common.
fn shared(args: &CheckArgs, settings: &CheckSettings) -> Vec<String> {
    let mut words = Vec::new();
    for (name, value) in &args.model.defines {
        words.push(format!("-D{}", define_text(name, value.as_deref())));
    }
    for folder in &args.model.include_dirs {
        words.push(format!("-I{}", folder.display()));
    }
    if let Some(language) = &args.model.language {
        words.extend(["--language".to_string(), language.clone()]);
    }
    for invariant in &args.invariant {
        words.extend(["--invariant".to_string(), invariant.clone()]);
    }
    if let Some(reach) = &args.reach {
        words.extend(["--reach".to_string(), reach.clone()]);
    }
    if let Some(property) = &args.property {
        words.extend(["--property".to_string(), property.clone()]);
    }
    if args.steps != Steps::default() {
        words.extend(["--steps".to_string(), args.steps.to_string()]);
    }
    if args.symmetry != SymmetryChoice::default() {
        words.extend(["--symmetry".to_string(), args.symmetry.to_string()]);
    }
    if settings.engine != Engine::Auto {
        words.extend(["--engine".to_string(), settings.engine.to_string()]);
    }
    if let Some(timeouts) = args.model.timeouts {
        words.extend(["--timeouts".to_string(), timeouts.name().to_string()]);
    }
    if let Some(end_states) = args.model.end_states {
        words.extend(["--end-states".to_string(), end_states.name().to_string()]);
    }
    for part in &settings.foldings {
        words.extend(["--fold".to_string(), format!("{}={}", part.what(), part.name())]);
    }
    let flags = [
        ("--lossy", args.lossy),
        ("--all-errors", args.all_errors),
        ("--exact", args.exact),
        ("--improve", args.improve),
        ("--no-por", args.no_por),
        ("--no-optimise", args.no_optimise),
        ("--loop-states", args.store.loop_states),
    ];
    words.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag.to_string()));
    words
}

/// Every job saves its traces under a name of its own.
fn trace_name(args: &CheckArgs, number: u32) -> String {
    let base = args.trace_out.clone().unwrap_or_else(|| args.model.model.with_extension("trace.json"));
    let stem = base.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let stem = stem.strip_suffix(".trace").unwrap_or(&stem).to_string();
    match &args.trace_out {
        Some(path) => path.with_file_name(format!("{stem}.job{number}.trace.json")).display().to_string(),
        None => format!("{stem}.job{number}.trace.json"),
    }
}
