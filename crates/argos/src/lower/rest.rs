//! Where a machine is at rest: at its end or, if it can come back there, where it began.
//!
//! A server that has done its work and waits for more has not failed. "Where it began" is any state that is strongly
//! equivalent to the initial one, so that it does not matter how often the text says the same. A machine that cannot come
//! back has not begun while it stands at its initial state: it is waiting for its first message, which is no rest.

use panoptes_model::{Model, ProcId, StateId, minimise};

/// For each control state of a process whose `end` marks say only where its text ends: is it at rest there?
pub(super) fn rest_states(model: &Model, id: ProcId) -> Vec<bool> {
    let process = model.process(id);
    let class_of = minimise(model, id).class_of;
    let beginning = class_of[process.initial.index()];
    let begins = |state: StateId| class_of[state.index()] == beginning;
    let reached =
        (0..).map(StateId).zip(&process.states).filter(|(state, _)| class_of[state.index()].is_some());
    let mut targets =
        reached.flat_map(|(_, control)| &control.transitions).map(|id| model.transition(*id).to);
    let returns = targets.any(|to| to.is_some_and(begins));
    (0..)
        .map(StateId)
        .zip(&process.states)
        .map(|(state, control)| control.end || returns && begins(state))
        .collect()
}
