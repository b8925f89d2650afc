//! `panoptes simulate`: run a model at random, by hand, or along a saved trace.

mod by_hand;
mod finish;
mod random_run;

use crate::args::{Format, SimulateArgs};
use crate::explain::read_trace;
use crate::failure::{Failure, Status, usage};
use crate::input::{self, Input};
use crate::output;
use panoptes_check::{EndStates, Timeouts};
use panoptes_exec::FaultKind;
use panoptes_interp::{Interpreter, Options as InterpreterOptions};
use panoptes_report::{snapshot_text, step_lines};
use panoptes_trace::{Origin, ReplayError, StepEvent, Subject, Trace, TraceStep, Walk};
use std::path::Path;

pub fn run(args: &SimulateArgs) -> anyhow::Result<Status> {
    match &args.trace {
        Some(path) => follow(args, read_trace(path)?),
        None => {
            if args.interactive && args.model.model == std::path::Path::new("-") {
                return Err(usage("standard input cannot be both the model and your choices"));
            }
            let mut input = input::load(&args.model, args.quiet)?;
            input.origin.lossy = args.lossy;
            let mut executor =
                Interpreter::new(&input.loaded.model, InterpreterOptions { lossy: args.lossy });
            let walk = match Walk::start(subject(&input, &mut executor)) {
                Ok(walk) => walk,
                Err(fault) => {
                    let place = input.loaded.sources.user_position(fault.span);
                    output::to_stdout(&format!(
                        "error in the initial state: {}, at {place}\n",
                        fault.message
                    ))?;
                    return Ok(Status::Violation);
                }
            };
            if args.interactive {
                by_hand::run(args, &input, walk)
            } else {
                random_run::run(args, &input, walk)
            }
        }
    }
}

fn subject<'a>(input: &'a Input, executor: &'a mut Interpreter<'_>) -> Subject<'a> {
    Subject { model: &input.loaded.model, sources: &input.loaded.sources, executor }
}

/// Walks a saved trace on the model and shows it step by step.
fn follow(args: &SimulateArgs, saved: Trace) -> anyhow::Result<Status> {
    let mut model = args.model.clone();
    if model.defines.is_empty() {
        // The trace knows how the model was read.
        let define = |text: &String| match text.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (text.clone(), None),
        };
        model.defines = saved.origin.defines.iter().map(define).collect();
    }
    if saved.origin.language == "argos" {
        let timeouts = if saved.origin.is_lock_only { Timeouts::LockOnly } else { Timeouts::Free };
        let end_states = if saved.origin.is_strict { EndStates::Strict } else { EndStates::Rest };
        model.timeouts = model.timeouts.or(Some(timeouts));
        model.end_states = model.end_states.or(Some(end_states));
    }
    let Origin { along, invariants, .. } = &saved.origin;
    let input = input::load_with(&model, along.as_deref(), invariants, args.quiet)?;
    let lossy = args.lossy || saved.origin.lossy;
    let mut executor = Interpreter::new(&input.loaded.model, InterpreterOptions { lossy });
    let trace = saved.replay(&mut subject(&input, &mut executor)).map_err(|error| match error {
        ReplayError::Stale { .. } if saved.origin.model != input.name => {
            let trace = args.trace.as_deref().unwrap_or(Path::new("-")).display();
            usage(format!(
                "the trace {trace} was made from {}, whose text is not that of {}",
                saved.origin.model, input.name
            ))
        }
        ReplayError::Stale { .. } => {
            usage(format!("{} is not the text that this trace was made from: {error}", input.name))
        }
        _ => usage(format!("the trace does not fit the model: {error}")),
    })?;
    if args.format == Format::Json {
        output::to_stdout(&trace.to_json())?;
    } else {
        for step in &trace.steps {
            show_step(args, &input.name, step)?;
        }
        if let Some(end) = trace.end.as_ref().filter(|_| !args.quiet) {
            let is_deadlock = trace
                .error
                .as_ref()
                .is_some_and(|error| matches!(error.kind.as_str(), "deadlock" | "unspecified-reception"));
            output::to_stdout(&snapshot_text(end, &input.name, is_deadlock, &output::stdout_style()))?;
        }
        finish::tell(args, &trace)?;
    }
    let is_error = trace.error.as_ref().is_some_and(|error| error.kind != FaultKind::Goal.name());
    Ok(if is_error { Status::Violation } else { Status::Success })
}

/// Shows one step; when quiet, only what it prints.
fn show_step(args: &SimulateArgs, model: &str, step: &TraceStep) -> anyhow::Result<()> {
    if !args.quiet {
        return output::to_stdout(&step_lines(step, model, &output::stdout_style()));
    }
    for event in &step.events {
        if let StepEvent::Print { text, .. } = event {
            output::to_stdout(text)?;
        }
    }
    Ok(())
}

/// A walk that contradicts itself is our mistake.
fn internal(error: ReplayError) -> anyhow::Error {
    Failure::Internal(error.to_string()).into()
}
