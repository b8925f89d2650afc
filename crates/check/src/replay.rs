//! A violation is believed only after the reference executor has walked its path again.

use crate::path::take;
use crate::temporal::NotShown;
use crate::{CheckSettings, Loaded, Temporal, temporal};
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
    (error, property): (&Finding, Option<Temporal>),
    until: Option<Instant>,
    sink: &mut dyn TraceSink,
) -> Result<(), TellError> {
    if let Some(property) = property {
        confirm(loaded, settings, property, error, until)?;
    }
    let mut executor =
        Interpreter::new(&loaded.model, InterpreterOptions { lossy: settings.semantics.lossy });
    executor.set_patience(&Patience { deadline: until, ..Patience::default() });
    let length = match &error.fault {
        Some(fault) if fault.kind.is_of_invariant() => first_broken(&mut executor, error, fault, until)?,
        _ => error.length,
    };
    let mut subject = Subject { model: &loaded.model, sources: &loaded.sources, executor: &mut executor };
    let expectation = error.fault.as_ref().map_or(Expectation::Deadlock, Expectation::from);
    let mut shown = match &error.fault {
        Some(fault) => panoptes_trace::describe(&loaded.sources, fault),
        None => panoptes_trace::deadlock(),
    };
    let is_temporal = property.is_some() && !is_of_step(error);
    if is_temporal {
        shown.cycle_start = error.cycle_start;
        shown.property = property.map(|property| property.name(&loaded.model));
    }
    let expectation = if is_temporal { shown.expectation()? } else { expectation };
    let origin = Origin { lossy: settings.semantics.lossy, ..loaded.origin.clone() };
    let (initial, steps, end) = (None, Vec::new(), None);
    let head = Trace { origin, number, error: Some(shown), length, initial, steps, end };
    panoptes_trace::tell(&mut subject, &head, error.path.iter().take(length), &expectation, sink)
}

/// Is it a fault of a step on the way, which has nothing to do with the property?
fn is_of_step(error: &Finding) -> bool {
    error.fault.as_ref().is_some_and(|fault| {
        let kind = fault.kind;
        !kind.is_of_cycle() && kind != FaultKind::ClaimViolated && kind != FaultKind::Assertion
    })
}

/// Does the execution violate the property?
fn confirm(
    loaded: &Loaded,
    settings: &CheckSettings,
    property: Temporal,
    error: &Finding,
    until: Option<Instant>,
) -> Result<(), TellError> {
    if is_of_step(error) {
        return Ok(());
    }
    temporal::shows(loaded, settings, property, error, until).map_err(|why| match why {
        NotShown::Late => TellError::Halt(Halt::Time),
        NotShown::Because(found) => TellError::Replay(ReplayError::Unfulfilled {
            expected: Expectation::ClaimViolated,
            found: found.to_string(),
        }),
    })
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
    match tell_error(loaded, settings, None, (error, None), None, &mut trace) {
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
