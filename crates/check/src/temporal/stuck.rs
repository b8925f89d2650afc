//! Does a lasso show that a process is stuck? What can be told of it from the cycle itself is asked of each of its states; that the process
//! can never move, whatever else happens, of as many states behind it as there is patience for.

use super::word::{NotShown, Word, pids};
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_model::{Model, StateView};
use panoptes_search::{Finding, stuck_message};
use std::collections::{HashSet, VecDeque};
use std::time::Instant;

/// So many states behind the cycle are looked at.
const STATES_MAX: usize = 2_000;

pub(super) fn shows(
    model: &Model,
    executor: &mut dyn Executor,
    error: &Finding,
    word: &Word,
    until: Option<Instant>,
) -> Result<(), NotShown> {
    let Ok(view) = StateView::new(model, &word.end) else {
        return Err(NotShown::Because("the state cannot be read"));
    };
    let is_told = |name: &str, pid: u8| {
        error.fault.as_ref().is_some_and(|fault| fault.message == stuck_message(name, pid))
    };
    let Some(process) = view.processes().find(|process| is_told(&process.process.name, process.pid)) else {
        return Err(NotShown::Because("there is no such process"));
    };
    if process.state().is_none_or(|control| control.end) {
        return Err(NotShown::Because("the process may end there"));
    }
    let pid = process.pid;
    if error.cycle_start.is_none_or(|start| start == error.path.len()) {
        return Err(NotShown::Because("nobody goes on"));
    }
    if pids(word.movers.iter().copied()).contains(&pid) {
        return Err(NotShown::Because("the process moves in the cycle"));
    }
    if word.enabled.iter().any(|enabled| enabled.contains(&pid)) {
        return Err(NotShown::Because("the process can move in the cycle"));
    }
    match moves_later(executor, &word.end, pid, until)? {
        true => Err(NotShown::Because("the process can move later")),
        false => Ok(()),
    }
}

/// Can the process move in one of the next states?
fn moves_later(
    executor: &mut dyn Executor,
    from: &[u8],
    pid: u8,
    until: Option<Instant>,
) -> Result<bool, NotShown> {
    let start = (from.to_vec(), None);
    let mut known = HashSet::from([start.clone()]);
    let mut todo = VecDeque::from([start]);
    let mut out = Successors::default();
    while let Some((state, control)) = todo.pop_front() {
        if until.is_some_and(|until| Instant::now() >= until) {
            return Err(NotShown::Late);
        }
        executor.successors(&state, control, &mut out);
        if out.ending == Ending::LetGo {
            executor.successors(&state, None, &mut out);
        }
        for item in out.items.iter().filter(|item| item.has_state()) {
            if pids(std::iter::once(item.step())).contains(&pid) {
                return Ok(true);
            }
            let next = (out.state(item).to_vec(), item.control());
            if known.len() < STATES_MAX && known.insert(next.clone()) {
                todo.push_back(next);
            }
        }
    }
    Ok(false)
}
