//! The compiled executor: native code for every control state of a model.
//!
//! It gives exactly what the reference executor gives, in the same order. Native code handles steps without faults;
//! whenever something else happens (a fault, or a rule that is not compiled), the whole call is handed to the reference
//! executor, so that faults and rare things have one meaning only.

mod action;
mod channel;
mod compile;
mod context;
mod emit;
mod expr;
mod helpers;
mod machine;
mod native;
mod shapes;
mod state;

use compile::{Compiled, compile};
use panoptes_exec::{Executor, Fault, Replay, Step, Successors};
use panoptes_model::Model;
use std::time::{Duration, Instant};

/// Runs a model's native code, with the reference executor for all that has none.
pub struct Jit<'m> {
    model: &'m Model,
    reference: Box<dyn Executor + 'm>,
    compiled: Option<Compiled>,
    /// Calls left to the reference executor before the model is compiled.
    calls_before: u64,
    statistics: Statistics,
}

/// How much native code did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    pub compile_time: Duration,
    /// Control states that have native code.
    pub native_states: usize,
    /// Calls that native code answered.
    pub native_calls: u64,
    /// Calls that the reference executor answered.
    pub reference_calls: u64,
}

impl<'m> Jit<'m> {
    /// Compiles the model at once. `reference` is asked for all that is not native.
    pub fn new(model: &'m Model, reference: Box<dyn Executor + 'm>) -> Jit<'m> {
        let mut jit = Jit::after(model, reference, 0);
        jit.compile();
        jit
    }

    /// Compiles the model when `reference` has answered that many calls: a small model is never compiled.
    pub fn after(model: &'m Model, reference: Box<dyn Executor + 'm>, calls: u64) -> Jit<'m> {
        Jit { model, reference, compiled: None, calls_before: calls, statistics: Statistics::default() }
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn compile(&mut self) {
        let start = Instant::now();
        self.compiled = compile(self.model);
        self.calls_before = u64::MAX;
        self.statistics.native_states = self.compiled.as_ref().map_or(0, |compiled| compiled.native_states);
        self.statistics.compile_time = start.elapsed();
    }
}

impl Executor for Jit<'_> {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.reference.initial()
    }

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        if self.statistics.reference_calls >= self.calls_before {
            self.compile();
        }
        if let Some(compiled) = &mut self.compiled {
            // SAFETY: the machine and its code live as long as `compiled`, and this is the only reference to it.
            if unsafe { machine::successors(&raw mut *compiled.machine, state, control, out) } {
                self.statistics.native_calls += 1;
                return;
            }
        }
        self.statistics.reference_calls += 1;
        self.reference.successors(state, control, out);
    }

    fn replay(&mut self, state: &[u8], control: Option<u8>, step: Step) -> Option<Replay> {
        self.reference.replay(state, control, step)
    }

    fn hidden_bytes(&self) -> usize {
        self.reference.hidden_bytes()
    }
}
