//! A violation is believed only after the reference executor has walked its path again.

use crate::{CheckOptions, Loaded};
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
    let mut subject = Subject { model: &loaded.model, sources: &loaded.sources, executor: &mut executor };
    let expectation = error.fault.as_ref().map_or(Expectation::Deadlock, Expectation::from);
    panoptes_trace::replay(&mut subject, origin, &error.path, &expectation)
}
