//! How far all processes are from where they block: the deadlock formula, approximated.
//!
//! In a deadlock every process stands where it can block, and each of the steps that it has there cannot be taken. Which of these
//! *dangerous* control states it will be is not known, so each process is measured by the nearest one. A model can name them
//! itself, by labels that begin with `danger`.

use super::active::blocking;
use super::distance::{Targets, Ways, distances};
use super::formula::{FailingStep, Goal, goals};
use super::look::{Frames, Look};
use super::rules;
use super::term::{Conjunction, Measure, Term, Terms};
use super::{FAR, Heuristic};
use crate::Checks;
use crate::options::CountedFaults;
use panoptes_exec::FaultKind;
use panoptes_model::{Action, EstimateTable, Guard, Model, ProcId, ProcessKind, StateId, Transition};

pub(crate) struct Danger<'m> {
    model: &'m Model,
    /// By process type.
    types: Vec<Dangers<'m>>,
    is_labelled: bool,
    conjunction: Conjunction,
    frames: Frames,
}

/// The dangerous control states of a process type.
#[derive(Default)]
struct Dangers<'m> {
    places: Vec<Location<'m>>,
    /// By control state: how far it is until the process is gone.
    gone: Vec<u32>,
    /// By control state: the dangerous ones that can be reached, nearest first, with their distance.
    near: Vec<Vec<(u32, u32)>>,
}

struct Location<'m> {
    /// None of its steps can be taken.
    blocked: Term<'m>,
    name: String,
}

impl<'m> Danger<'m> {
    pub fn new(model: &'m Model) -> Danger<'m> {
        Danger::measured(model, Measure::USUAL)
    }

    /// With the table of a user.
    pub fn by_table(model: &'m Model, table: &'m EstimateTable) -> Danger<'m> {
        Danger::measured(model, Measure::of(table))
    }

    /// Notes the entries of a user's table that are used.
    pub fn note_entries(&self, used: &mut Vec<usize>) {
        let places = self.types.iter().flat_map(|dangers| &dangers.places);
        places.for_each(|place| place.blocked.note_entries(used));
    }

    fn measured(model: &'m Model, measure: Measure<'m>) -> Danger<'m> {
        let is_labelled = model
            .processes
            .iter()
            .flat_map(|process| &process.states)
            .any(|state| is_labelled(&state.labels));
        let blocking = blocking(model);
        let is_dangerous = |id: ProcId, state: StateId| match is_labelled {
            true => is_labelled_state(model, id, state),
            false => blocking[id.index()][state.index()],
        };
        let of_type = |id: ProcId| match model.process(id).kind {
            ProcessKind::Process => Dangers::new(model, id, measure, &|state| is_dangerous(id, state)),
            _ => Dangers::default(),
        };
        let types = (0..model.processes.len() as u32).map(ProcId).map(of_type).collect();
        let conjunction = measure.conjunction;
        Danger { model, types, is_labelled, conjunction, frames: Frames::default() }
    }
}

fn is_labelled(labels: &[String]) -> bool {
    labels.iter().any(|label| label.starts_with("danger"))
}

fn is_labelled_state(model: &Model, id: ProcId, state: StateId) -> bool {
    let state = &model.process(id).states[state.index()];
    // Where a process may end it may also stand in a deadlock of others.
    is_labelled(&state.labels) || state.end
}

/// Of a process type with more pairs of a control state and a dangerous one, only the nearest dangerous one is looked at from each: the others take
/// too much time and memory.
const PAIRS_MAX: usize = 1 << 20;

impl<'m> Dangers<'m> {
    fn new(
        model: &'m Model,
        id: ProcId,
        measure: Measure<'m>,
        is_dangerous: &dyn Fn(StateId) -> bool,
    ) -> Dangers<'m> {
        let process = model.process(id);
        let ways = Ways::new(model, id);
        let gone = ways.distances(&Targets { states: &|_| false, gone: true });
        let states = || (0..process.states.len() as u32).map(StateId);
        let dangerous: Vec<StateId> = states().filter(|state| is_dangerous(*state)).collect();
        let place = |state: &StateId| {
            let control = &process.states[state.index()];
            let rules = control.transitions.iter().map(|id| model.transition(*id));
            let blocked = Term::All(rules.map(|rule| not_possible(model, rule, measure)).collect());
            let label =
                control.labels.first().map_or_else(|| format!("state {}", control.number), Clone::clone);
            Location { blocked, name: label }
        };
        let places = dangerous.iter().map(place).collect();
        let mut near: Vec<Vec<(u32, u32)>> = vec![Vec::new(); process.states.len()];
        let mut note = |state: usize, distance: u32, place: usize| {
            if distance < FAR {
                near[state].push((distance, place as u32));
            }
        };
        if dangerous.len() * process.states.len() <= PAIRS_MAX {
            for (place, target) in dangerous.iter().enumerate() {
                let to_place = ways.distances(&Targets { states: &|id| id == *target, gone: false });
                (0..).zip(to_place).for_each(|(state, distance)| note(state, distance, place));
            }
        } else {
            let nearest = ways.nearest(&Targets { states: is_dangerous, gone: false });
            for (state, (distance, target)) in nearest.into_iter().enumerate() {
                note(state, distance, dangerous.binary_search(&target).unwrap_or(0));
            }
        }
        near.iter_mut().for_each(|near| near.sort_unstable());
        Dangers { places, gone, near }
    }

    fn estimate(&self, look: Look<'_>, pid: usize, conjunction: Conjunction) -> u32 {
        let at = look.state(pid).index();
        let mut nearest = self.gone[at];
        for (distance, place) in &self.near[at] {
            if *distance >= nearest {
                break;
            }
            let blocked = self.places[*place as usize].blocked.estimate(look, pid, conjunction);
            nearest = nearest.min(distance.saturating_add(blocked));
        }
        nearest.min(FAR)
    }
}

/// That the step cannot be taken: its condition does not hold, or its channel does not allow it.
fn not_possible<'m>(model: &'m Model, rule: &'m Transition, measure: Measure<'m>) -> Term<'m> {
    let terms = Terms { model, measure, process: Some(rule.process) };
    let mut ways = Vec::new();
    if let Guard::When(condition) = &rule.guard {
        ways.push(terms.term(condition, false));
    }
    match rule.actions.first() {
        Some(Action::Send(send)) => ways.push(terms.weighted(Term::Unwanted(send))),
        // A message that does not fit, or none: either takes one step at most.
        Some(Action::Receive(receive)) => ways.push(terms.weighted(Term::Unavailable(receive))),
        Some(Action::Exit) => ways.push(Term::True),
        Some(Action::Block(_)) => ways.push(Term::True),
        _ => {}
    }
    Term::Any(ways)
}

impl Heuristic for Danger<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        let look = self.frames.look(self.model, vector);
        let of_process =
            |pid: usize| self.types[look.process_id(pid).index()].estimate(look, pid, self.conjunction);
        (0..look.process_count()).map(of_process).fold(0, |sum, next| (sum + next).min(FAR))
    }

    fn explain(&self) -> Vec<String> {
        let mut lines = vec![match self.is_labelled {
            true => {
                "all processes are at labels `danger…`, or where they may end, and blocked there".to_string()
            }
            false => "all processes are where they can block, and blocked there".to_string(),
        }];
        for (process, dangers) in self.model.processes.iter().zip(&self.types) {
            if !dangers.places.is_empty() {
                let names: Vec<&str> = dangers.places.iter().map(|place| place.name.as_str()).collect();
                lines.push(format!("{}: {}", process.name, names.join(", ")));
            }
        }
        lines
    }
}

/// A lower bound on the steps to the nearest error of any kind that is looked for.
///
/// Where nothing can move, each process stands where it can block, or is gone: it takes its own steps to get there, and one step is of
/// two processes at most. What is asserted is measured by its formula, the parts of conjunctions by the farthest. Steps that may
/// go wrong in other ways are measured by the distance to them.
pub(crate) struct LowerBound<'m> {
    model: &'m Model,
    goals: Vec<Goal<'m>>,
    /// Is it an error that nothing can move?
    ends: bool,
    /// By process type and control state: the steps to where it can block.
    to_block: Vec<Vec<u32>>,
    /// By process type and control state: the steps to where it can wait for ever while others move; if that is an error.
    to_wait: Vec<Vec<u32>>,
    /// How many processes move in one step.
    movers: u32,
    /// Something can go wrong at any time.
    is_blind: bool,
    frames: Frames,
}

impl<'m> LowerBound<'m> {
    pub fn new(model: &'m Model, checks: Checks) -> LowerBound<'m> {
        let is_goal = model.goal().is_some();
        let counted = CountedFaults::of(model, checks);
        let mut goals = goals(model, checks, Measure::LOWER_BOUND);
        let of_processes = || {
            let is_process =
                |transition: &&Transition| model.process(transition.process).kind == ProcessKind::Process;
            model.transitions.iter().filter(is_process)
        };
        if counted.includes(FaultKind::DivisionByZero) {
            let risky = of_processes().filter(|transition| rules::may_fail(model, transition));
            let step = |transition| FailingStep { transition, asserted: None, requirement: None };
            let steps: Vec<FailingStep<'_>> = risky.map(step).collect();
            goals.extend(Goal::steps(model, &steps, Measure::LOWER_BOUND));
        }
        let blocking = blocking(model);
        let types = || (0..model.processes.len() as u32).map(ProcId);
        let to_block = types()
            .map(|id| {
                let states = |state: StateId| blocking[id.index()][state.index()];
                distances(model, id, &Targets { states: &states, gone: true })
            })
            .collect();
        let waits = |id: ProcId, state: StateId| {
            model.waiting.iter().any(|waiting| waiting.process == id && waiting.state == state)
        };
        let to_wait = match checks.deadlocks && !model.waiting.is_empty() {
            true => types()
                .map(|id| distances(model, id, &Targets { states: &|state| waits(id, state), gone: false }))
                .collect(),
            false => Vec::new(),
        };
        let sends = of_processes().flat_map(|transition| &transition.actions);
        let talks = |action: &Action| matches!(action, Action::Send(_) | Action::Block(_));
        let may_meet = model
            .channels
            .iter()
            .chain(model.processes.iter().flat_map(|process| &process.channels))
            .any(panoptes_model::Channel::is_rendezvous);
        let movers = if may_meet && sends.into_iter().any(talks) { 2 } else { 1 };
        let has_value = |process: &panoptes_model::Process| {
            process.provided.as_ref().is_none_or(|provided| !rules::condition_may_fail(model, provided))
        };
        let is_blind = !is_goal
            && (!model.processes.iter().all(has_value)
                || model
                    .invariants
                    .iter()
                    .any(|invariant| rules::condition_may_fail(model, &invariant.condition)));
        LowerBound {
            model,
            goals,
            ends: !is_goal && (checks.deadlocks || checks.assertions && !model.requirements.is_empty()),
            to_block,
            to_wait,
            movers,
            is_blind,
            frames: Frames::default(),
        }
    }
}

impl LowerBound<'_> {
    /// Can something go wrong at any time?
    pub fn is_blind(&self) -> bool {
        self.is_blind
    }
}

impl Heuristic for LowerBound<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        if self.is_blind {
            return 0;
        }
        let look = self.frames.look(self.model, vector);
        let at =
            |table: &[Vec<u32>], pid: usize| table[look.process_id(pid).index()][look.state(pid).index()];
        let mut nearest = FAR;
        if self.ends {
            let own = |sum: u32, pid: usize| (sum + at(&self.to_block, pid)).min(FAR);
            nearest = (0..look.process_count()).fold(0, own).div_ceil(self.movers);
        }
        if !self.to_wait.is_empty() {
            let waiting = (0..look.process_count()).map(|pid| at(&self.to_wait, pid)).min();
            nearest = nearest.min(waiting.unwrap_or(FAR));
        }
        for goal in &self.goals {
            if nearest == 0 {
                break;
            }
            nearest = nearest.min(goal.estimate(look, Conjunction::Max));
        }
        nearest
    }

    fn is_consistent(&self) -> bool {
        true
    }

    fn explain(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.is_blind {
            return vec!["nothing: a condition that is looked at in every state may fail".to_string()];
        }
        if self.ends {
            let share = if self.movers == 2 { ", two in a step" } else { "" };
            lines.push(format!("all processes go to where they can block{share}"));
        }
        if !self.to_wait.is_empty() {
            lines.push("a process goes to where it may get what it does not take".to_string());
        }
        lines.extend(self.goals.iter().map(|goal| goal.text().to_string()));
        lines
    }
}
