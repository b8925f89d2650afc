//! From what a search of the minimised model found to what it means in the model as it was written.
//!
//! A process of the minimised model stands for itself at any of several equivalent control states. Each step of a path
//! is replaced by the one that the process takes where it really stands ([`panoptes_optimise::Lift`]); the place of a fault
//! follows its statement, and that of a deadlock is where the processes then stand. What is told about a state (a message
//! that is not received there) is asked again of the reference executor at the end of the path.

use crate::path::{settle, take};
use panoptes_exec::{Executor, Fault, Patience, Step, Successors};
use panoptes_interp::{Interpreter, InterpreterOptions};
use panoptes_model::{Action, Model, ProcId, StateId, TransId};
use panoptes_optimise::Lift;
use panoptes_search::{Bitset, Finding, Outcome, Path};
use panoptes_source::Span;
use std::time::Instant;

/// Steps between two looks at the clock.
const LOOK_EVERY: usize = 256;

/// The model as written, the one that was searched, and how to get from the one to the other.
pub(crate) struct Lifting<'m> {
    pub written: &'m Model,
    pub searched: &'m Model,
    pub lift: &'m Lift,
    pub lossy: bool,
    /// Whatever is asked of an executor must be answered by then. After that nobody walks the paths either.
    pub until: Option<Instant>,
}

impl Lifting<'_> {
    /// Tells an outcome in terms of the model as written.
    pub fn apply(&self, outcome: &mut Outcome) {
        if self.lift.is_trivial() {
            return;
        }
        outcome.errors.iter_mut().for_each(|error| self.lift_error(error));
        let taken = self.lift.executed(self.written, &|id| outcome.executed.contains(id.index()));
        let mut executed = Bitset::with_len(taken.len());
        (0..taken.len()).filter(|number| taken[*number]).for_each(|number| executed.insert(number));
        outcome.executed = executed;
    }

    /// A path that cannot be lifted stays as it is: its replay will say that it does not show the error.
    fn lift_error(&self, error: &mut Finding) {
        let mut standing = Standing::default();
        let path: Option<Path> = error.path.iter().map(|step| self.step(step, &mut standing)).collect();
        let Some(path) = path.filter(|path| path.len() == error.length) else { return };
        for (pid, (id, at)) in error.standing.iter_mut().enumerate() {
            *at = standing.at(self.written, pid as u8, *id);
        }
        if let Some(fault) = &mut error.fault {
            if fault.kind.is_of_state() {
                self.lift_state(fault, &error.path, &path);
            } else if let (Some(searched), Some(written)) = (error.path.last(), path.last()) {
                fault.span = self.span(fault.span, searched, written);
            }
        }
        error.path = path;
    }

    fn step(&self, step: Step, standing: &mut Standing) -> Option<Step> {
        let mut one = |pid: u8, rule: TransId| {
            let id = self.written.transition(rule).process;
            let own = self.lift.rule(self.written, standing.at(self.written, pid, id), rule)?;
            standing.go(pid, id, self.written.transition(own).to);
            Some(own)
        };
        let transition = one(step.pid, step.transition)?;
        let partner = match step.partner {
            Some((pid, rule)) => Some((pid, one(pid, rule)?)),
            None => None,
        };
        Some(Step { transition, partner, ..step })
    }

    /// Where a fault of a step lies: the same statement, or part of one, of the step that is taken in its place.
    fn span(&self, span: Span, searched: Step, written: Step) -> Span {
        let rules = |step: Step| [Some(step.transition), step.partner.map(|(_, rule)| rule)];
        let place = |(from, to): (Option<TransId>, Option<TransId>)| {
            let place = spans(self.written, from?).iter().position(|known| *known == span)?;
            spans(self.written, to?).get(place).copied()
        };
        rules(searched).into_iter().zip(rules(written)).find_map(place).unwrap_or(span)
    }

    /// Replaces a fault of the state at the end of a path by the one that the end of the lifted path has in its place.
    fn lift_state(&self, fault: &mut Fault, searched: &Path, written: &Path) {
        let before = self.faults_of_state(self.searched, searched);
        let after = self.faults_of_state(self.written, written);
        let place = before.iter().position(|known| known == fault);
        if let Some(same) = place.and_then(|place| after.get(place)).filter(|same| same.kind == fault.kind) {
            *fault = same.clone();
        }
    }

    fn faults_of_state(&self, model: &Model, path: &Path) -> Vec<Fault> {
        let mut executor = Interpreter::new(model, InterpreterOptions { lossy: self.lossy });
        executor.set_patience(&Patience { deadline: self.until, ..Patience::default() });
        let Ok(mut state) = executor.initial() else { return Vec::new() };
        let mut control = None;
        for (number, step) in path.iter().enumerate() {
            if number.is_multiple_of(LOOK_EVERY) && self.until.is_some_and(|until| Instant::now() >= until) {
                return Vec::new();
            }
            let Some(next) = take(&mut executor, &state, control, step) else { return Vec::new() };
            (state, control) = next;
        }
        let mut successors = Successors::default();
        settle(&mut executor, &state, control, &mut successors);
        let stuck = successors.stuck.iter().map(|stuck| stuck.fault(model));
        successors.end_faults.into_iter().chain(stuck).collect()
    }
}

/// Where each process stands. One that has not moved yet stands at its beginning.
#[derive(Default)]
struct Standing {
    places: Vec<Option<(ProcId, StateId)>>,
}

impl Standing {
    fn at(&self, model: &Model, pid: u8, id: ProcId) -> StateId {
        match self.places.get(usize::from(pid)) {
            Some(Some((known, state))) if *known == id => *state,
            _ => model.process(id).initial,
        }
    }

    /// Moves a process; one that is gone leaves its number to another.
    fn go(&mut self, pid: u8, id: ProcId, to: Option<StateId>) {
        let pid = usize::from(pid);
        if self.places.len() <= pid {
            self.places.resize(pid + 1, None);
        }
        self.places[pid] = to.map(|to| (id, to));
    }
}

/// The places of a rule and of the steps of its blocks, always in the same order.
fn spans(model: &Model, rule: TransId) -> Vec<Span> {
    let rule = model.transition(rule);
    let mut spans = vec![rule.span];
    rule.actions.iter().for_each(|action| add_spans(model, action, &mut spans));
    spans
}

fn add_spans(model: &Model, action: &Action, spans: &mut Vec<Span>) {
    let Action::Block(id) = action else { return };
    for step in model.block(*id).nodes.iter().flat_map(|node| &node.steps) {
        spans.push(step.span);
        step.actions.iter().for_each(|action| add_spans(model, action, spans));
    }
}
