//! Which executor computes the successors.

use crate::CheckSettings;
use crate::names::{Named, read_by_name};
use crate::symmetry::Exchange;
use panoptes_exec::Executor;
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_jit::Jit;
use panoptes_model::Model;
use panoptes_symmetry::Representing;
use std::time::Duration;

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

impl Named for Engine {
    const WHAT: &'static str = "engine";
    const ALL: &'static [Engine] = &[Engine::Auto, Engine::Interp, Engine::Jit];

    fn name(&self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Interp => "interp",
            Engine::Jit => "jit",
        }
    }
}

read_by_name!(Engine);

impl Engine {
    /// What it does, for a list in which it follows the name.
    pub fn help(self) -> &'static str {
        match self {
            Engine::Auto => "compile the model unless it is small",
            Engine::Interp => "interpret it",
            Engine::Jit => "compile it",
        }
    }
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

impl EngineUse {
    /// The interpreter, or nothing at all.
    pub const IDLE: EngineUse =
        EngineUse { is_compiled: false, compile_time: Duration::ZERO, native_states: 0 };

    /// What two searches used, one after the other.
    pub(crate) fn and(&self, other: &EngineUse) -> EngineUse {
        EngineUse {
            is_compiled: self.is_compiled || other.is_compiled,
            compile_time: self.compile_time + other.compile_time,
            native_states: self.native_states.max(other.native_states),
        }
    }

    /// Which one it was.
    pub fn engine(&self) -> Engine {
        if self.is_compiled { Engine::Jit } else { Engine::Interp }
    }
}

/// Runs `search` with the engine that is asked for. If processes change places, it sees the states that stand for others.
pub(crate) fn with_engine<T>(
    model: &Model,
    settings: &CheckSettings,
    exchange: Option<&Exchange>,
    search: impl FnOnce(&mut dyn Executor) -> T,
) -> (T, EngineUse) {
    let search = |executor: &mut dyn Executor| match exchange {
        Some(Exchange { symmetry, switch }) => search(&mut Representing::new(executor, symmetry, switch)),
        None => search(executor),
    };
    let mut interpreter = Interpreter::new(model, InterpreterOptions { lossy: settings.semantics.lossy });
    if settings.engine == Engine::Interp {
        return (search(&mut interpreter), EngineUse::IDLE);
    }
    let is_small =
        model.processes.iter().map(|process| process.states.len()).sum::<usize>() <= STATES_AT_ONCE_MAX;
    let mut jit = match settings.engine {
        Engine::Jit if is_small => Jit::soon(model, Box::new(interpreter)),
        Engine::Jit => Jit::at_once(model, Box::new(interpreter)),
        _ => Jit::when_worth_it(model, Box::new(interpreter)),
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
