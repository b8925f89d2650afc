//! A run in which a seed makes the choices.

use super::{finish, internal, show_step};
use crate::args::{Format, SimulateArgs};
use crate::failure::Status;
use crate::input::Input;
use crate::output;
use crate::random::Random;
use panoptes_report::{Paint, failure_text, human, snapshot_text};
use panoptes_trace::{Choices, TraceError, TraceStep, Walk};

/// Takes random steps until nothing can move, a step goes wrong, or there were enough.
pub fn run(args: &SimulateArgs, input: &Input, mut walk: Walk<'_>) -> anyhow::Result<Status> {
    let seed = args.seed.unwrap_or_else(Random::fresh_seed);
    let mut random = Random::new(seed);
    let is_text = args.format == Format::Text;
    let style = output::stdout_style();
    if is_text && !args.quiet {
        output::to_stdout(&format!("{}, random choices with --seed {seed}\n", input.name))?;
    }
    let mut fault = None;
    let end = loop {
        let choices = match walk.choices().map_err(internal)? {
            Choices::Steps(choices) => choices,
            end => break Some(end),
        };
        if walk.length() as u64 >= args.steps || fault.is_some() {
            break None;
        }
        let step: TraceStep = walk.take(&choices[random.below(choices.len())]).map_err(internal)?;
        if is_text {
            show_step(args, &input.name, &step)?;
        }
        fault = step.fault;
    };
    if let Some(path) = &args.trace_out {
        finish::save(&mut walk, input.loaded.origin.clone(), path)?;
    }
    let is_deadlock = matches!(end, Some(Choices::Deadlock(_)));
    if is_text {
        if !args.quiet {
            let snapshot = walk.snapshot().map_err(internal)?;
            output::to_stdout(&snapshot_text(&snapshot, &input.name, is_deadlock, &style))?;
        }
        if !args.quiet || fault.is_some() || is_deadlock {
            let (paint, text) = ending(end, fault.as_ref());
            let after = human::plural(walk.length() as u64, "step");
            output::to_stdout(&format!(
                "{}\n",
                style.paint(paint, &format!("{text} (after {after}, --seed {seed})"))
            ))?;
        }
    } else {
        finish::print(&mut walk, input.loaded.origin.clone())?;
    }
    Ok(if fault.is_some() || is_deadlock { Status::Violation } else { Status::Success })
}

fn ending(end: Option<Choices>, fault: Option<&TraceError>) -> (Paint, String) {
    match (fault, end) {
        (Some(fault), _) => {
            let place =
                fault.location.as_ref().map_or_else(String::new, |location| format!(", at {location}"));
            (Paint::Bad, format!("error: {}{place}", fault.message))
        }
        (None, Some(Choices::Deadlock(error))) => (Paint::Bad, failure_text(&error)),
        (None, None) => (Paint::Unsure, "stopped: --steps allows no more".to_string()),
        (None, _) => (Paint::Good, "ended: every process is where it may end".to_string()),
    }
}
