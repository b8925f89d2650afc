//! The length of a relaxed plan: steps that would lead to an error if nothing that once was so ever ceased to be so (Hoffmann and Nebel's
//! *FF* heuristic, 2001, over processes and channels).
//!
//! Facts are that a process is at a place, that a variable or a field of a message has a value, and that a channel holds so many messages.
//! From a state they accumulate round by round (`graph.rs`) over the steps of the processes (`ground.rs`, `compile.rs`), until what is
//! looked for is possible (`goals.rs`). From there a plan is read backwards (`plan.rs`). Its length is the estimate; the steps of it
//! that are possible at once are *preferred*.

mod compile;
mod cone;
mod fact;
mod goals;
mod graph;
mod ground;
mod plan;
mod values;

pub use goals::Toward;

use super::formula;
use super::{FAR, Heuristic};
use crate::Checks;
use goals::Goals;
use graph::{Graph, Ground, Met};
use ground::{Builder, unchanging, unchanging_globals};
use panoptes_exec::Step;
use panoptes_model::{FrameLayout, Model, ProcId, ScalarType};
use plan::Plan;
use std::collections::HashMap;

/// So many plans are made where several errors are possible in the same round.
const PLANS_MAX: usize = 4;
/// Making a step of a process takes as long as trying so many.
const GROUNDING_WORK: u64 = 64;
/// So many line-ups of processes are kept.
const GROUNDS_MAX: usize = 64;

/// The processes that live.
#[derive(Clone, Default, PartialEq, Eq)]
struct LineUp {
    types: Vec<u8>,
    /// Their variables that never change: the process, the offset in its frame, and the value.
    constants: Vec<(usize, u32, i32)>,
}

pub(crate) struct Relaxed<'m> {
    model: &'m Model,
    checks: Checks,
    toward: Toward,
    /// Put off what useless steps lead to.
    puts_off: bool,
    /// By process type: the variables that never change.
    unchanging: Vec<Vec<(u32, ScalarType)>>,
    /// The cells of global variables that never change; known with the first state.
    globals: Option<HashMap<u32, i32>>,
    /// One for each line-up of processes that was met.
    grounds: Vec<(LineUp, Ground<'m>)>,
    /// So many were made.
    made: usize,
    /// The one of the last state.
    current: usize,
    line_up: LineUp,
    graph: Graph,
    plan: Plan,
    other: Plan,
    met: Vec<Met>,
}

impl<'m> Relaxed<'m> {
    pub fn new(model: &'m Model, checks: Checks, toward: Toward, puts_off: bool) -> Relaxed<'m> {
        Relaxed {
            model,
            checks,
            toward,
            puts_off,
            unchanging: unchanging(model),
            globals: None,
            grounds: Vec::new(),
            made: 0,
            current: 0,
            line_up: LineUp::default(),
            graph: Graph::default(),
            plan: Plan::default(),
            other: Plan::default(),
            met: Vec::new(),
        }
    }

    /// Is it deadlocks that plans lead to?
    fn leads_to_deadlocks(&self) -> bool {
        self.toward == Toward::Deadlocks || !formula::has_goals(self.model, self.checks)
    }

    /// The process types of the initial state that nothing that is looked for depends on.
    fn unrelated(&self) -> Vec<&'m str> {
        let types: Vec<u8> = self.model.initial.iter().map(|initial| initial.process.0 as u8).collect();
        let ground = self.ground(&LineUp { types: types.clone(), constants: Vec::new() });
        let is_unrelated = |(index, _): &(usize, &u8)| !ground.is_related(*index);
        let found = types.iter().enumerate().filter(is_unrelated);
        let mut names: Vec<&str> =
            found.map(|(_, id)| self.model.processes[usize::from(*id)].name.as_str()).collect();
        names.dedup();
        names
    }

    /// Finds the steps of the processes that live in a state, or makes them.
    fn find_ground(&mut self, vector: &[u8]) {
        let model = self.model;
        if self.globals.is_none() {
            self.globals = Some(unchanging_globals(model, vector));
        }
        self.line_up.types.clear();
        self.line_up.constants.clear();
        let mut at = model.header.frames as usize;
        for pid in 0..usize::from(vector[model.header.process_count()]) {
            let id = vector[at + FrameLayout::TYPE];
            self.line_up.types.push(id);
            // With very many line-ups, those that differ in values are too many.
            if self.made < GROUNDS_MAX {
                let constants = self.unchanging[usize::from(id)].iter();
                let read = |(offset, ty): &(u32, ScalarType)| {
                    (pid, *offset, ty.read(&vector[at + *offset as usize..]))
                };
                self.line_up.constants.extend(constants.map(read));
            }
            at += model.processes[usize::from(id)].frame.bytes as usize;
        }
        if self.grounds.get(self.current).is_some_and(|(line_up, _)| *line_up == self.line_up) {
            return;
        }
        if let Some(found) = self.grounds.iter().position(|(line_up, _)| *line_up == self.line_up) {
            self.current = found;
            return;
        }
        if self.grounds.len() >= GROUNDS_MAX {
            self.grounds.clear();
        }
        self.made += 1;
        let ground = self.ground(&self.line_up);
        self.graph.tried += GROUNDING_WORK * ground.operators.len() as u64;
        self.current = self.grounds.len();
        self.grounds.push((self.line_up.clone(), ground));
    }

    fn ground(&self, line_up: &LineUp) -> Ground<'m> {
        let model = self.model;
        let mut at = model.header.frames;
        let mut living = Vec::new();
        for id in &line_up.types {
            living.push((ProcId(u32::from(*id)), at));
            at += model.processes[usize::from(*id)].frame.bytes;
        }
        let unknown = HashMap::new();
        let globals = self.globals.as_ref().unwrap_or(&unknown);
        let mut builder = Builder::new(model, &living, &line_up.constants, globals);
        let mut goals = Goals::default();
        if self.leads_to_deadlocks() {
            builder.add_operators(&|_| false);
            goals.blocked = goals::blocked(&mut builder);
        } else {
            builder.add_operators(&|requirement| formula::counts(model, self.checks, requirement));
            goals.conditions = goals::conditions(&mut builder);
        }
        if self.checks.deadlocks && model.goal().is_none() {
            goals.conditions.extend(goals::unspecified_receptions(&mut builder));
        }
        Ground::new(builder, goals)
    }
}

impl Heuristic for Relaxed<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        self.find_ground(vector);
        let ground = &self.grounds[self.current].1;
        self.graph.grow(ground, vector, &mut self.met);
        self.plan.first.clear();
        let mut least = FAR;
        for met in self.met.iter().take(PLANS_MAX) {
            let length = self.other.extract(ground, &self.graph, *met);
            if length < least {
                least = length;
                std::mem::swap(&mut self.plan, &mut self.other);
            }
        }
        least
    }

    fn work(&self) -> u64 {
        self.graph.tried
    }

    fn plans(&self) -> bool {
        true
    }

    fn is_preferred(&self, step: Step) -> bool {
        self.plan.first.contains(&(u32::from(step.pid), step.transition))
    }

    fn puts_off(&self) -> bool {
        self.puts_off
    }

    fn is_unrelated(&self, step: Step) -> bool {
        let ground = &self.grounds[self.current].1;
        if !self.puts_off {
            return false;
        }
        let is_unrelated = |pid: u8| !ground.is_related(usize::from(pid));
        is_unrelated(step.pid) && step.partner.is_none_or(|(pid, _)| is_unrelated(pid))
    }

    fn explain(&self) -> Vec<String> {
        let mut lines = vec!["the length of a plan, were nothing ever taken back".to_string()];
        if self.leads_to_deadlocks() {
            lines.push("it leads to: all processes are where they can block, and blocked there".to_string());
        } else {
            let goals = formula::texts(self.model, self.checks);
            lines.extend(goals.into_iter().map(|goal| format!("it leads to: {goal}")));
        }
        if self.checks.deadlocks && !self.model.waiting.is_empty() && self.model.goal().is_none() {
            lines.push("it leads to: a process gets a message that it does not take".to_string());
        }
        lines.push("its first steps are preferred".to_string());
        if self.puts_off {
            lines.push(
                "put off: steps that it does not begin with and that do not make it shorter".to_string(),
            );
            let unrelated = self.unrelated();
            if !unrelated.is_empty() {
                lines.push(format!("put off from the start: all steps of {}", unrelated.join(", ")));
            }
        }
        lines
    }
}
