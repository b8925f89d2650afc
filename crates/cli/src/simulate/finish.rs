//! The end of a run: what it came to, and the trace if it is wanted.

use crate::args::SimulateArgs;
use crate::failure::usage;
use crate::output;
use panoptes_report::{Paint, failure_text, human, paint_of};
use panoptes_trace::Trace;
use std::path::Path;

/// Says how the run ended.
pub fn tell(args: &SimulateArgs, trace: &Trace) -> anyhow::Result<()> {
    if args.quiet && trace.error.is_none() {
        return Ok(());
    }
    let style = output::stdout_style();
    let after = format!("after {}", human::plural(trace.steps.len() as u64, "step"));
    let line = match &trace.error {
        Some(error) => {
            let place =
                error.location.as_ref().map_or_else(String::new, |location| format!(", at {location}"));
            style.paint(paint_of(error), &format!("{after}: {}{place}", failure_text(error)))
        }
        None => style.paint(Paint::Good, &format!("ended {after}")),
    };
    output::to_stdout(&format!("{line}\n"))
}

/// Saves a trace where the user said.
pub fn save(trace: &Trace, path: &Path) -> anyhow::Result<()> {
    std::fs::write(path, trace.to_json())
        .map_err(|error| usage(format!("cannot write the trace to {}: {error}", path.display())))
}
