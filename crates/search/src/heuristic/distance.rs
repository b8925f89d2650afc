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
    let process = model.process(id);
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); process.states.len()];
    let mut distances = vec![FAR; process.states.len()];
    let mut queue = VecDeque::new();
    for (index, state) in process.states.iter().enumerate() {
        if (targets.states)(StateId(index as u32)) {
            distances[index] = 0;
            queue.push_back(index);
        }
        for transition in &state.transitions {
            if let Some(to) = model.transition(*transition).to {
                before[to.index()].push(index);
            }
        }
    }
    if targets.gone {
        // One step before it is gone; those already nearer stay in front.
        for (index, state) in process.states.iter().enumerate() {
            let exits = state.transitions.iter().any(|id| model.transition(*id).to.is_none());
            if exits && distances[index] > 1 {
                distances[index] = 1;
                queue.push_back(index);
            }
        }
    }
    while let Some(state) = queue.pop_front() {
        for from in &before[state] {
            if distances[*from] > distances[state] + 1 {
                distances[*from] = distances[state] + 1;
                queue.push_back(*from);
            }
        }
    }
    distances
}
