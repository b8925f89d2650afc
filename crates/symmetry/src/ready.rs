//! Where processes can still be started, and who can end.
//!
//! A state is *ready* when no process that lives can start another one any more. Only ready states are ordered: so the way in which the
//! processes came to be need not treat them alike, and no process number is ever used twice behind it.

use panoptes_model::{Action, Block, Expr, Model, ProcId, Process, Transition};

/// Of a process type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    /// By control state: no process is started from there on.
    pub is_ready: Vec<bool>,
    /// By control state: there is nothing left but to end.
    pub is_done: Vec<bool>,
    pub can_exit: bool,
}

impl Standing {
    pub fn of(model: &Model, process: &Process) -> Standing {
        let count = process.states.len();
        let rules = |state: usize| process.states[state].transitions.iter().map(|id| model.transition(*id));
        let mut starts: Vec<bool> =
            (0..count).map(|state| rules(state).any(|rule| spawns(model, rule))).collect();
        // Backwards along the rules until nothing changes.
        loop {
            let mut changed = false;
            for state in 0..count {
                if !starts[state] && rules(state).any(|rule| rule.to.is_some_and(|to| starts[to.index()])) {
                    starts[state] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut seen = vec![false; count];
        let mut todo = vec![process.initial.index()];
        let mut can_exit = false;
        while let Some(state) = todo.pop() {
            if std::mem::replace(&mut seen[state], true) {
                continue;
            }
            for rule in rules(state) {
                can_exit |= rule.to.is_none();
                todo.extend(rule.to.map(|to| to.index()));
            }
        }
        let is_done = (0..count)
            .map(|state| rules(state).next().is_some() && rules(state).all(|rule| rule.to.is_none()))
            .collect();
        Standing { is_ready: starts.iter().map(|starts| !starts).collect(), is_done, can_exit }
    }
}

/// For each process type: may two of it live at once? (Perhaps not, where this says yes.)
pub(crate) fn twins(model: &Model) -> Vec<bool> {
    let mut counts = vec![0usize; model.processes.len()];
    for initial in &model.initial {
        counts[initial.process.index()] += 1;
    }
    // Somebody who is started twice starts others twice.
    for _ in 0..=model.processes.len() {
        let mut next = vec![0usize; model.processes.len()];
        for initial in &model.initial {
            next[initial.process.index()] += 1;
        }
        // Few rules start somebody: only those are looked at closely.
        for rule in model.transitions.iter().filter(|rule| spawns(model, rule)) {
            let count = counts[rule.process.index()];
            if count > 0 {
                let times = if count > 1 || is_on_cycle(model, rule) { 2 } else { 1 };
                each_spawn(model, &rule.actions, &mut |process| next[process.index()] += times);
            }
        }
        if next == counts {
            break;
        }
        counts = next.into_iter().map(|count| count.min(2)).collect();
    }
    counts.into_iter().map(|count| count > 1).collect()
}

fn is_on_cycle(model: &Model, rule: &Transition) -> bool {
    let process = model.process(rule.process);
    let mut seen = vec![false; process.states.len()];
    let mut todo: Vec<usize> = rule.to.iter().map(|to| to.index()).collect();
    while let Some(state) = todo.pop() {
        if state == rule.from.index() {
            return true;
        }
        if !std::mem::replace(&mut seen[state], true) {
            let rules = process.states[state].transitions.iter();
            todo.extend(rules.filter_map(|id| Some(model.transition(*id).to?.index())));
        }
    }
    false
}

fn spawns(model: &Model, rule: &Transition) -> bool {
    let mut found = false;
    each_spawn(model, &rule.actions, &mut |_| found = true);
    found
}

fn each_spawn(model: &Model, actions: &[Action], visit: &mut dyn FnMut(ProcId)) {
    for action in actions {
        match action {
            Action::Spawn(spawn) => visit(spawn.process),
            Action::Block(id) => {
                let Block { nodes, .. } = model.block(*id);
                // It may go round.
                for step in nodes.iter().flat_map(|node| &node.steps) {
                    each_spawn(model, &step.actions, &mut |process| {
                        visit(process);
                        visit(process);
                    });
                }
            }
            _ => {}
        }
        action.walk(&mut |e| {
            if let Expr::Spawn(spawn) = e {
                visit(spawn.process);
            }
        });
    }
}
