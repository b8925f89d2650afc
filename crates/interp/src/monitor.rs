//! The monitor of sends and receives: an automaton whose state is part of the vector.
//!
//! It follows an event on a channel in its scope with the first of its transitions that fits. If none fits, the plain
//! monitor reports an error; the negated one gives up watching this execution, and reports an error when it has
//! followed events all the way to its end.

use crate::working_state::WorkingState;
use panoptes_exec::{Fault, FaultKind};
use panoptes_model::{Action, StateId};

impl WorkingState<'_> {
    pub fn observe(&mut self, channel: u8, sent: bool, values: &[i32]) {
        let (Some(monitor), Some(at)) = (&self.model.monitor, self.model.header.monitor) else { return };
        let scope = if sent { &monitor.sends } else { &monitor.receives };
        if !scope.contains(&channel) {
            return;
        }
        let at = at as usize;
        let process = self.model.process(monitor.process);
        let current = StateId(u32::from(u16::from_le_bytes([self.state[at], self.state[at + 1]])));
        let is_final = |state: StateId| process.states[state.index()].transitions.is_empty();
        let fits = |action: &Action| match action {
            Action::Observe(observe) => {
                observe.sent == sent
                    && self.eval(0, &observe.channel).is_ok_and(|number| number == i32::from(channel))
                    && observe.patterns.len() <= values.len()
                    && self.fits(0, &observe.patterns, |field| values[field]).unwrap_or(false)
            }
            _ => false,
        };
        let mut fitting = process.states[current.index()]
            .transitions
            .iter()
            .map(|id| self.model.transition(*id))
            .filter(|transition| transition.actions.iter().all(fits) && !transition.actions.is_empty());
        let taken = fitting.next();
        if fitting.next().is_some() && self.noted.is_none() {
            let message = "two events of the trace assertion fit at once".to_string();
            self.noted = Some(Fault { kind: FaultKind::Nondeterminism, message, span: process.span });
        }
        let (next, error) = match taken {
            Some(transition) => {
                let next = transition.to.unwrap_or(current);
                let done = monitor.negated && is_final(next);
                (next, done.then_some("the forbidden sequence of events took place"))
            }
            None if monitor.negated => {
                let end = process.states.iter().position(|state| state.transitions.is_empty());
                (end.map_or(current, |index| StateId(index as u32)), None)
            }
            None => (current, Some("an event that the trace assertion does not allow")),
        };
        self.state[at..at + 2].copy_from_slice(&(next.0 as u16).to_le_bytes());
        if let Some(message) = error
            && self.noted.is_none()
        {
            self.noted =
                Some(Fault { kind: FaultKind::Monitor, message: message.to_string(), span: process.span });
        }
    }
}
