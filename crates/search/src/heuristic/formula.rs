//! The formula-based heuristic: the distance to the nearest failure formula.
//!
//! An assertion `a` of process `i` fails in a step from its control state `u`, if `(i@u) ∧ ¬a`; an invariant fails where its negation
//! holds. The automaton of a requirement (an assertion of Argos) tells itself how many events it is from its violation.

use super::distance::{Targets, distances};
use super::look::{Frames, Look};
use super::rules;
use super::term::{Conjunction, Measure, Term, Terms};
use super::{FAR, Heuristic};
use crate::Checks;
use crate::guide::RequirementDistance;
use crate::options::CountedFaults;
use panoptes_exec::FaultKind;
use panoptes_model::{
    Action, EstimateTable, Expr, Guard, Invariant, Model, ProcId, ProcessKind, Sense, Transition,
};

/// Where a process type has more steps that may fail than this, they are one goal: with a table and a look at the state for each, models with
/// thousands of assertions would take seconds before the search, and long for each state.
const STEPS_MAX: usize = 64;

/// A way to fail.
pub(super) struct Goal<'m> {
    /// The process type whose step fails, and for each of its control states how far it is from that step; none for an invariant.
    place: Option<(ProcId, Vec<u32>)>,
    /// A process of that type can still be started.
    is_started: bool,
    condition: Term<'m>,
    /// It is part of the requirement with this index.
    requirement: Option<u32>,
    text: String,
}

/// The fault that a failed assertion of a requirement is.
fn fault_of(sense: Sense) -> FaultKind {
    match sense {
        Sense::Hold => FaultKind::Requirement,
        Sense::Follow => FaultKind::OffPath,
        Sense::Reach => FaultKind::Goal,
    }
}

/// Is there an assertion or an invariant that is looked for?
pub(super) fn has_goals(model: &Model, checks: Checks) -> bool {
    let mut found = invariants(model).next().is_some();
    asserted(model, checks, &mut |_, _, _| found = true);
    found
}

/// The invariants that count: where a goal is looked for, nothing else is.
pub(super) fn invariants(model: &Model) -> impl Iterator<Item = &Invariant> {
    let has_goal = model.goal().is_some();
    model.invariants.iter().filter(move |invariant| invariant.is_goal || !has_goal)
}

/// Does the failure of an assertion count that is part of a requirement, or of none?
pub(super) fn counts(model: &Model, checks: Checks, requirement: Option<u32>) -> bool {
    let sense = requirement.map(|index| model.requirements[index as usize].sense);
    CountedFaults::of(model, checks).includes(sense.map_or(FaultKind::Assertion, fault_of))
}

/// What is looked for, for people.
pub(super) fn texts(model: &Model, checks: Checks) -> Vec<String> {
    goals(model, checks, Measure::USUAL).iter().map(|goal| goal.text().to_string()).collect()
}

/// Calls `visit` with each step that asserts something that counts, what it asserts (nothing if it is inside a block), and of
/// which requirement that is a part.
pub(super) fn asserted<'m>(
    model: &'m Model,
    checks: Checks,
    visit: &mut dyn FnMut(&'m Transition, Option<&'m Expr>, Option<u32>),
) {
    let counts = |requirement: &Option<u32>| counts(model, checks, *requirement);
    for transition in &model.transitions {
        if model.process(transition.process).kind != ProcessKind::Process {
            continue;
        }
        for action in &transition.actions {
            match action {
                Action::Assert { condition, requirement, .. } if counts(requirement) => {
                    visit(transition, Some(condition), *requirement);
                }
                Action::Block(block) => {
                    let steps = model.block(*block).nodes.iter().flat_map(|node| &node.steps);
                    let is_asserted = |action: &Action| matches!(action, Action::Assert { requirement, .. } if counts(requirement));
                    if steps.flat_map(|step| &step.actions).any(is_asserted) {
                        visit(transition, None, None);
                    }
                }
                _ => {}
            }
        }
    }
}

/// All ways to fail that have a formula.
pub(super) fn goals<'m>(model: &'m Model, checks: Checks, measure: Measure<'m>) -> Vec<Goal<'m>> {
    let mut goals = Vec::new();
    for invariant in invariants(model) {
        let condition = Terms { model, measure, process: None }.term(&invariant.condition, false);
        let text = match invariant.is_goal {
            true => format!("`{}` holds", invariant.text),
            false => format!("the invariant `{}` does not hold", invariant.text),
        };
        goals.push(Goal { place: None, is_started: false, condition, requirement: None, text });
    }
    let mut steps = Vec::new();
    asserted(model, checks, &mut |transition, condition, requirement| {
        steps.push(FailingStep { transition, asserted: condition, requirement });
    });
    goals.extend(Goal::steps(model, &steps, measure));
    goals
}

/// A step that asserts something, or goes wrong in a way that no formula tells.
pub(super) struct FailingStep<'m> {
    pub transition: &'m Transition,
    pub asserted: Option<&'m Expr>,
    /// What it asserts is part of the requirement with this index.
    pub requirement: Option<u32>,
}

impl<'m> Goal<'m> {
    /// Steps that may fail: each is a goal, unless a process type has very many.
    pub fn steps(model: &'m Model, steps: &[FailingStep<'m>], measure: Measure<'m>) -> Vec<Goal<'m>> {
        let mut goals = Vec::new();
        for process in (0..model.processes.len() as u32).map(ProcId) {
            let of_process = || steps.iter().filter(|step| step.transition.process == process);
            // What belongs to a requirement may be measured by its automaton.
            let is_single = |step: &&FailingStep<'_>| step.requirement.is_some();
            let plain = || of_process().filter(|step| !is_single(step));
            if plain().count() <= STEPS_MAX || measure.table.is_some() {
                goals.extend(of_process().map(|step| Goal::step(model, step, measure)));
                continue;
            }
            goals.extend(of_process().filter(is_single).map(|step| Goal::step(model, step, measure)));
            let mut is_target = vec![false; model.process(process).states.len()];
            plain().for_each(|step| is_target[step.transition.from.index()] = true);
            let targets = Targets { states: &|id| is_target[id.index()], gone: false };
            goals.push(Goal {
                place: Some((process, distances(model, process, &targets))),
                is_started: rules::is_started(model, process),
                condition: Term::True,
                requirement: None,
                text: format!(
                    "{} is before one of {} steps that may fail",
                    model.process(process).name,
                    plain().count()
                ),
            });
        }
        goals
    }

    fn step(model: &'m Model, step: &FailingStep<'m>, measure: Measure<'m>) -> Goal<'m> {
        let FailingStep { transition, asserted, requirement } = *step;
        let process = transition.process;
        let from = transition.from;
        let distances = distances(model, process, &Targets { states: &|id| id == from, gone: false });
        // What the step does before it asserts is not known to the condition.
        let first = transition.actions.iter().position(|action| matches!(action, Action::Assert { .. }));
        let is_first = first == Some(0);
        let mut parts = Vec::new();
        let terms = Terms { model, measure, process: Some(process) };
        if let Some(condition) = asserted.filter(|_| is_first) {
            parts.push(terms.term(condition, false));
        }
        if let (Guard::When(guard), true) = (&transition.guard, asserted.is_some()) {
            parts.push(terms.term(guard, true));
        }
        let name = &model.process(process).name;
        let text = format!("{name} is before `{}`, and that fails", transition.text);
        let is_started = rules::is_started(model, process);
        Goal { place: Some((process, distances)), is_started, condition: Term::All(parts), requirement, text }
    }

    pub fn estimate(&self, look: Look<'_>, conjunction: Conjunction) -> u32 {
        let Some((process, distances)) = &self.place else {
            return self.condition.estimate(look, 0, conjunction);
        };
        let mut nearest = match self.is_started {
            // It is started first.
            true => distances[look.model.process(*process).initial.index()] + 1,
            false => FAR,
        };
        for pid in 0..look.process_count() {
            if look.process_id(pid) == *process {
                let distance = distances[look.state(pid).index()];
                if distance < nearest {
                    let formula = self.condition.estimate(look, pid, conjunction);
                    nearest = nearest.min(conjunction.join(distance, formula));
                }
            }
        }
        // The step itself is the last one.
        (nearest + 1).min(FAR)
    }

    /// Notes the entries of a user's table that are used.
    pub fn note_entries(&self, used: &mut Vec<usize>) {
        self.condition.note_entries(used);
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

pub(crate) struct Formula<'m> {
    model: &'m Model,
    goals: Vec<Goal<'m>>,
    conjunction: Conjunction,
    /// By name.
    requirements: Vec<(&'m str, RequirementDistance)>,
    frames: Frames,
}

impl<'m> Formula<'m> {
    pub fn new(model: &'m Model, checks: Checks) -> Formula<'m> {
        Formula::measured(model, checks, Measure::USUAL)
    }

    /// With the table of a user.
    pub fn by_table(model: &'m Model, checks: Checks, table: &'m EstimateTable) -> Formula<'m> {
        Formula::measured(model, checks, Measure::of(table))
    }

    fn measured(model: &'m Model, checks: Checks, measure: Measure<'m>) -> Formula<'m> {
        let counted = CountedFaults::of(model, checks);
        let mut goals = goals(model, checks, measure);
        let mut requirements = Vec::new();
        for (index, requirement) in model.requirements.iter().enumerate() {
            if counted.includes(fault_of(requirement.sense))
                && let Some(distance) = RequirementDistance::new(requirement)
            {
                requirements.push((requirement.name.as_str(), distance));
                goals.retain(|goal| goal.requirement != Some(index as u32));
            }
        }
        let conjunction = measure.conjunction;
        Formula { model, goals, conjunction, requirements, frames: Frames::default() }
    }
}

impl Heuristic for Formula<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        let look = self.frames.look(self.model, vector);
        let goals = self.goals.iter().map(|goal| goal.estimate(look, self.conjunction));
        let events = self.requirements.iter().map(|(_, distance)| distance.distance(vector));
        goals.chain(events).min().unwrap_or(FAR).min(FAR)
    }

    fn explain(&self) -> Vec<String> {
        let goals = self.goals.iter().map(|goal| goal.text().to_string());
        let events = self
            .requirements
            .iter()
            .map(|(name, _)| format!("the automaton of `{name}` comes to what is looked for"));
        goals.chain(events).collect()
    }
}
