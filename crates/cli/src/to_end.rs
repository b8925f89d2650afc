//! `panoptes explain --to-end`: how an execution goes on after what its trace shows.
//!
//! The papers' tables do not stop at the event that breaks an assertion: they go on until nothing can move. Of the ways to
//! go on one is shown: the first step that leads to where the execution has not been, timeouts last.

use crate::args::ExplainArgs;
use crate::failure::usage;
use crate::of_trace;
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_trace::{Choice, Choices, ReplayError, Subject, Trace, TraceStep, Walk};
use std::collections::HashSet;

/// Steps after which an execution that does not end is left.
const STEPS_MAX: usize = 10_000;

/// The steps that follow those of the trace, and why there are no more, in words.
pub fn steps_to_end(args: &ExplainArgs, trace: &Trace) -> anyhow::Result<(Vec<TraceStep>, &'static str)> {
    let input = of_trace::load(trace, args.model.as_deref())?;
    let unfit = |error: ReplayError| {
        usage(format!("the trace does not fit {}: {error}; `--model` names another file", input.name))
    };
    let mut executor =
        Interpreter::new(&input.loaded.model, InterpreterOptions { lossy: trace.origin.lossy });
    let subject =
        Subject { model: &input.loaded.model, sources: &input.loaded.sources, executor: &mut executor };
    let mut walk = Walk::start(subject).map_err(|fault| unfit(ReplayError::NoInitialState(fault)))?;
    for step in &trace.steps {
        walk.take_saved(step).map_err(unfit)?;
    }
    go_on(&mut walk).map_err(unfit)
}

/// Goes on until nothing can move, or everything that can be done leads back.
fn go_on(walk: &mut Walk<'_>) -> Result<(Vec<TraceStep>, &'static str), ReplayError> {
    let mut been = HashSet::from([walk.place().configuration()]);
    let mut steps = Vec::new();
    while steps.len() < STEPS_MAX {
        let mut choices = match walk.choices()? {
            Choices::Steps(choices) => choices,
            Choices::End => return Ok((steps, "nothing more can be done: every process may end here")),
            Choices::Deadlock(_) => return Ok((steps, "nothing more can be done")),
            Choices::Fault => return Ok((steps, "the execution cannot go on after that error")),
        };
        choices.sort_by_key(is_timeout);
        let before = walk.place();
        let mut taken = None;
        for choice in choices {
            let step = walk.take(&choice)?;
            if been.insert(walk.place().configuration()) {
                taken = Some(step);
                break;
            }
            walk.return_to(before.clone());
        }
        match taken {
            Some(step) => steps.push(step),
            None => return Ok((steps, "from here on everything leads back to where it was before")),
        }
    }
    Ok((steps, "it goes on for long"))
}

fn is_timeout(choice: &Choice) -> bool {
    choice.text.contains("timeout")
}
