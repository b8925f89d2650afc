//! Every error is walked again on the reference executor before anybody is told of it.
//!
//! A path may be millions of steps long, so a report holds the ends of a trace ([`crate::Excerpt`]), and whoever wants all of
//! it, to save it in a file, is told each step while it is walked ([`TraceRecorder`]).

use crate::process::memory_bytes;
use crate::replay::tell_error;
use crate::report::{ErrorReport, Excerpt, Report};
use crate::{CheckError, CheckSettings, Limits, Loaded};
use panoptes_search::{Limit, Observer, grace};
use panoptes_trace::{Halt, Snapshot, TellError, Trace, TraceSink, TraceStep};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// More errors than this are listed, but not walked again.
const TRACES_MAX: usize = 1000;

/// Steps between two looks at the clock and the memory.
const LOOK_EVERY: u32 = 64;

/// So long traces may go on when somebody asks for the answer.
const AFTER_STOP: Duration = Duration::from_millis(300);

/// Is told the traces of a check while they are walked. What goes wrong with it is its own affair: it does not end the walk.
pub trait TraceRecorder {
    /// Of the first trace, the report holds all steps if they are no more than this.
    fn steps_held(&self) -> usize {
        0
    }

    /// So many traces follow.
    fn start(&mut self, count: usize) {
        let _ = count;
    }

    /// The trace of the error with that number begins.
    fn begin(&mut self, number: usize, head: &Trace) {
        let _ = (number, head);
    }

    fn step(&mut self, step: &TraceStep) {
        let _ = step;
    }

    fn end(&mut self, end: Option<&Snapshot>) {
        let _ = end;
    }

    /// The last trace is not whole, since a limit ended its walk: it is to be forgotten.
    fn drop_last(&mut self) {}

    /// The file of the last trace, if there is one.
    fn file(&self) -> Option<String> {
        None
    }

    /// Do all traces stand in one file, each with its number?
    fn is_list(&self) -> bool {
        false
    }
}

/// Nobody wants more than the report holds.
impl TraceRecorder for () {}

/// Adds to each error of a report the trace that shows it. Fails if one does not.
pub(crate) fn attach(
    report: &mut Report,
    loaded: &Loaded,
    settings: &CheckSettings,
    allowance: &Allowance,
    recorder: &mut dyn TraceRecorder,
) -> Result<(), CheckError> {
    // Paths are kept up to a total, so that thousands of long errors do not take longer than the search.
    let has_path = |error: &ErrorReport| error.found.path.len() == error.found.length;
    let count = report.findings_mut().take(TRACES_MAX).filter(|error| has_path(error)).count();
    recorder.start(count);
    let steps_held = recorder.steps_held();
    let mut limit = None;
    for (index, error) in report.findings_mut().enumerate().take(TRACES_MAX) {
        if !has_path(error) {
            continue;
        }
        if limit.is_some() {
            error.trace_limit = limit;
            continue;
        }
        let number = (count > 1).then_some(index + 1);
        let excerpt = Excerpt::new(if index == 0 { steps_held } else { 0 });
        let mut sink = RecordingSink { recorder, number: index + 1, excerpt, allowance, until_look: 1 };
        let told =
            tell_error(loaded, settings, number, (&error.found, error.property), allowance.until, &mut sink);
        let excerpt = sink.excerpt;
        match told {
            Ok(()) => {
                error.trace_file = recorder.file();
                error.trace_number = number.filter(|_| recorder.is_list());
                error.add_trace(excerpt);
            }
            Err(TellError::Halt(halt)) => {
                recorder.drop_last();
                limit = Some(match halt {
                    Halt::Memory => Limit::Memory,
                    Halt::Interrupted => Limit::Stopped,
                    Halt::Time | Halt::Output(_) => Limit::Time,
                });
                error.trace_limit = limit;
            }
            Err(TellError::Replay(why)) => {
                return Err(CheckError::NotShown { message: error.message.clone(), why });
            }
        }
    }
    Ok(())
}

/// When the traces of a check that began at `start` must be told.
pub(crate) fn until(start: Instant, limits: &Limits) -> Option<Instant> {
    limits.time.and_then(|time| start.checked_add(time)?.checked_add(2 * grace(time)))
}

/// What the traces may still take when the search has ended.
pub(crate) struct Allowance {
    until: Option<Instant>,
    process_memory: Option<u64>,
    stop: Option<Arc<AtomicBool>>,
    /// When it was first seen that somebody asks for the answer.
    asked_at: Cell<Option<Instant>>,
}

impl Allowance {
    /// For a check that began at `start`.
    pub fn new(start: Instant, limits: &Limits, observer: &dyn Observer) -> Allowance {
        let until = until(start, limits);
        // What the search leaves behind is not the fault of the traces.
        let now = memory_bytes().unwrap_or(0);
        let process_memory = limits.process_memory.map(|bytes| bytes.max(now + (1 << 20)));
        Allowance { until, process_memory, stop: observer.stop_flag(), asked_at: Cell::new(None) }
    }

    fn look(&self) -> Result<(), Halt> {
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(Halt::Time);
        }
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::SeqCst)) {
            let asked_at = self.asked_at.get().unwrap_or_else(Instant::now);
            self.asked_at.set(Some(asked_at));
            if asked_at.elapsed() > AFTER_STOP {
                return Err(Halt::Interrupted);
            }
        }
        match self.process_memory.zip(memory_bytes()) {
            Some((allowed, taken)) if taken > allowed => Err(Halt::Memory),
            _ => Ok(()),
        }
    }
}

/// Tells a trace to the recorder as it is walked, and keeps its ends.
struct RecordingSink<'a> {
    recorder: &'a mut dyn TraceRecorder,
    number: usize,
    excerpt: Excerpt,
    allowance: &'a Allowance,
    until_look: u32,
}

impl TraceSink for RecordingSink<'_> {
    fn begin(&mut self, head: &Trace) -> Result<(), Halt> {
        self.recorder.begin(self.number, head);
        self.excerpt.begin(head)
    }

    fn step(&mut self, step: TraceStep) -> Result<(), Halt> {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = LOOK_EVERY;
            self.allowance.look()?;
        }
        self.recorder.step(&step);
        self.excerpt.step(step)
    }

    fn end(&mut self, end: Option<Snapshot>) -> Result<(), Halt> {
        self.recorder.end(end.as_ref());
        self.excerpt.end(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Seconds;
    use crate::{Language, TextOptions, load_text, run_search};
    use std::path::Path;

    /// An error that its path does not show is never told as one.
    #[test]
    fn a_wrong_path_is_noticed() {
        let text = "byte x; active proctype P() { x = 1; assert(x == 2) }".to_string();
        let path = Path::new("m.pml");
        let loaded = load_text("m", text, path, Language::Promela, &TextOptions::default()).expect("a model");
        let settings = CheckSettings::default();
        let allowance = Allowance::new(Instant::now(), &settings.limits, &());
        for is_wrong in [false, true] {
            let mut verdict = run_search(&loaded, &settings, &mut ());
            if is_wrong {
                verdict.outcome.errors[0].fault = None;
            }
            let mut report = Report::new(&loaded, &settings, verdict, Seconds::default());
            let attached = attach(&mut report, &loaded, &settings, &allowance, &mut ());
            assert_eq!(attached.is_err(), is_wrong, "{attached:?}");
        }
    }
}
