//! The end of a run: what it came to, and the trace if it is wanted.

use crate::args::SimulateArgs;
use crate::failure::usage;
use crate::output;
use panoptes_report::{Paint, failure_text, human, paint_of};
use panoptes_trace::{Halt, Origin, Snapshot, TellError, Trace, TraceSink, TraceStep, TraceWriter, Walk};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Says how the run ended.
pub fn tell(args: &SimulateArgs, trace: &Trace) -> anyhow::Result<()> {
    if args.quiet && trace.error.is_none() {
        return Ok(());
    }
    let style = output::stdout_style();
    let after = format!("after {}", human::plural(trace.length as u64, "step"));
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

/// Saves a walk where the user said.
pub fn save(walk: &mut Walk<'_>, origin: Origin, path: &Path) -> anyhow::Result<()> {
    let failed = |error: io::Error| usage(format!("cannot write the trace to {}: {error}", path.display()));
    let file = File::create(path).map_err(failed)?;
    write(walk, origin, BufWriter::new(file)).map_err(|error| match error {
        TellError::Halt(Halt::Output(error)) => failed(error),
        TellError::Replay(error) => super::internal(error),
        TellError::Halt(_) => usage("the trace was not written"),
    })
}

/// Prints a walk as a trace.
pub fn print(walk: &mut Walk<'_>, origin: Origin) -> anyhow::Result<()> {
    match write(walk, origin, BufWriter::new(io::stdout())) {
        Err(TellError::Halt(Halt::Output(error))) => output::closed(Err(error)),
        Err(TellError::Replay(error)) => Err(super::internal(error)),
        _ => Ok(()),
    }
}

fn write(walk: &mut Walk<'_>, origin: Origin, out: impl Write) -> Result<(), TellError> {
    let mut sink = Sink(TraceWriter::new(out));
    walk.tell(origin, &mut sink)?;
    sink.0.finish().map(|_| ()).map_err(|error| Halt::Output(error).into())
}

struct Sink<W: Write>(TraceWriter<W>);

impl<W: Write> TraceSink for Sink<W> {
    fn begin(&mut self, head: &Trace) -> Result<(), Halt> {
        Ok(self.0.begin(head)?)
    }

    fn step(&mut self, step: TraceStep) -> Result<(), Halt> {
        Ok(self.0.step(&step)?)
    }

    fn end(&mut self, end: Option<Snapshot>) -> Result<(), Halt> {
        Ok(self.0.end(end.as_ref())?)
    }
}
