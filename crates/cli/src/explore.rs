//! `panoptes explore`: a web page to walk through the states of a model.

use crate::args::{ExploreArgs, ModelArgs};
use crate::failure::{Failure, Status, usage};
use crate::input::{self, Given};
use crate::of_trace::model_args;
use crate::output;
use crate::saved::{Chosen, Saved};
use panoptes_check::Steps;
use panoptes_explore::{Explorer, Limits, Server};
use panoptes_report::StepSource;
use panoptes_trace::{Origin, Trace};
use std::io::Read;
use std::path::{Path, PathBuf};

pub fn run(args: &ExploreArgs) -> anyhow::Result<Status> {
    let explorer = match is_trace(&args.model.model) {
        true => of_trace(args)?,
        false if args.error.is_some() => {
            return Err(usage("`--error` says which trace of a file, and this is a model"));
        }
        false => explorer(args, &args.model, &Given::default(), args.lossy)?,
    };
    let server = Server::bind(args.port).map_err(|error| match args.port {
        0 => usage(format!("cannot listen on 127.0.0.1: {error}")),
        port => usage(format!("cannot listen on 127.0.0.1:{port}: {error}")),
    })?;
    output::to_stdout(&format!(
        "{}\nOpen this address in a browser; Ctrl-C stops the program.\n",
        server.address()
    ))?;
    server.serve(explorer).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(Status::Success)
}

/// Reads the model and tells its warnings.
fn explorer(
    args: &ExploreArgs,
    model: &ModelArgs,
    given: &Given<'_>,
    lossy: bool,
) -> anyhow::Result<Explorer> {
    let text = input::read_text(model, given)?;
    let limits = Limits { time: args.time, memory: args.memory };
    let explorer = Explorer::new(text.clone(), lossy, limits)
        .map_err(|error| input::broken(model, given, &text, &error))?;
    input::tell(explorer.sources(), explorer.warnings());
    Ok(explorer)
}

/// The page begins with a saved trace, and the model is the one that it is of.
fn of_trace(args: &ExploreArgs) -> anyhow::Result<Explorer> {
    let name = args.model.model.display().to_string();
    let mut chosen = Saved::open(&args.model.model)?.choose(args.error)?;
    let origin = chosen.head.origin.clone();
    let given = ModelArgs {
        model: PathBuf::from(&origin.model),
        language: Some(origin.language.clone()),
        ..args.model.clone()
    };
    let model = model_args(&origin, given);
    let Origin { along, invariants, reach, formulas, patterns, automata, is_merged, .. } = &origin;
    let (along, reach) = (along.as_deref(), reach.as_deref());
    let steps = if *is_merged { Steps::Merged } else { Steps::Statements };
    let given = Given { along, invariants, reach, formulas, patterns, automata, steps, ..Given::default() };
    let mut explorer = explorer(args, &model, &given, args.lossy || origin.lossy)?;
    let trace = whole(&mut chosen)?;
    explorer.open(name.clone(), &trace).map_err(|message| usage(format!("{name}: {message}")))?;
    Ok(explorer)
}

/// The trace with its steps, up to somewhat more than a page can follow.
fn whole(chosen: &mut Chosen) -> anyhow::Result<Trace> {
    let mut trace = chosen.head.clone();
    chosen.each(&mut |step| {
        if trace.steps.len() <= Explorer::STEPS_MAX {
            trace.steps.push(step.clone());
        }
        Ok(())
    })?;
    Ok(trace)
}

/// Does the file begin as a saved trace does?
fn is_trace(path: &Path) -> bool {
    let mut start = Vec::new();
    let is_read = path != Path::new("-")
        && std::fs::File::open(path).is_ok_and(|file| file.take(4096).read_to_end(&mut start).is_ok());
    let text = String::from_utf8_lossy(&start);
    is_read && text.trim_start().starts_with('{') && text.contains(panoptes_trace::FORMAT)
}
