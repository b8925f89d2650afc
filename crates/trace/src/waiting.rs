//! The end of a trace where nothing can move: why each process waits, and where an `end` label may be missing.

use crate::{Snapshot, Standing, Wait, wait_for};
use panoptes_exec::{Blocked, BlockedBy, Waiting};
use panoptes_model::{Model, ProcId, ProcessKind, StateId, StateView};

/// Adds to the processes of a snapshot why they wait and for whom, and a hint if one is in place.
pub(crate) fn explain(
    model: &Model,
    view: &StateView<'_>,
    waiting: &[Waiting],
    end_labels: bool,
    snapshot: &mut Snapshot,
) {
    for (process, waits) in snapshot.processes.iter_mut().zip(waiting) {
        process.held = waits.held.clone();
        let wait = |step: &Blocked| Wait {
            statement: model.transition(step.transition).text.clone(),
            reason: step.why.clone(),
        };
        process.waits = waits.steps.iter().map(wait).collect();
        // A receive of any message is a rule for each.
        process.waits.dedup();
    }
    wait_for::add(model, view, waiting, snapshot);
    // Processes that wait for each other are not idle: with a label there, the error would be hidden.
    if end_labels && snapshot.circle().is_none() {
        snapshot.hint = hint(model, waiting, &snapshot.processes);
    }
}

/// A process that waits for requests in a loop may be right to wait for ever, if all others are where they may end.
fn hint(model: &Model, waiting: &[Waiting], processes: &[Standing]) -> Option<String> {
    let mut servers = Vec::new();
    for (process, waits) in processes.iter().zip(waiting).filter(|(process, _)| !process.may_end) {
        let is_all = |kind: BlockedBy| waits.steps.iter().all(|step| step.kind == kind);
        if waits.held.is_some() || waits.steps.is_empty() {
            return None;
        }
        if is_all(BlockedBy::NoMessage) && is_in_loop(model, process) {
            servers.push(format!("{}[{}]", process.process, process.pid));
        } else if !is_all(BlockedBy::Younger) {
            return None;
        }
    }
    const NAMED_MAX: usize = 3;
    let more = servers.len().saturating_sub(NAMED_MAX);
    let mut names = servers[..servers.len() - more].join(", ");
    if more > 0 {
        names += &format!(" and {more} more");
    }
    let (wait, it, its) = if servers.len() == 1 { ("waits", "it", "its") } else { ("wait", "they", "their") };
    (!servers.is_empty()).then(|| {
        format!(
            "{names} {wait} for messages in a loop: if {it} may do so for ever, put a label that begins with `end` \
             before the statement where {it} {wait}, as in `end: do`, and {its} waiting is no deadlock"
        )
    })
}

/// Can the process come back to where it stands?
fn is_in_loop(model: &Model, process: &Standing) -> bool {
    let is_type = |id: &ProcId| {
        let candidate = model.process(*id);
        candidate.kind == ProcessKind::Process && candidate.name == process.process
    };
    let Some(id) = (0..model.processes.len() as u32).map(ProcId).find(is_type) else { return false };
    let machine = model.process(id);
    let goal = StateId(process.state);
    let mut seen = vec![false; machine.states.len()];
    let mut todo = vec![goal];
    while let Some(state) = todo.pop() {
        let Some(control) = machine.states.get(state.index()) else { return false };
        for next in control.transitions.iter().filter_map(|transition| model.transition(*transition).to) {
            if next == goal {
                return true;
            }
            if !std::mem::replace(&mut seen[next.index()], true) {
                todo.push(next);
            }
        }
    }
    false
}
