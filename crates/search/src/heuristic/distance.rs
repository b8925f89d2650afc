//! Local distance tables: how many of its own steps a process is away from places in its automaton.
//!
//! Guards are not looked at, so a distance is never more than the steps that the process needs. (The paper precomputes all pairs;
//! only the distances to the places that a heuristic asks for are kept here.)

use super::FAR;
use panoptes_model::{Model, ProcId, StateId};
use std::collections::VecDeque;

/// Where the ways of a process end that are measured.
pub(crate) struct Targets<'t> {
    /// For each control state: is it one?
    pub states: &'t dyn Fn(StateId) -> bool,
    /// The process may also be gone.
    pub gone: bool,
}

/// For each control state of a process type the least number of steps to a target, [`FAR`] where there is no way.
pub(crate) fn distances(model: &Model, id: ProcId, targets: &Targets<'_>) -> Vec<u32> {
    Ways::new(model, id).distances(targets)
}

/// The automaton of a process type, read backwards.
pub(crate) struct Ways<'m> {
    model: &'m Model,
    id: ProcId,
    /// For each control state those that lead to it.
    before: Vec<Vec<usize>>,
}

impl<'m> Ways<'m> {
    pub fn new(model: &'m Model, id: ProcId) -> Ways<'m> {
        let process = model.process(id);
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); process.states.len()];
        for (index, state) in process.states.iter().enumerate() {
            for transition in &state.transitions {
                if let Some(to) = model.transition(*transition).to {
                    before[to.index()].push(index);
                }
            }
        }
        Ways { model, id, before }
    }

    /// For each control state the least number of steps to a target, [`FAR`] where there is no way.
    pub fn distances(&self, targets: &Targets<'_>) -> Vec<u32> {
        self.nearest(targets).into_iter().map(|(distance, _)| distance).collect()
    }

    /// The same, and which target that is; if the process is gone by then, the state in which it goes.
    pub fn nearest(&self, targets: &Targets<'_>) -> Vec<(u32, StateId)> {
        let states = &self.model.process(self.id).states;
        let mut nearest = vec![(FAR, StateId(0)); states.len()];
        let mut queue = VecDeque::new();
        for (index, near) in nearest.iter_mut().enumerate() {
            let state = StateId(index as u32);
            if (targets.states)(state) {
                *near = (0, state);
                queue.push_back(index);
            }
        }
        if targets.gone {
            // One step before it is gone; those already nearer stay in front.
            for (index, state) in states.iter().enumerate() {
                let exits = state.transitions.iter().any(|id| self.model.transition(*id).to.is_none());
                if exits && nearest[index].0 > 1 {
                    nearest[index] = (1, StateId(index as u32));
                    queue.push_back(index);
                }
            }
        }
        while let Some(state) = queue.pop_front() {
            let (distance, target) = nearest[state];
            for from in &self.before[state] {
                if nearest[*from].0 > distance + 1 {
                    nearest[*from] = (distance + 1, target);
                    queue.push_back(*from);
                }
            }
        }
        nearest
    }
}
