//! What it means that nothing can move, or that a process never will again.
//!
//! It is a valid end if every process is where it may end, no channel holds a message for a process that does not take
//! it, and the monitor and all requirements are where they may end.

use crate::working_state::WorkingState;
use panoptes_exec::{Ending, Fault, FaultKind, Successors, head_text, unspecified_reception};
use panoptes_model::{Channel, ProcId};

impl WorkingState<'_> {
    /// Says what the loaded vector is, in which nothing can move.
    pub fn judge_end(&self, out: &mut Successors) {
        out.end_faults.extend(self.left_messages());
        let may_end = self.processes_may_end() && self.monitor_may_end();
        if may_end && out.end_faults.is_empty() {
            out.end_faults.extend(self.unfulfilled());
        }
        let is_valid = may_end && out.end_faults.is_empty();
        out.ending = if is_valid { Ending::Valid } else { Ending::Deadlock };
    }

    fn processes_may_end(&self) -> bool {
        (0..self.process_count()).all(|pid| self.process(pid).states[self.control_state(pid).index()].end)
    }

    fn monitor_may_end(&self) -> bool {
        match (&self.model.monitor, self.model.header.monitor) {
            (Some(monitor), Some(at)) if self.process_count() > 0 => {
                let at = at as usize;
                let state = u16::from_le_bytes([self.state[at], self.state[at + 1]]);
                self.model.process(monitor.process).states[usize::from(state)].end
            }
            _ => true,
        }
    }

    /// The oldest messages of channels whose receivers leave them there.
    fn left_messages(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for channel in &self.model.channels {
            let found = (channel.offset as usize, channel);
            if let Some(receiver) = channel.receiver.filter(|_| self.channel_len(found) > 0) {
                faults.push(self.left_message(receiver, found));
            }
        }
        faults
    }

    fn left_message(&self, receiver: ProcId, found @ (_, channel): (usize, &Channel)) -> Fault {
        let fields = (0..channel.fields.len()).map(|index| self.message_field(found, 0, index));
        let message = head_text(self.model, channel, &fields.collect::<Vec<_>>());
        let stands = (0..self.process_count()).find(|pid| self.process_id(*pid) == receiver);
        let stands = stands.map(|pid| self.control_state(pid));
        unspecified_reception(self.model, receiver, stands, channel, &message)
    }

    /// Lists the processes that wait in vain in the loaded vector, in which something else can move.
    pub fn find_stuck(&self, out: &mut Successors) {
        let Some(receptions) = &self.receptions else { return };
        receptions.look(&self.state, &mut out.stuck, |pid, condition| {
            // One that goes wrong is a step, too.
            let guard = &self.model.transition(condition).guard;
            self.guard_holds(usize::from(pid), guard).unwrap_or(true)
        });
    }

    /// The requirements that are not where they may end.
    fn unfulfilled(&self) -> Vec<Fault> {
        let open = self.model.requirements.iter().filter(|requirement| {
            // The condition looks at global places alone.
            !self.holds(0, &requirement.fulfilled).unwrap_or(false)
        });
        open.map(|requirement| Fault {
            kind: FaultKind::Unfulfilled,
            message: format!("the system has ended, and `{}` has not", requirement.name),
            span: requirement.span,
        })
        .collect()
    }
}
