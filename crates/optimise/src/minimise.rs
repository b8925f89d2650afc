//! Minimisation: control states of a process that are strongly equivalent become one.
//!
//! Whatever a process can do in one of two equivalent control states it can do in the other, with the same effect, and
//! comes to equivalent states again. So two states of the system that differ only in which of them a process stands in
//! have the same future, and one of them is enough. What is written twice is searched once, as the tracer did it with
//! its machines (Holzmann, *Automated Protocol Validation in Argos*, 1987).
//!
//! Each class has its first member stand for it: rules lead there, and what then leads nowhere new is never taken. A path
//! of the result need not be a path of the model; [`crate::Lift`] finds the one that it stands for.
//!
//! Left alone are models that ask for control points as numbers, processes that promise never to have two steps at once
//! (two equal steps are two), those with a `provided` clause (a fault in it is told of whatever statement comes first), and
//! whatever is no process: claims and monitors.

use crate::lift::{Lift, Merged};
use panoptes_model::{
    Equivalence, Expr, Guard, Model, ProcId, ProcessKind, StateId, TransId, asks_for_numbers, is_never_taken,
    states_asked_for,
};
use std::collections::{HashMap, HashSet};

/// Merges equivalent control states. What leads back to them.
pub(crate) fn minimise(model: &mut Model) -> Lift {
    if asks_for_numbers(model) {
        return Lift::default();
    }
    let asked_for = states_asked_for(model);
    let ids = (0..model.processes.len() as u32).map(ProcId);
    let processes: Vec<Option<Merged>> = ids.map(|id| merged(model, id, &asked_for)).collect();
    for (id, merged) in (0..).map(ProcId).zip(&processes) {
        if let Some(merged) = merged {
            redirect(model, id, merged);
        }
    }
    Lift { processes }
}

/// Which states of a process become one; none if all are different.
fn merged(model: &Model, id: ProcId, asked_for: &HashSet<(ProcId, u16)>) -> Option<Merged> {
    let process = model.process(id);
    if process.kind != ProcessKind::Process || process.deterministic || process.provided.is_some() {
        return None;
    }
    let reachable = reachable(model, id);
    let equivalence = Equivalence::of(model, id, asked_for, &reachable);
    let states = reachable.iter().filter(|yes| **yes).count();
    if equivalence.classes == states {
        return None;
    }
    let mut first = vec![None; equivalence.classes];
    let mut stands_for: Vec<StateId> = (0..process.states.len() as u32).map(StateId).collect();
    for (state, class) in (0..).map(StateId).zip(&equivalence.class_of) {
        if let Some(class) = class {
            stands_for[state.index()] = *first[*class as usize].get_or_insert(state);
        }
    }
    let mut numbers = HashMap::new();
    let mut effects = HashMap::new();
    for (rule, label) in equivalence.rules {
        let to = model.transition(rule).to.map(|to| stands_for[to.index()]);
        let next = numbers.len() as u32;
        effects.insert(rule, *numbers.entry((label, to)).or_insert(next));
    }
    Some(Merged { stands_for, effects, states_saved: states - equivalence.classes })
}

/// For each control state: can rules that may be taken lead there?
pub(crate) fn reachable(model: &Model, id: ProcId) -> Vec<bool> {
    let process = model.process(id);
    let mut reachable = vec![false; process.states.len()];
    let mut todo = vec![process.initial];
    while let Some(state) = todo.pop() {
        if std::mem::replace(&mut reachable[state.index()], true) {
            continue;
        }
        let rules = process.states[state.index()].transitions.iter().map(|id| model.transition(*id));
        todo.extend(rules.filter(|rule| !is_never_taken(rule)).filter_map(|rule| rule.to));
    }
    reachable
}

/// Lets rules lead to the states that stand for others. A rule that says again what another one of its state says, or
/// leaves a state that is left to others now, is never taken.
fn redirect(model: &mut Model, id: ProcId, merged: &Merged) {
    let process = &mut model.processes[id.index()];
    process.initial = merged.stands_for[process.initial.index()];
    for (state, control) in (0..).map(StateId).zip(&process.states) {
        let is_kept = merged.stands_for[state.index()] == state;
        let mut known: HashSet<u32> = HashSet::new();
        for TransId(number) in &control.transitions {
            let rule = &mut model.transitions[*number as usize];
            let Some(effect) = merged.effects.get(&TransId(*number)) else { continue };
            // An exit leads nowhere, and there is nothing else that says so.
            let Some(to) = &mut rule.to else { continue };
            *to = merged.stands_for[to.index()];
            if !is_kept || !known.insert(*effect) {
                rule.guard = Guard::When(Expr::Const(0));
                rule.actions.clear();
            }
        }
    }
}
