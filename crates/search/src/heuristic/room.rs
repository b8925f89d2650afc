//! Is there room for all processes that can ever be started? Then no `run` fails.
//!
//! A step that lies on no circle of its automaton is taken once by each process of its type. So where no process starts its own kind, and none
//! starts others in a circle, it is known how many there are at most. Processes that are gone by then are counted as well.

use super::rules;
use panoptes_model::{Action, Expr, Guard, Model, ProcId, Process, ProcessKind, StateId, Transition};

/// What there is room for in a state, or less.
const PROCESSES_MAX: u64 = 255;
const CHANNELS_MAX: u64 = 255;
const BYTES_MAX: u64 = 1 << 19;
/// More than there is room for.
const TOO_MANY: u64 = 1 << 20;

/// How often each process of one type starts one of another.
struct Start {
    by: ProcId,
    started: ProcId,
    times: u64,
}

/// Can all processes that are ever started live at once?
pub(super) fn is_for_all(model: &Model) -> bool {
    let Some(starts) = starts(model) else { return false };
    let mut counts: Vec<u64> = vec![0; model.processes.len()];
    // Where nothing starts its own kind, after so many rounds nothing changes any more.
    for _ in 0..=model.processes.len() {
        let next = next_counts(model, &starts, &counts);
        if next == counts {
            return fits(model, &counts);
        }
        counts = next;
    }
    false
}

fn next_counts(model: &Model, starts: &[Start], counts: &[u64]) -> Vec<u64> {
    let mut next: Vec<u64> = vec![0; counts.len()];
    for initial in &model.initial {
        next[initial.process.index()] += 1;
    }
    for start in starts {
        let more = counts[start.by.index()].saturating_mul(start.times);
        let count = &mut next[start.started.index()];
        *count = count.saturating_add(more).min(TOO_MANY);
    }
    next
}

fn fits(model: &Model, counts: &[u64]) -> bool {
    // There are 65,536 types at most, so this is far from what a number can hold.
    let sum = |part: &dyn Fn(&Process) -> u64| -> u64 {
        model.processes.iter().zip(counts).map(|(process, count)| part(process) * count).sum()
    };
    sum(&|_| 1) <= PROCESSES_MAX
        && model.channels.len() as u64 + sum(&|process| process.channels.len() as u64) <= CHANNELS_MAX
        && u64::from(model.header.frames) + sum(&|process| u64::from(process.frame.bytes)) <= BYTES_MAX
}

/// All that start processes, or none if some do so where this is not looked at.
fn starts(model: &Model) -> Option<Vec<Start>> {
    let mut starts = Vec::new();
    for transition in &model.transitions {
        if model.process(transition.process).kind != ProcessKind::Process {
            continue;
        }
        let started = started(transition);
        if started.is_empty() {
            continue;
        }
        let times = if is_on_circle(model, transition) { TOO_MANY } else { 1 };
        starts.extend(started.into_iter().map(|started| Start { by: transition.process, started, times }));
    }
    (!rules::starts_elsewhere(model)).then_some(starts)
}

/// The types of the processes that a step may start, each as often as it is named.
fn started(transition: &Transition) -> Vec<ProcId> {
    let mut found = Vec::new();
    let mut visit = |e: &Expr| {
        if let Expr::Spawn(spawn) = e {
            found.push(spawn.process);
        }
    };
    if let Guard::When(condition) = &transition.guard {
        condition.walk(&mut visit);
    }
    transition.actions.iter().for_each(|action| action.walk(&mut visit));
    found.extend(transition.actions.iter().filter_map(|action| match action {
        Action::Spawn(spawn) => Some(spawn.process),
        _ => None,
    }));
    found
}

/// Does a way lead from the end of a step to where it begins?
fn is_on_circle(model: &Model, transition: &Transition) -> bool {
    let states = &model.process(transition.process).states;
    let mut is_seen = vec![false; states.len()];
    let mut waiting: Vec<StateId> = transition.to.into_iter().collect();
    while let Some(state) = waiting.pop() {
        if std::mem::replace(&mut is_seen[state.index()], true) {
            continue;
        }
        waiting.extend(states[state.index()].transitions.iter().filter_map(|id| model.transition(*id).to));
    }
    is_seen[transition.from.index()]
}
