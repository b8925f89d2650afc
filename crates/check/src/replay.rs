//! A violation is believed only after the reference executor has walked its path again.

use crate::{CheckOptions, Loaded};
use panoptes_exec::{Executor, Fault, FaultKind};
use panoptes_interp::{Interpreter, Options as InterpreterOptions};
use panoptes_search::FoundError;
use panoptes_trace::{Expectation, Origin, ReplayError, Subject, Trace};

/// Walks the path of an error that a search found and describes it. Fails if the path does not show the error, which
/// would be a mistake of the search or of its executor, never of the model.
pub fn replay_error(
    loaded: &Loaded,
    options: &CheckOptions,
    origin: Origin,
    error: &FoundError,
) -> Result<Trace, ReplayError> {
    let mut executor = Interpreter::new(&loaded.model, InterpreterOptions { lossy: options.lossy });
    let length = match &error.fault {
        Some(fault) if fault.kind == FaultKind::Invariant => first_broken(&mut executor, error, fault),
        _ => error.path.len(),
    };
    let mut subject = Subject { model: &loaded.model, sources: &loaded.sources, executor: &mut executor };
    let expectation = error.fault.as_ref().map_or(Expectation::Deadlock, Expectation::from);
    panoptes_trace::replay(&mut subject, origin, &error.path[..length], &expectation)
}

/// After how many steps of the path the invariant is broken. A search may see that later, where steps are merged.
fn first_broken(executor: &mut dyn Executor, error: &FoundError, fault: &Fault) -> usize {
    let Ok(mut state) = executor.initial() else { return error.path.len() };
    let (mut control, mut broken) = (None, Vec::new());
    for (length, step) in error.path.iter().enumerate() {
        if control.is_none() {
            executor.broken_invariants(&state, &mut broken);
            if broken.contains(fault) {
                return length;
            }
            broken.clear();
        }
        // A process that has control but cannot go on lets go.
        let taken = executor.replay(&state, control, *step).or_else(|| executor.replay(&state, None, *step));
        let Some(taken) = taken else { return error.path.len() };
        (state, control) = (taken.state, taken.control);
    }
    error.path.len()
}
