//! The compiled executor: native code for the control states of a model, compiled when a search meets them.
//!
//! It gives exactly what the reference executor gives, in the same order. Native code handles steps without faults;
//! whenever something else happens (a fault, or a rule that is not compiled), the whole call is handed to the reference
//! executor, so that faults and rare things have one meaning only.

mod action;
mod alone;
mod chains;
mod channel;
mod compile;
mod condition;
mod context;
mod cost;
mod emit;
mod exclusive;
mod expr;
mod helpers;
mod links;
mod monitor;
mod native;
mod pass;
mod population;
mod questions;
mod runtime;
mod shapes;
mod spawn;
mod state;
mod tables;
mod walk;

use compile::Native;
use condition::{Answer, Conditions};
use panoptes_exec::{Chains, Condition, Executor, Fault, Patience, Replay, Successors, Waiting};
use panoptes_model::Model;
use std::time::{Duration, Instant};

/// Missed calls from one look at what is due to the next: a batch of states costs less than each alone.
const ROUND: u64 = 64;

/// Runs a model's native code, with the reference executor for all that has none.
pub struct Jit<'m> {
    reference: Box<dyn Executor + 'm>,
    native: Option<Native<'m>>,
    walk: walk::Walk,
    /// What a claim asks about states.
    conditions: Conditions,
    /// When the reference executor has answered so many calls, the states that are due are compiled.
    next_round: u64,
    /// Nothing is compiled before it is worth it.
    is_patient: bool,
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
    /// Calls in which native code followed chains to their ends, and those in which the runtime went from configuration to
    /// configuration, or gave up.
    pub native_chains: u64,
    pub other_chains: u64,
    /// Questions for conditions that native code answered.
    pub native_conditions: u64,
}

impl<'m> Jit<'m> {
    /// Compiles all of the model at once. `reference` is asked for all that is not native.
    pub fn new(model: &'m Model, reference: Box<dyn Executor + 'm>) -> Jit<'m> {
        let mut jit = Jit::soon(model, reference);
        jit.compile(Native::compile_due);
        jit
    }

    /// Compiles all of the model when `reference` has answered one call: by then it is known how much memory that may take.
    pub fn soon(model: &'m Model, reference: Box<dyn Executor + 'm>) -> Jit<'m> {
        let mut jit = Jit::at_once(model, reference);
        jit.native.iter_mut().for_each(Native::expect_all);
        jit
    }

    /// Compiles each control state when its code was missing some times: of a large model only what the search meets.
    pub fn at_once(model: &'m Model, reference: Box<dyn Executor + 'm>) -> Jit<'m> {
        Jit::with_patience(model, reference, false)
    }

    /// The same, but nothing before `reference` has worked about as long as the compiler will: a small model is never compiled.
    pub fn when_worth_it(model: &'m Model, reference: Box<dyn Executor + 'm>) -> Jit<'m> {
        Jit::with_patience(model, reference, true)
    }

    fn with_patience(model: &'m Model, reference: Box<dyn Executor + 'm>, is_patient: bool) -> Jit<'m> {
        let start = Instant::now();
        let native = Native::new(model, reference.loses_messages());
        let statistics = Statistics { compile_time: start.elapsed(), ..Statistics::default() };
        let walk = walk::Walk::default();
        let next_round = if is_patient { cost::CALLS_MIN } else { 0 };
        let conditions = Conditions::default();
        Jit { reference, native, walk, conditions, next_round, is_patient, statistics }
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    #[cold]
    fn compile(&mut self, what: impl FnOnce(&mut Native<'m>)) {
        let Some(native) = &mut self.native else { return };
        let start = Instant::now();
        what(native);
        self.statistics.native_states = native.native_states;
        self.statistics.compile_time += start.elapsed();
    }

    /// Compiles a set of conditions that is asked for often.
    #[cold]
    fn compile_conditions(&mut self, index: usize) {
        let Some(native) = &mut self.native else { return };
        let start = Instant::now();
        let code = native.compile_conditions(&self.conditions.list, self.conditions.wanted(index));
        code.into_iter().for_each(|code| self.conditions.set_code(index, code));
        self.statistics.compile_time += start.elapsed();
    }

    /// The reference executor answers, and counts towards what is compiled.
    #[inline(never)]
    fn ask_reference(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        self.statistics.reference_calls += 1;
        self.reference.successors(state, control, out);
        if self.statistics.reference_calls >= self.next_round {
            self.look();
        }
    }

    /// Compiles what is due, once a round.
    fn look(&mut self) {
        let calls = self.statistics.reference_calls;
        if self.is_patient {
            let price = self.native.as_ref().map_or(u64::MAX, Native::price_of_due);
            if calls < price {
                self.next_round = calls + calls / 4;
                return;
            }
            self.is_patient = false;
        }
        self.next_round = calls + ROUND;
        if self.native.as_ref().is_some_and(Native::is_due) {
            self.compile(Native::compile_due);
        }
    }
}

impl Executor for Jit<'_> {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.reference.initial()
    }

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        if let Some(native) = &mut self.native {
            // SAFETY: the runtime and its code live as long as `native`, and this is the only reference to it.
            if unsafe { runtime::successors(&raw mut *native.runtime, state, control, out) } {
                self.statistics.native_calls += 1;
                if !native.runtime.populations.due.is_empty() {
                    self.compile(Native::compile_due);
                }
                return;
            }
        }
        self.ask_reference(state, control, out);
    }

    fn follow(&mut self, out: &mut Successors, chains: &mut Chains<'_>) -> bool {
        let Some(native) = &mut self.native else { return false };
        let runtime = &raw mut *native.runtime;
        // SAFETY: the runtime and its code live as long as `native`, and this is the only reference to it.
        let is_done = unsafe {
            let is_native = chains::follow(runtime, out, chains);
            let count = if is_native {
                &mut self.statistics.native_chains
            } else {
                &mut self.statistics.other_chains
            };
            *count += 1;
            is_native || walk::follow(runtime, &mut self.walk, out, chains)
        };
        if native.runtime.chains.misses >= ROUND {
            native.runtime.chains.misses = 0;
            if !self.is_patient && !native.runtime.due.is_empty() {
                self.compile(Native::compile_due);
            }
        }
        is_done
    }

    fn broken_invariants(&mut self, state: &[u8], out: &mut Vec<Fault>) {
        self.reference.broken_invariants(state, out);
    }

    fn set_conditions(&mut self, conditions: &[Condition]) {
        self.reference.set_conditions(conditions);
        self.conditions = Conditions::new(conditions);
        if let Some(native) = &mut self.native
            && conditions.iter().any(condition::asks)
        {
            native.expect_questions();
        }
    }

    fn conditions(&mut self, state: &[u8], wanted: u64) -> Result<u64, Fault> {
        if let Some(native) = &mut self.native {
            // SAFETY: the runtime and its code live as long as `native`, and this is the only reference to it.
            match unsafe { self.conditions.ask(&raw mut *native.runtime, state, wanted) } {
                Answer::Held(held) => {
                    self.statistics.native_conditions += 1;
                    return Ok(held);
                }
                Answer::Due(index) => self.compile_conditions(index),
                // It may have asked for what is not compiled yet.
                Answer::GivenUp if !self.is_patient && !native.runtime.due.is_empty() => {
                    self.compile(Native::compile_due);
                }
                Answer::GivenUp | Answer::Unknown => {}
            }
        }
        self.reference.conditions(state, wanted)
    }

    fn waiting(&mut self, state: &[u8]) -> Vec<Waiting> {
        self.reference.waiting(state)
    }

    fn replay(&mut self, state: &[u8], control: Option<u8>, item: usize) -> Option<Replay> {
        self.reference.replay(state, control, item)
    }

    fn set_patience(&mut self, patience: &Patience) {
        self.reference.set_patience(patience);
        if let Some(native) = &mut self.native {
            native.runtime.patience = patience.clone();
        }
    }

    fn hidden_bytes(&self) -> usize {
        self.reference.hidden_bytes()
    }
}
