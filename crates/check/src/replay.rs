//! A violation is believed only after the reference executor has walked its path again.

use crate::path::take;
use crate::{CheckSettings, Loaded};
use panoptes_exec::{Executor, Fault, FaultKind, Patience};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_search::Finding;
use panoptes_trace::{Expectation, Halt, Origin, ReplayError, Subject, TellError, Trace, TraceSink};
use std::time::Instant;

/// Walks the path of an error that a search found and tells it to `sink`, step by step. Fails if the path does not show the
/// error, which would be a mistake of the search or of its executor, never of the model. A step that would take longer than
/// `until` is given up.
pub(crate) fn tell_error(
    loaded: &Loaded,
    settings: &CheckSettings,
    number: Option<usize>,
    error: &Finding,
    until: Option<Instant>,
    sink: &mut dyn TraceSink,
) -> Result<(), TellError> {
    let mut executor =
        Interpreter::new(&loaded.model, InterpreterOptions { lossy: settings.semantics.lossy });
    executor.set_patience(&Patience { deadline: until, ..Patience::default() });
    let length = match &error.fault {
        Some(fault) if fault.kind == FaultKind::Invariant => {
            first_broken(&mut executor, error, fault, until)?
        }
        _ => error.length,
    };
    let mut subject = Subject { model: &loaded.model, sources: &loaded.sources, executor: &mut executor };
    let expectation = error.fault.as_ref().map_or(Expectation::Deadlock, Expectation::from);
    let shown = match &error.fault {
        Some(fault) => panoptes_trace::describe(&loaded.sources, fault),
        None => panoptes_trace::deadlock(),
    };
    let origin = Origin { lossy: settings.semantics.lossy, ..loaded.origin.clone() };
    let (initial, steps, end) = (None, Vec::new(), None);
    let head = Trace { origin, number, error: Some(shown), length, initial, steps, end };
    panoptes_trace::tell(&mut subject, &head, error.path.iter().take(length), &expectation, sink)
}

/// The same for a path that is known to be short: all in memory, and as long as it takes.
pub fn replay_error(
    loaded: &Loaded,
    settings: &CheckSettings,
    error: &Finding,
) -> Result<Trace, ReplayError> {
    let (length, steps) = (0, Vec::new());
    let mut trace = Trace {
        origin: Origin::default(),
        number: None,
        error: None,
        length,
        initial: None,
        steps,
        end: None,
    };
    match tell_error(loaded, settings, None, error, None, &mut trace) {
        Ok(()) => Ok(trace),
        Err(TellError::Replay(error)) => Err(error),
        Err(TellError::Halt(_)) => Err(ReplayError::Interrupted),
    }
}

/// Steps between two looks at the clock.
const LOOK_EVERY: usize = 256;

/// After how many steps of the path the invariant is broken. A search may see that later, where steps are merged.
fn first_broken(
    executor: &mut dyn Executor,
    error: &Finding,
    fault: &Fault,
    until: Option<Instant>,
) -> Result<usize, Halt> {
    let Ok(mut state) = executor.initial() else { return Ok(error.path.len()) };
    let (mut control, mut broken) = (None, Vec::new());
    for (length, step) in error.path.iter().enumerate() {
        if length.is_multiple_of(LOOK_EVERY) && until.is_some_and(|until| Instant::now() >= until) {
            return Err(Halt::Time);
        }
        if control.is_none() {
            executor.broken_invariants(&state, &mut broken);
            if broken.contains(fault) {
                return Ok(length);
            }
            broken.clear();
        }
        let Some(next) = take(executor, &state, control, step) else { return Ok(error.path.len()) };
        (state, control) = next;
    }
    Ok(error.path.len())
}
