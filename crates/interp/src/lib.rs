//! The reference executor: the meaning of the model, written to be read.
//!
//! Every other executor is tested against this one, and every violation is replayed here before it is shown.
#![forbid(unsafe_code)]

mod block;
mod conditions;
mod ending;
mod eval;
mod invariants;
mod monitor;
mod perform;
mod recording;
mod schedule;
mod waiting;
mod working_state;

use panoptes_exec::{Condition, Executor, Fault, Patience, Replay, Successors, Waiting};
use panoptes_model::{Expr, Model};
use panoptes_source::Span;
use recording::Recording;
use working_state::WorkingState;

/// How channels and schedules deviate from the plain meaning.
#[derive(Clone, Copy, Debug, Default)]
pub struct InterpreterOptions {
    /// A send to a full channel does not block: the message is lost.
    pub lossy: bool,
}

/// Interprets one model.
pub struct Interpreter<'m> {
    machine: WorkingState<'m>,
    conditions: Vec<Condition>,
}

impl<'m> Interpreter<'m> {
    pub fn new(model: &'m Model, options: InterpreterOptions) -> Interpreter<'m> {
        Interpreter { machine: WorkingState::new(model, options), conditions: Vec::new() }
    }

    /// The value of an expression over global places and what can be told of processes from outside, as those of invariants
    /// are; a fault at `span` if it has none in this state.
    pub fn value(&mut self, state: &[u8], expr: &Expr, span: Span) -> Result<i32, Fault> {
        self.machine.load(state);
        self.machine.value(expr).map_err(|trouble| trouble.at(span))
    }
}

impl Executor for Interpreter<'_> {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        let mut machine = WorkingState::new(self.machine.model, self.machine.options);
        machine.boot()?;
        Ok(machine.state)
    }

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        out.clear();
        self.machine.load(state);
        self.machine.schedule(control, out);
    }

    fn broken_invariants(&mut self, state: &[u8], out: &mut Vec<Fault>) {
        self.machine.load(state);
        self.machine.broken_invariants(out);
    }

    fn set_conditions(&mut self, conditions: &[Condition]) {
        self.conditions = conditions.to_vec();
    }

    fn conditions(&mut self, state: &[u8], wanted: u64) -> Result<u64, Fault> {
        self.machine.load(state);
        self.machine.conditions(&self.conditions, wanted)
    }

    fn waiting(&mut self, state: &[u8]) -> Vec<Waiting> {
        self.machine.load(state);
        self.machine.waiting()
    }

    fn replay(&mut self, state: &[u8], control: Option<u8>, item: usize) -> Option<Replay> {
        let mut out = Successors::default();
        self.machine.load(state);
        self.machine.recording = Some(Recording::of(item));
        self.machine.schedule(control, &mut out);
        let events = self.machine.recording.take()?.kept;
        let item = out.items.get(item)?;
        let after = if item.has_state() { out.state(item) } else { state };
        Some(Replay {
            state: after.to_vec(),
            control: item.control(),
            events,
            fault: out.fault(item).cloned(),
            is_cut: !item.has_state(),
        })
    }

    fn set_patience(&mut self, patience: &Patience) {
        self.machine.patience = patience.clone();
    }

    fn loses_messages(&self) -> bool {
        self.machine.options.lossy
    }

    fn hidden_bytes(&self) -> usize {
        self.machine.model.header.hidden_bytes as usize
    }
}
