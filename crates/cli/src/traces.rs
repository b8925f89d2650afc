//! The traces of a check: every error is walked again on the reference executor, and the walk is saved as it goes on.

use crate::failure::{Failure, usage};
use crate::input::Input;
use crate::process::memory_bytes;
use crate::trace_file::{Destination, TraceFile};
use crate::{interrupt, output};
use panoptes_check::{CheckSettings, Verdict, grace, tell_error};
use panoptes_report::{Excerpt, Report};
use panoptes_search::{FoundError, Limit};
use panoptes_trace::{Halt, Snapshot, TellError, Trace, TraceSink, TraceStep, scan};
use std::cell::Cell;
use std::fs::File;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// More errors than this are listed, but not walked again.
const TRACES_MAX: usize = 1000;

/// Of a trace that is to be shown in full, so many steps are held; a longer one is read from its file.
pub const FULL_HELD: usize = 5_000;

/// Steps between two looks at the clock and the memory.
const LOOK_EVERY: u32 = 64;

/// So long traces may go on when a signal asks for the answer.
const AFTER_SIGNAL: Duration = Duration::from_millis(300);

/// What the traces may still take.
pub struct Allowance {
    until: Option<Instant>,
    resident_max: Option<u64>,
    /// When a signal was first seen.
    asked_at: Cell<Option<Instant>>,
}

impl Allowance {
    /// For a check that began at `start` and may take so long, and so much memory.
    pub fn new(start: Instant, time: Option<Duration>, resident_max: Option<u64>) -> Allowance {
        let until = time.and_then(|time| start.checked_add(time)?.checked_add(2 * grace(time)));
        // What the search leaves behind is not the fault of the traces.
        let now = memory_bytes().unwrap_or(0);
        let resident_max = resident_max.map(|bytes| bytes.max(now + (1 << 20)));
        Allowance { until, resident_max, asked_at: Cell::new(None) }
    }

    fn look(&self) -> Result<(), Halt> {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(Halt::Time);
        }
        if interrupt::is_asked() {
            let asked_at = self.asked_at.get().unwrap_or_else(Instant::now);
            self.asked_at.set(Some(asked_at));
            if asked_at.elapsed() > AFTER_SIGNAL {
                return Err(Halt::Interrupted);
            }
        }
        match self.resident_max.zip(memory_bytes()) {
            Some((allowed, taken)) if taken > allowed => Err(Halt::Memory),
            _ => Ok(()),
        }
    }
}

/// Where a check puts its traces, and how much of them is to be shown.
pub struct Wanted<'a> {
    pub destination: Option<Destination>,
    pub steps_shown: usize,
    pub allowance: &'a Allowance,
}

/// Adds to each error of the report the trace that shows it, and saves it.
pub fn attach(
    report: &mut Report,
    input: &Input,
    settings: &CheckSettings,
    verdict: &Verdict,
    wanted: Wanted<'_>,
) -> anyhow::Result<()> {
    let found = &verdict.outcome.errors;
    let has_path = |error: &&FoundError| error.path.len() == error.length;
    let is_several = found.iter().take(TRACES_MAX).filter(has_path).count() > 1;
    let mut file = wanted.destination.map(|destination| TraceFile::new(destination, is_several));
    let mut witness = report.along.as_mut().and_then(|along| along.witness.as_mut());
    let mut errors = report.errors.iter_mut();
    let mut limit = None;
    for (index, error) in found.iter().enumerate().take(TRACES_MAX) {
        let shown = if error.kind.is_goal() { witness.take() } else { errors.next() };
        let Some(shown) = shown else { break };
        // Paths are kept up to a total, so that thousands of long errors do not take longer than the search.
        if !has_path(&error) {
            continue;
        }
        if limit.is_some() {
            shown.trace_limit = limit;
            continue;
        }
        let number = is_several.then_some(index + 1);
        let excerpt = Excerpt::new(if index == 0 { wanted.steps_shown } else { 0 });
        let mut teller = Teller {
            file: file.as_mut(),
            number: index + 1,
            excerpt,
            allowance: wanted.allowance,
            until_look: 1,
        };
        let told = tell_error(
            &input.loaded,
            settings,
            (input.origin.clone(), number),
            error,
            wanted.allowance.until,
            &mut teller,
        );
        let excerpt = teller.excerpt;
        match told {
            Ok(()) => {
                shown.trace_file = file.as_ref().and_then(TraceFile::name);
                shown.trace_number = number.filter(|_| file.as_ref().is_some_and(TraceFile::is_list));
                shown.add_trace(excerpt);
            }
            Err(TellError::Halt(halt)) => {
                file.iter_mut().for_each(TraceFile::drop_last);
                limit = Some(match halt {
                    Halt::Memory => Limit::Memory,
                    Halt::Interrupted => Limit::Stopped,
                    Halt::Time | Halt::Output(_) => Limit::Time,
                });
                shown.trace_limit = limit;
            }
            Err(TellError::Replay(failed)) => {
                let what =
                    format!("the search found “{}”, but its path does not show it: {failed}", shown.message);
                return Err(Failure::Internal(what).into());
            }
        }
    }
    if let Some((path, error)) = file.and_then(TraceFile::finish) {
        output::error(&format!("cannot write the trace to {path}: {error}"));
        report
            .along
            .iter_mut()
            .filter_map(|along| along.witness.as_mut())
            .chain(&mut report.errors)
            .for_each(|shown| {
                if shown.trace_file.as_ref() == Some(&path) {
                    (shown.trace_file, shown.trace_number) = (None, None);
                }
            });
    }
    Ok(())
}

/// Saves a trace as it is walked, and keeps what is shown of it.
struct Teller<'a> {
    file: Option<&'a mut TraceFile>,
    number: usize,
    excerpt: Excerpt,
    allowance: &'a Allowance,
    until_look: u32,
}

impl TraceSink for Teller<'_> {
    fn begin(&mut self, head: &Trace) -> Result<(), Halt> {
        if let Some(file) = &mut self.file {
            file.begin(self.number, head);
        }
        self.excerpt.begin(head)
    }

    fn step(&mut self, step: TraceStep) -> Result<(), Halt> {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = LOOK_EVERY;
            self.allowance.look()?;
        }
        if let Some(file) = &mut self.file {
            file.step(&step);
        }
        self.excerpt.step(step)
    }

    fn end(&mut self, end: Option<Snapshot>) -> Result<(), Halt> {
        if let Some(file) = &mut self.file {
            file.end(end.as_ref());
        }
        self.excerpt.end(end)
    }
}

/// Where the command line wants the traces; none if it does not.
pub fn destination(
    input: &Input,
    trace_out: Option<&Path>,
    no_trace: bool,
) -> anyhow::Result<Option<Destination>> {
    if no_trace {
        return Ok(None);
    }
    let default = default_path(&input.name);
    let Some(asked) = trace_out else { return Ok(Some(Destination::One(default))) };
    if asked == Path::new("-") {
        return Ok(Some(Destination::Stdout));
    }
    if asked.is_dir() {
        let stem = default.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(Some(Destination::Each(asked.join(format!("{stem}.%n.json")).display().to_string())));
    }
    match asked.to_str() {
        Some("") => Err(usage("`--trace-out` needs the name of a file")),
        Some(text) if text.contains("%n") => Ok(Some(Destination::Each(text.to_string()))),
        _ => Ok(Some(Destination::One(asked.to_path_buf()))),
    }
}

/// The trace file of an earlier violation of this model, if one lies where a check without `--trace-out` saves it.
pub fn left_over(input: &Input) -> Option<PathBuf> {
    let path = default_path(&input.name);
    let reader = BufReader::new(File::open(&path).ok()?);
    // Its beginning tells.
    let traces = scan(reader, &mut |_, _| ControlFlow::Break(())).ok()?;
    traces.first().filter(|trace| trace.origin.model == input.name).map(|_| path)
}

/// `abp.trace.json` in the current directory for `models/abp.pml`.
pub fn default_path(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.filter(|_| model != "<stdin>").unwrap_or_else(|| "stdin".to_string());
    PathBuf::from(format!("{stem}.trace.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_named_after_the_model() {
        assert_eq!(default_path("models/abp.pml"), Path::new("abp.trace.json"));
        assert_eq!(default_path("<stdin>"), Path::new("stdin.trace.json"));
    }
}
