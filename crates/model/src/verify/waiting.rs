//! The rule `waiting`: what is said about processes that wait is so, and they are where executors look for them.

use super::Report;
use super::automata::communicates;
use crate::{Action, Expr, Model, TransId, Waiting};

pub(super) fn check(model: &Model, report: &mut Report) {
    let mut require = |holds: bool, what: &str| report.require(holds, "waiting", || what.to_string());
    for id in &model.timeouts {
        require(is_silent(model, *id), "a timeout sends or receives");
    }
    if model.waiting.is_empty() {
        return;
    }
    require(is_settled(model), "processes come and go");
    for Waiting { process, state, queues, conditions } in &model.waiting {
        let count = model.initial.iter().filter(|initial| initial.process == *process).count();
        require(count == 1, "a waiting process is not there once");
        require(state.index() < model.process(*process).states.len(), "there is no such state to wait in");
        require(!queues.is_empty(), "a process waits for nothing");
        for queue in queues {
            let receiver = model.channels.get(usize::from(queue.channel)).map(|channel| channel.receiver);
            require(receiver == Some(Some(*process)), "a process waits for what it does not receive");
        }
        for id in conditions {
            let transition = model.transition(*id);
            let is_own = transition.process == *process && transition.from == *state;
            require(is_own && is_silent(model, *id), "a condition is not one of that state");
        }
    }
}

fn is_silent(model: &Model, id: TransId) -> bool {
    !model.transition(id).actions.iter().any(communicates)
}

/// Are the processes of the initial state there for ever, and no others?
fn is_settled(model: &Model) -> bool {
    let mut spawns = false;
    model.walk_rules(&mut |part| spawns |= matches!(part, Expr::Spawn(_)));
    let moves = |action: &Action| matches!(action, Action::Spawn(_) | Action::Exit);
    !spawns && !model.transitions.iter().flat_map(|transition| &transition.actions).any(moves)
}
