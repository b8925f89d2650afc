//! `panoptes simulate`: run a model at random, by hand, or along a saved trace.

mod by_hand;
mod finish;
mod random_run;

use crate::args::{Format, SimulateArgs};
use crate::failure::{Failure, Status, usage};
use crate::input::{self, Given, Input};
use crate::of_trace::model_args;
use crate::output;
use crate::saved::{Chosen, Saved};
use panoptes_check::Steps;
use panoptes_exec::FaultKind;
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_report::{StepSource, snapshot_text, step_lines};
use panoptes_trace::{
    Expectation, Origin, ReplayError, Replayer, Snapshot, StepEvent, Subject, Trace, TraceStep, TraceWriter,
    Walk,
};
use std::path::Path;

pub fn run(args: &SimulateArgs) -> anyhow::Result<Status> {
    match &args.trace {
        Some(path) => follow(args, Saved::open(path)?.choose(args.error)?),
        None => {
            if args.interactive && args.model.model == std::path::Path::new("-") {
                return Err(usage("standard input cannot be both the model and your choices"));
            }
            let mut input = input::load(&args.model, args.quiet)?;
            input.loaded.origin.lossy = args.lossy;
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
fn follow(args: &SimulateArgs, mut chosen: Chosen) -> anyhow::Result<Status> {
    let saved = &chosen.head;
    let model = model_args(&saved.origin, args.model.clone());
    let Origin { along, invariants, reach, formulas, patterns, automata, is_merged, .. } = &saved.origin;
    let (along, reach) = (along.as_deref(), reach.as_deref());
    let steps = if *is_merged { Steps::Merged } else { Steps::Statements };
    let given = Given { along, invariants, reach, formulas, patterns, automata, steps, ..Given::default() };
    let input = input::load_with(&model, &given, args.quiet)?;
    let lossy = args.lossy || saved.origin.lossy;
    let mut executor = Interpreter::new(&input.loaded.model, InterpreterOptions { lossy });
    let mut teller = Teller { args, input: &input, writer: None, end: None };
    let told = retell(&mut subject(&input, &mut executor), &mut chosen, &mut teller);
    told.map_err(|error| match error {
        Retold::Shown(error) => error,
        Retold::Replay(error @ ReplayError::Stale { .. }) => {
            let saved = &chosen.head;
            let trace = args.trace.as_deref().unwrap_or(Path::new("-")).display();
            match saved.origin.model == input.name {
                true => {
                    usage(format!("{} is not the text that this trace was made from: {error}", input.name))
                }
                false => usage(format!(
                    "the trace {trace} was made from {}, whose text is not that of {}",
                    saved.origin.model, input.name
                )),
            }
        }
        Retold::Replay(error) => usage(format!("the trace does not fit the model: {error}")),
    })?;
    if args.format == Format::Text {
        let error = chosen.head.error.as_ref();
        if let Some(end) = teller.end.as_ref().filter(|_| !args.quiet) {
            let is_deadlock = error
                .is_some_and(|error| matches!(error.kind.as_str(), "deadlock" | "unspecified-reception"));
            output::to_stdout(&snapshot_text(end, &input.name, is_deadlock, &output::stdout_style()))?;
        }
        finish::tell(args, &chosen.head)?;
    }
    let goals = [FaultKind::Goal.name(), FaultKind::Reached.name()];
    let is_error = chosen.head.error.as_ref().is_some_and(|error| !goals.contains(&error.kind.as_str()));
    Ok(if is_error { Status::Violation } else { Status::Success })
}

enum Retold {
    Replay(ReplayError),
    /// What is shown could not be.
    Shown(anyhow::Error),
}

impl From<ReplayError> for Retold {
    fn from(error: ReplayError) -> Retold {
        Retold::Replay(error)
    }
}

/// Walks a saved trace on the model, a step at a time.
fn retell(subject: &mut Subject<'_>, chosen: &mut Chosen, teller: &mut Teller<'_>) -> Result<(), Retold> {
    let head = chosen.head.clone();
    head.fits(subject.sources)?;
    let expectation = head.expectation()?;
    let mut replayer = match Replayer::start(subject) {
        Ok(replayer) => replayer,
        Err(fault) if head.length == 0 && expectation == Expectation::from(&fault) => {
            teller.begin(&head).map_err(Retold::Shown)?;
            return teller.finish(None).map_err(Retold::Shown);
        }
        Err(fault) => return Err(ReplayError::NoInitialState(fault).into()),
    };
    replayer.expect(&expectation);
    let initial = Some(replayer.snapshot()?);
    teller.begin(&Trace { initial, ..head }).map_err(Retold::Shown)?;
    let mut failed = None;
    let read = chosen.each(&mut |step| {
        let told = match replayer.take_saved(step) {
            Ok(step) => teller.step(&step).map_err(Retold::Shown),
            Err(error) => Err(error.into()),
        };
        told.map_err(|error| {
            failed = Some(error);
            std::io::Error::other("stopped")
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    read.map_err(|error| Retold::Shown(error.into()))?;
    let (_, end) = replayer.finish(&expectation, &chosen.head.origin)?;
    teller.finish(Some(end)).map_err(Retold::Shown)
}

/// Shows a trace as it is walked.
struct Teller<'a> {
    args: &'a SimulateArgs,
    input: &'a Input,
    /// For JSON.
    writer: Option<TraceWriter<std::io::BufWriter<std::io::Stdout>>>,
    end: Option<Snapshot>,
}

impl Teller<'_> {
    fn begin(&mut self, head: &Trace) -> anyhow::Result<()> {
        if self.args.format == Format::Json {
            let mut writer = TraceWriter::new(std::io::BufWriter::new(std::io::stdout()));
            output::closed(writer.begin(head))?;
            self.writer = Some(writer);
        }
        Ok(())
    }

    fn step(&mut self, step: &TraceStep) -> anyhow::Result<()> {
        match &mut self.writer {
            Some(writer) => output::closed(writer.step(step)),
            None => show_step(self.args, &self.input.name, step),
        }
    }

    fn finish(&mut self, end: Option<Snapshot>) -> anyhow::Result<()> {
        if let Some(mut writer) = self.writer.take() {
            output::closed(writer.end(end.as_ref()).and_then(|()| writer.finish().map(|_| ())))?;
        }
        self.end = end;
        Ok(())
    }
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
