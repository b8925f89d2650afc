//! The control graphs: where a process goes on without letting others in, and where others decide about its way.

use panoptes_model::{Action, Guard, Model, TransId, Transition};

/// By number of the transition, or by process type and control state.
pub(super) struct Shape {
    /// After the transition the same move of the whole system may go on with the same process.
    pub continues: Vec<bool>,
    /// The move that starts with the transition may hand control to another process on its way.
    pub hands_over: Vec<bool>,
    /// Steps from here do not simply wait: see [`super::masks::add_effect`].
    pub touchy: Vec<Vec<bool>>,
}

impl Shape {
    pub fn new(model: &Model) -> Shape {
        let has_rendezvous = has_rendezvous(model);
        let is_send = |transition: &Transition| matches!(transition.actions.first(), Some(Action::Send(_)));
        // A sender may be sent to again by the receiver that goes on in its place.
        let receivers_go_on = model.transitions.iter().any(|transition| {
            let receives = |action: &Action| matches!(action, Action::Receive(_) | Action::Block(_));
            transition.keeps_control && transition.actions.first().is_some_and(receives)
        });
        let passes_control =
            |transition: &Transition| has_rendezvous && receivers_go_on && is_send(transition);
        let continues: Vec<bool> =
            model.transitions.iter().map(|t| t.keeps_control || passes_control(t)).collect();
        let touchy = touchy(model);
        let hands_over_at =
            reached_in_move(model, &continues, |id| has_rendezvous && is_send(model.transition(id)));
        let hands_over = model
            .transitions
            .iter()
            .zip(&continues)
            .map(|(transition, continues)| match transition.to {
                Some(to) if *continues => hands_over_at[transition.process.index()][to.index()],
                _ => false,
            })
            .collect();
        Shape { continues, hands_over, touchy }
    }
}

/// By transition: does the move that starts with it take one of the marked transitions? What a partner in its first step does is a
/// question of its own; further on, everybody who receives may be the partner.
pub(super) fn begins(model: &Model, shape: &Shape, marked: &[bool]) -> Vec<bool> {
    let has_rendezvous = has_rendezvous(model);
    let meets = |id: TransId| {
        let action = model.transition(id).actions.first();
        has_rendezvous && matches!(action, Some(Action::Send(_) | Action::Block(_)))
    };
    let receives = |transition: &Transition| {
        matches!(transition.actions.first(), Some(Action::Receive(_) | Action::Block(_)))
    };
    let mut is_met = false;
    loop {
        let at = reached_in_move(model, &shape.continues, |id| marked[id.index()] || (is_met && meets(id)));
        let begins = |(index, transition): (usize, &Transition)| {
            let beyond = transition.to.filter(|_| shape.continues[index]);
            marked[index] || beyond.is_some_and(|to| at[transition.process.index()][to.index()])
        };
        let found: Vec<bool> = model.transitions.iter().enumerate().map(begins).collect();
        let is_received =
            || model.transitions.iter().zip(&found).any(|(rule, found)| *found && receives(rule));
        if is_met || !has_rendezvous || !is_received() {
            return found;
        }
        is_met = true;
    }
}

/// For each control state: does the test hold for a transition that a move going on from there may take?
pub(super) fn reached_in_move(
    model: &Model,
    continues: &[bool],
    test: impl Fn(TransId) -> bool,
) -> Vec<Vec<bool>> {
    let mut found: Vec<Vec<bool>> =
        model.processes.iter().map(|process| vec![false; process.states.len()]).collect();
    for (process, found) in model.processes.iter().zip(&mut found) {
        let mut changes = true;
        while changes {
            changes = false;
            for (from, state) in process.states.iter().enumerate().rev() {
                let holds = state.transitions.iter().any(|id| {
                    let transition = model.transition(*id);
                    let beyond = transition.to.filter(|_| continues[id.index()]);
                    test(*id) || beyond.is_some_and(|to| found[to.index()])
                });
                changes |= holds && !found[from];
                found[from] |= holds;
            }
        }
    }
    found
}

fn touchy(model: &Model) -> Vec<Vec<bool>> {
    let mut touchy: Vec<Vec<bool>> = model
        .processes
        .iter()
        .map(|process| {
            let chooses = |state: &panoptes_model::ControlState| {
                let mut transitions = state.transitions.iter().map(|id| model.transition(*id));
                transitions.any(|t| matches!(t.guard, Guard::Otherwise) || t.escape != 0)
            };
            process.states.iter().map(|state| process.deterministic || chooses(state)).collect()
        })
        .collect();
    // An atomic sequence pauses where it cannot go on. (A sender that control comes back to can always receive there.)
    for transition in model.transitions.iter().filter(|transition| transition.keeps_control) {
        if let Some(to) = transition.to {
            touchy[transition.process.index()][to.index()] = true;
        }
    }
    touchy
}

fn has_rendezvous(model: &Model) -> bool {
    let own = model.processes.iter().flat_map(|process| &process.channels);
    model.channels.iter().chain(own).any(|channel| channel.is_rendezvous())
}
