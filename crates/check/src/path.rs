//! Going along a path of steps on an executor, where only the states matter.

use panoptes_exec::{Ending, Executor, Step, Successors};

/// The successors of a configuration. A process that has control but cannot go on lets go first.
pub(crate) fn settle(executor: &mut dyn Executor, state: &[u8], control: Option<u8>, out: &mut Successors) {
    executor.successors(state, control, out);
    if out.ending == Ending::LetGo {
        executor.successors(state, None, out);
    }
}

/// Where a step leads that does not end a path; none if it cannot be taken there.
pub(crate) fn take(
    executor: &mut dyn Executor,
    state: &[u8],
    control: Option<u8>,
    step: Step,
) -> Option<(Vec<u8>, Option<u8>)> {
    let mut out = Successors::default();
    settle(executor, state, control, &mut out);
    // The same step may also be listed as one that failed without timeouts.
    let item = out.items.iter().find(|item| item.has_state() && item.step() == step)?;
    Some((out.state(item).to_vec(), item.control()))
}
