//! A pattern database: the model is projected onto some of its processes and variables, the projection is searched completely, and the distance of
//! each of its states to where something may be wrong is kept in a table (Culberson and Schaeffer, *Pattern databases*, 1998; for model
//! checking Edelkamp and Lluch Lafuente, 2004).
//!
//! Every step of the model is a step of the projection, or none, so a distance there is never more than the true one. The
//! richest pattern is taken whose projection is small enough: all processes without variables at first, then with those of the property, those
//! that guards read, and all that can be kept; or else fewer processes. States that are not expanded count as wrong.

mod projection;
mod steps;

use self::projection::{Bytes, Kept, Projection};
use self::steps::{Steps, each_possible, is_certain};
use super::danger::LowerBound;
use super::formula::{asserted, invariants};
use super::look::{Frames, Look};
use super::{Heuristic, rules};
use crate::Checks;
use crate::options::CountedFaults;
use panoptes_exec::FaultKind;
use panoptes_model::{Action, Channel, Expr, Guard, Model, ProcId, ProcessKind, StateId, Transition};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

/// A projection may have so many states; that takes a fraction of a second.
const STATES_MAX: usize = 20_000;
/// This many in a small table, which is made in a few milliseconds.
const SMALL_STATES_MAX: usize = 1_000;
/// For each of them so many steps, …
const STEPS_MAX: usize = 10;
/// … and so many bytes: those of vectors that wait, and of what is kept.
const BYTES_MAX: usize = 1024;

pub(crate) struct Projected<'m> {
    model: &'m Model,
    /// What is known without a table.
    bound: LowerBound<'m>,
    projection: Option<Projection<'m>>,
    table: Arc<Stored>,
    frames: Frames,
    key: Vec<u8>,
}

/// The table of a model and a property, which several searches may use.
#[derive(Clone, Debug)]
pub struct PatternTable {
    stored: Arc<OnceLock<Arc<Stored>>>,
    states_max: usize,
}

impl PatternTable {
    /// One that takes little time.
    pub fn small() -> PatternTable {
        PatternTable { stored: Arc::default(), states_max: SMALL_STATES_MAX }
    }
}

impl Default for PatternTable {
    fn default() -> PatternTable {
        PatternTable { stored: Arc::default(), states_max: STATES_MAX }
    }
}

type Stored = Result<Distances, &'static str>;

#[derive(Debug)]
struct Distances {
    kept: Kept,
    distances: HashMap<Box<[u8]>, u32>,
    is_complete: bool,
}

impl<'m> Projected<'m> {
    /// `table` is made at first, and only looked up later.
    pub fn new(model: &'m Model, checks: Checks, table: &PatternTable) -> Projected<'m> {
        let bound = LowerBound::new(model, checks);
        let make = || match (bound.is_blind(), Errors::new(model, checks, table.states_max)) {
            (true, _) => Err("a condition that is looked at in every state may fail"),
            (false, errors) => errors.and_then(|errors| errors.table()),
        };
        let table = Arc::clone(table.stored.get_or_init(|| Arc::new(make())));
        let projection = table.as_ref().as_ref().ok().map(|table| table.kept.of(model));
        Projected { model, bound, projection, table, frames: Frames::default(), key: Vec::new() }
    }
}

impl Heuristic for Projected<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        let bound = self.bound.estimate(vector);
        let (Ok(table), Some(projection)) = (&*self.table, &self.projection) else { return bound };
        let look = self.frames.look(self.model, vector);
        projection.key(look, vector, &mut self.key);
        let distance = table.distances.get(&self.key[..]);
        debug_assert!(!table.is_complete || distance.is_some(), "a state without an abstract one");
        bound.max(distance.copied().unwrap_or(0))
    }

    fn is_consistent(&self) -> bool {
        true
    }

    fn explain(&self) -> Vec<String> {
        let mut lines = match (&*self.table, &self.projection) {
            (Ok(table), Some(projection)) => table.explain(projection),
            (Err(why), _) => vec![format!("no table: {why}")],
            (Ok(_), None) => Vec::new(),
        };
        lines.push("or, if that is more:".to_string());
        lines.extend(self.bound.explain());
        lines
    }
}

impl Distances {
    fn explain(&self, projection: &Projection<'_>) -> Vec<String> {
        let Projection { model, .. } = projection;
        let kept = (0..model.initial.len()).filter(|pid| projection.keeps(*pid));
        let mut names: Vec<&str> =
            kept.map(|pid| model.process(model.initial[pid].process).name.as_str()).collect();
        names.dedup();
        let processes = match projection.keeps_all() {
            true => "all processes".to_string(),
            false => format!("the processes {}", names.join(", ")),
        };
        let variables = projection.variables();
        let variables = match variables.is_empty() {
            true => "no variables".to_string(),
            false => format!("the variables {}", variables.join(", ")),
        };
        let known = self.distances.values().filter(|distance| **distance < super::FAR);
        let farthest = known.clone().max().copied().unwrap_or(0);
        let cut = if self.is_complete { "" } else { ", cut short" };
        let mut lines = vec![
            format!("a projection onto {processes} and {variables}"),
            format!("{} abstract states{cut}, up to {farthest} steps from an error", self.distances.len()),
        ];
        let lost = self.distances.len() - known.count();
        if lost > 0 {
            lines.push(format!("from {lost} of them no error can be reached"));
        }
        lines
    }
}

/// What counts as wrong, in terms of a projection.
struct Errors<'m> {
    model: &'m Model,
    conditions: Vec<&'m Expr>,
    /// Steps that fail if what they assert does not hold (nothing: in some way that no condition tells).
    failing: Vec<(&'m Transition, Option<&'m Expr>)>,
    /// Steps that may go wrong in other ways, be it when their conditions are computed.
    risky: Vec<&'m Transition>,
    /// Is it an error that nothing can move?
    ends: bool,
    /// Where a process may get what it does not take.
    waiting: Vec<(ProcId, StateId)>,
    is_growing: bool,
    /// Of a projection.
    states_max: usize,
}

impl<'m> Errors<'m> {
    fn new(model: &'m Model, checks: Checks, states_max: usize) -> Result<Errors<'m>, &'static str> {
        let starts = (0..model.processes.len() as u32).any(|id| rules::is_started(model, ProcId(id)));
        let of_processes = || model.processes.iter().filter(|process| process.kind == ProcessKind::Process);
        let mut channels = model.channels.iter().chain(of_processes().flat_map(|process| &process.channels));
        if rules::blocks_talk(model) && channels.any(Channel::is_rendezvous) {
            return Err("a deterministic step may meet another process");
        }
        if !starts && !of_processes().all(|process| exits_in_one_place(model, process)) {
            return Err("a process may end in several places");
        }
        let (mut failing, mut risky) = (Vec::new(), Vec::new());
        asserted(model, checks, &mut |transition, condition, _| {
            // What the step does before it asserts is not known to the condition.
            let is_first = matches!(transition.actions.first(), Some(Action::Assert { .. }));
            failing.push((transition, condition.filter(|_| is_first)));
        });
        if CountedFaults::of(model, checks).includes(FaultKind::DivisionByZero) {
            let is_risky = |transition: &&Transition| {
                model.process(transition.process).kind == ProcessKind::Process
                    && rules::may_fail(model, transition)
            };
            risky.extend(model.transitions.iter().filter(is_risky));
        }
        let has_goal = model.goal().is_some();
        let waiting = model.waiting.iter().filter(|_| checks.deadlocks);
        Ok(Errors {
            model,
            conditions: invariants(model).map(|invariant| &invariant.condition).collect(),
            failing,
            risky,
            ends: !has_goal && (checks.deadlocks || checks.assertions && !model.requirements.is_empty()),
            waiting: waiting.map(|waiting| (waiting.process, waiting.state)).collect(),
            is_growing: starts,
            states_max,
        })
    }

    /// The table of the richest pattern that is small enough.
    fn table(&self) -> Stored {
        let count = self.model.initial.len();
        let order = self.by_nearness();
        let mut kept_count = count;
        loop {
            let mut processes = vec![false; count];
            order[..kept_count].iter().for_each(|pid| processes[*pid] = true);
            let (mut best, mut last): (Option<Distances>, Option<Distances>) = (None, None);
            for wanted in self.wanted() {
                let projection = Projection::new(self.model, processes.clone(), self.is_growing, &wanted);
                if best.as_ref().is_some_and(|best| best.kept == projection.what) {
                    continue;
                }
                let table = self.explore(projection).ok_or("an initial value is not known")?;
                if !table.is_complete {
                    last = Some(table);
                    break;
                }
                best = Some(table);
            }
            kept_count /= 2;
            if best.is_some() || self.is_growing || kept_count == 0 {
                return best.or(last).ok_or("there is no process");
            }
        }
    }

    /// The variables to keep, the fewest first: where these are too many already, nothing is lost.
    fn wanted(&self) -> Vec<Bytes> {
        let model = self.model;
        let mut near = Bytes::none(model);
        self.conditions.iter().for_each(|condition| near.add_reads(model, None, condition));
        for (transition, condition) in &self.failing {
            if let (Some(condition), owner) = (condition, Some(transition.process)) {
                near.add_reads(model, owner, condition);
            }
        }
        let mut guards = near.clone();
        for transition in &model.transitions {
            if let Guard::When(condition) = &transition.guard {
                guards.add_reads(model, Some(transition.process), condition);
            }
        }
        vec![Bytes::none(model), near, guards, Bytes::all(model)]
    }

    /// The initial processes, those first that the property speaks of.
    fn by_nearness(&self) -> Vec<usize> {
        let speaks_of = |id: ProcId| {
            let of_it = |e: &Expr| matches!(e, Expr::AtState { process, .. } | Expr::Remote { process, .. } if *process == id);
            self.failing.iter().any(|(transition, _)| transition.process == id)
                || self.risky.iter().any(|transition| transition.process == id)
                || self.waiting.iter().any(|(process, _)| *process == id)
                || self.conditions.iter().any(|condition| condition.any(&of_it))
        };
        let mut order: Vec<usize> = (0..self.model.initial.len()).collect();
        order.sort_by_key(|pid| !speaks_of(self.model.initial[*pid].process));
        order
    }

    /// Searches a projection, and measures from its errors backwards.
    fn explore(&self, projection: Projection<'m>) -> Option<Distances> {
        let mut steps = Steps::new(&projection);
        let mut frames = Frames::default();
        let (mut numbers, mut key) = (HashMap::<Box<[u8]>, u32>::new(), Vec::new());
        let mut vectors = vec![steps.initial()?];
        projection.key(frames.look(self.model, &vectors[0]), &vectors[0], &mut key);
        numbers.insert(key.as_slice().into(), 0);
        // For each state those that lead to it, as a list through `edges`.
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut distances = Vec::new();
        let mut next = 0;
        let mut is_known = true;
        let mut bytes = 0;
        while next < vectors.len()
            && vectors.len() < self.states_max
            && edges.len() < STEPS_MAX * self.states_max
        {
            let vector = std::mem::take(&mut vectors[next]);
            let mut is_full = false;
            distances.push(self.distance(&projection, frames.look(self.model, &vector)));
            let result = steps.successors(&vector, &mut |reached| {
                projection.key(frames.look(self.model, &reached), &reached, &mut key);
                let number = match numbers.get(key.as_slice()) {
                    Some(number) => *number,
                    None if bytes > BYTES_MAX * self.states_max => {
                        is_full = true;
                        return;
                    }
                    None => {
                        bytes += key.len() + reached.len();
                        let number = vectors.len() as u32;
                        numbers.insert(key.as_slice().into(), number);
                        vectors.push(reached);
                        number
                    }
                };
                edges.push((number, next as u32));
            });
            if result.is_err() || is_full {
                // What it leads to is not known.
                distances[next] = 0;
                is_known = false;
            }
            next += 1;
        }
        let is_complete = is_known && next == vectors.len();
        distances.resize(vectors.len(), 0);
        backwards(&mut distances, edges);
        let distances = numbers.into_iter().map(|(key, number)| (key, distances[number as usize])).collect();
        Some(Distances { kept: projection.what, distances, is_complete })
    }

    /// 0 where something may be wrong, 1 if a step may go wrong.
    fn distance(&self, projection: &Projection<'m>, look: Look<'_>) -> u32 {
        let may_fail =
            |condition: &&Expr| projection.value(look, 0, condition).is_none_or(|value| value == 0);
        if self.conditions.iter().any(may_fail)
            || self.may_wait(projection, look)
            || self.may_end(projection, look)
        {
            return 0;
        }
        let stands_there = |pid: usize, transition: &Transition| {
            look.process_id(pid) == transition.process
                && (!projection.keeps(pid) || look.state(pid) == transition.from)
        };
        let is_there =
            |transition: &&Transition| (0..look.process_count()).any(|pid| stands_there(pid, transition));
        if self.risky.iter().any(is_there) {
            return 1;
        }
        let mut distance = super::FAR;
        if !self.failing.is_empty() {
            each_possible(projection, look, &mut |pid, transition| {
                let fails = |(step, condition): &(&Transition, Option<&Expr>)| {
                    std::ptr::eq(*step, transition)
                        && condition
                            .is_none_or(|e| projection.value(look, pid, e).is_none_or(|value| value == 0))
                };
                if distance > 1 && self.failing.iter().any(fails) {
                    distance = 1;
                }
            });
        }
        distance
    }

    fn may_wait(&self, projection: &Projection<'m>, look: Look<'_>) -> bool {
        self.waiting.iter().any(|(process, state)| {
            (0..look.process_count()).any(|pid| {
                look.process_id(pid) == *process && (!projection.keeps(pid) || look.state(pid) == *state)
            })
        })
    }

    /// Is no kept process known to be able to move?
    fn may_end(&self, projection: &Projection<'m>, look: Look<'_>) -> bool {
        let can_move = |pid: usize| {
            let process = look.process(pid);
            let states = &process.states[look.state(pid).index()];
            projection.keeps(pid)
                && process.provided.is_none()
                && states
                    .transitions
                    .iter()
                    .any(|id| is_certain(projection, look, pid, self.model.transition(*id)))
        };
        self.ends && !(0..look.process_count()).any(can_move)
    }
}

/// Does a process of this type end only where it can do nothing else?
fn exits_in_one_place(model: &Model, process: &panoptes_model::Process) -> bool {
    process.states.iter().all(|state| {
        let exits = state.transitions.iter().filter(|id| model.transition(**id).to.is_none()).count();
        exits == 0 || exits == state.transitions.len()
    })
}

/// Makes the distances those to the nearest state that has a smaller one already. `edges` are pairs of a state and one before it.
fn backwards(distances: &mut [u32], mut edges: Vec<(u32, u32)>) {
    edges.sort_unstable();
    edges.dedup();
    let mut queue: VecDeque<u32> = VecDeque::new();
    for wanted in [0, 1] {
        queue.extend((0..distances.len() as u32).filter(|state| distances[*state as usize] == wanted));
    }
    while let Some(state) = queue.pop_front() {
        let behind = distances[state as usize] + 1;
        let first = edges.partition_point(|(to, _)| *to < state);
        for (_, from) in edges[first..].iter().take_while(|(to, _)| *to == state) {
            if distances[*from as usize] > behind {
                distances[*from as usize] = behind;
                queue.push_back(*from);
            }
        }
    }
}
