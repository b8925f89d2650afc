//! Rules about states and transitions: `state-number`, `transition-listed`, `exit-last`, `escape-order`,
//! `otherwise-blocks`, `predicate-first`, `observe` where nothing is done, `initial-processes`, `monitor`,
//! `requirement` where its kind counts, `receiver`, `claim-kind`.

use super::Report;
use crate::{Action, ControlState, Guard, Model, ProcId, Process, ProcessKind, StateId, TransId, Transition};
use std::collections::HashSet;

pub(super) fn check(model: &Model, report: &mut Report) {
    let mut listed = vec![0; model.transitions.len()];
    for (id, process) in (0..).map(ProcId).zip(&model.processes) {
        let mut numbers = HashSet::new();
        for (state_id, state) in (0..).map(StateId).zip(&process.states) {
            let message = || format!("two states of {} have number {}", process.name, state.number);
            report.require(numbers.insert(state.number), "state-number", message);
            for transition in &state.transitions {
                listed[transition.index()] += 1;
                let found = model.transition(*transition);
                let at_home = found.process == id && found.from == state_id;
                let message = || {
                    format!("{} lists transition {} of elsewhere", state_name(process, state), transition.0)
                };
                report.require(at_home, "transition-listed", message);
            }
            escapes(model, process, state, report);
        }
    }
    for (index, transition) in model.transitions.iter().enumerate() {
        let count = listed[index];
        report.require(count == 1, "transition-listed", || {
            format!("transition {index} is listed {count} times")
        });
        check_transition(TransId(index as u32), transition, report);
        let is_monitor = model.process(transition.process).kind == ProcessKind::Monitor;
        let follows_nothing = is_monitor && transition.actions.is_empty();
        report.require(!follows_nothing, "observe", || format!("transition {index} follows nothing"));
    }
    kinds(model, report);
}

fn state_name(process: &Process, state: &ControlState) -> String {
    format!("state {} of {}", state.number, process.name)
}

fn escapes(model: &Model, process: &Process, state: &ControlState, report: &mut Report) {
    let mut groups: Vec<u16> = state.transitions.iter().map(|id| model.transition(*id).escape).collect();
    groups.dedup();
    let ordinary_before_the_end = groups.iter().rev().skip(1).any(|group| *group == 0);
    let distinct: HashSet<u16> = groups.iter().copied().collect();
    let ordered = !ordinary_before_the_end && distinct.len() == groups.len();
    report.require(ordered, "escape-order", || {
        format!("{} has escapes {groups:?}", state_name(process, state))
    });
}

fn check_transition(id: TransId, transition: &Transition, report: &mut Report) {
    let actions = &transition.actions;
    let name = format!("transition {}", id.0);
    let ends = matches!(actions.last(), Some(Action::Exit));
    report.require(ends == transition.to.is_none(), "exit-last", || {
        if ends { format!("{name} exits and leads somewhere") } else { format!("{name} leads nowhere") }
    });
    let before_last = &actions[..actions.len().saturating_sub(1)];
    let early = before_last.iter().any(|action| matches!(action, Action::Exit));
    report.require(!early, "exit-last", || format!("{name} goes on after its exit"));
    let otherwise = matches!(transition.guard, Guard::Otherwise);
    report.require(!(otherwise && actions.iter().any(communicates)), "otherwise-blocks", || name.clone());
    let has_predicate =
        |action: &Action| communicates(action) || matches!(action, Action::Block(_) | Action::Exit);
    report.require(!actions.iter().skip(1).any(has_predicate), "predicate-first", || name.clone());
}

pub(super) fn communicates(action: &Action) -> bool {
    matches!(action, Action::Send(_) | Action::Receive(_))
}

fn kinds(model: &Model, report: &mut Report) {
    for initial in &model.initial {
        let process = model.process(initial.process);
        report.require(process.kind == ProcessKind::Process, "initial-processes", || process.name.clone());
    }
    for claim in &model.claims {
        let process = model.process(*claim);
        report.require(process.kind == ProcessKind::Claim, "claim-kind", || process.name.clone());
    }
    for requirement in &model.requirements {
        let is_monitor = model.process(requirement.process).kind == ProcessKind::Monitor;
        report.require(is_monitor, "requirement", || format!("{} is of another kind", requirement.name));
    }
    for channel in &model.channels {
        let is_process = |id| model.process(id).kind == ProcessKind::Process;
        let sound = channel.receiver.is_none_or(|id| is_process(id) && !channel.is_rendezvous());
        report.require(sound, "receiver", || channel.name.clone());
    }
    for channel in model.processes.iter().flat_map(|process| &process.channels) {
        report.require(channel.receiver.is_none(), "receiver", || channel.name.clone());
    }
    let has_bytes = model.header.monitor.is_some();
    report.require(has_bytes == model.monitor.is_some(), "monitor", || {
        format!("the vector has {} bytes for a monitor", if has_bytes { 2 } else { 0 })
    });
    let Some(monitor) = &model.monitor else { return };
    let process = model.process(monitor.process);
    let name = &process.name;
    report.require(process.kind == ProcessKind::Monitor, "monitor", || format!("{name} is of another kind"));
    let stateless = process.variables.is_empty() && process.channels.is_empty();
    report.require(stateless, "monitor", || format!("{name} has variables or channels"));
    for number in monitor.sends.iter().chain(&monitor.receives) {
        let known = (1..=model.channels.len()).contains(&usize::from(*number));
        report.require(known, "monitor", || format!("{name} follows channel {number}"));
    }
}
