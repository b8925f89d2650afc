//! What it means that nothing can move.
//!
//! It is a valid end if every process is where it may end, no channel holds a message for a process that does not take
//! it, and the monitor and all requirements are where they may end.

use crate::machine::Machine;
use panoptes_exec::{Ending, Fault, FaultKind, Successors};
use panoptes_model::{Channel, Display, ProcId};

impl Machine<'_> {
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
        let process = self.model.process(receiver);
        let name = &process.name;
        let message = self.head_text(found);
        let channel = &channel.name;
        let stands = (0..self.process_count()).find(|pid| self.process_id(*pid) == receiver);
        let (place, span) = match stands.map(|pid| &process.states[self.control_state(pid).index()]) {
            None => ("after its end".to_string(), process.span),
            Some(state) if state.transitions.is_empty() => ("at its end".to_string(), state.span),
            Some(state) => match state.labels.first() {
                Some(label) => (format!("in state `{label}`"), state.span),
                None => (format!("in state {}", state.number), state.span),
            },
        };
        let message = format!("{name} does not receive `{message}` from `{channel}` {place}");
        Fault { kind: FaultKind::UnspecifiedReception, message, span }
    }

    /// The oldest message by its name, if its first field has one.
    fn head_text(&self, found: (usize, &Channel)) -> String {
        let field = |index: usize| self.message_field(found, 0, index);
        let channel = found.1;
        if let Some(Display::Enum(id)) = channel.displays.first() {
            let set = &self.model.enumerations[id.index()];
            if let Some((_, name)) = set.values.iter().find(|(value, _)| *value == field(0)) {
                return name.clone();
            }
        }
        let fields: Vec<String> = (0..channel.fields.len()).map(|index| field(index).to_string()).collect();
        fields.join(",")
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
