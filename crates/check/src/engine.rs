//! Which executor computes the successors.

use crate::CheckOptions;
use panoptes_exec::Executor;
use panoptes_interp::{Interpreter, Options as InterpreterOptions};
use panoptes_jit::Jit;
use panoptes_model::Model;
use std::time::Duration;

/// Calls that the interpreter answers before it pays to compile the model.
const CALLS_BEFORE_COMPILING: u64 = 20_000;

/// A model with more control states is compiled piece by piece, as the search meets them: it may never meet most.
const STATES_AT_ONCE_MAX: usize = 100;

/// How successors are computed. All give the same, in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The interpreter at first, native code when the model turns out not to be small.
    #[default]
    Auto,
    /// The reference executor.
    Interp,
    /// Native code from the start, or for a large model as soon as the search comes to where it is needed.
    Jit,
}

/// The engine that was used in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineUse {
    /// Native code, or the interpreter alone.
    pub is_compiled: bool,
    pub compile_time: Duration,
    /// Control states that have native code.
    pub native_states: usize,
}

/// Runs `search` with the engine that is asked for.
pub(crate) fn with_engine<T>(
    model: &Model,
    options: &CheckOptions,
    search: impl FnOnce(&mut dyn Executor) -> T,
) -> (T, EngineUse) {
    let mut interpreter = Interpreter::new(model, InterpreterOptions { lossy: options.lossy });
    let interpreted = EngineUse { is_compiled: false, compile_time: Duration::ZERO, native_states: 0 };
    // Native code knows no channels that lose messages.
    if options.lossy || options.engine == Engine::Interp {
        return (search(&mut interpreter), interpreted);
    }
    let is_small =
        model.processes.iter().map(|process| process.states.len()).sum::<usize>() <= STATES_AT_ONCE_MAX;
    let mut jit = match options.engine {
        Engine::Jit if is_small => Jit::new(model, Box::new(interpreter)),
        Engine::Jit => Jit::after(model, Box::new(interpreter), 0),
        _ => Jit::after(model, Box::new(interpreter), CALLS_BEFORE_COMPILING),
    };
    let result = search(&mut jit);
    let statistics = jit.statistics();
    let used = EngineUse {
        is_compiled: statistics.native_states > 0,
        compile_time: statistics.compile_time,
        native_states: statistics.native_states,
    };
    (result, used)
}
