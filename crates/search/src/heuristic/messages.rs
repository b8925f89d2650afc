//! Sends and receives until all wait for messages that nobody sends: the estimate of an older directed search for protocols that talk
//! through queues (Lin, Chu and Liu, 1987).
//!
//! Where every process waits for a message and all channels are empty, nothing can move. Each message under way is one receive away
//! from that, and each process has some sends and receives to do until it waits.

use super::look::Frames;
use super::{FAR, Heuristic};
use panoptes_model::{Action, Model, ProcId, Transition};
use std::collections::VecDeque;

pub(crate) struct Messages<'m> {
    model: &'m Model,
    /// By process type and control state: the sends and receives to where it can do nothing but receive, or to its end.
    to_wait: Vec<Vec<u32>>,
    frames: Frames,
}

impl<'m> Messages<'m> {
    pub fn new(model: &'m Model) -> Messages<'m> {
        let to_wait = (0..model.processes.len() as u32).map(|id| exchanges(model, ProcId(id))).collect();
        Messages { model, to_wait, frames: Frames::default() }
    }
}

/// A least number of sends and receives, by control state.
fn exchanges(model: &Model, id: ProcId) -> Vec<u32> {
    let process = model.process(id);
    let rules = |state: usize| process.states[state].transitions.iter().map(|id| model.transition(*id));
    let receives = |rule: &Transition| matches!(rule.actions.first(), Some(Action::Receive(_)));
    let talks =
        |rule: &Transition| matches!(rule.actions.first(), Some(Action::Receive(_) | Action::Send(_)));
    let mut before: Vec<Vec<(usize, u32)>> = vec![Vec::new(); process.states.len()];
    let mut counts = vec![FAR; process.states.len()];
    let mut queue = VecDeque::new();
    for (state, count) in counts.iter_mut().enumerate() {
        if rules(state).all(|rule| receives(rule) || rule.to.is_none()) {
            *count = 0;
            queue.push_back(state);
        }
        for rule in rules(state) {
            if let Some(to) = rule.to {
                before[to.index()].push((state, u32::from(talks(rule))));
            }
        }
    }
    // Steps that count for nothing go first.
    while let Some(state) = queue.pop_front() {
        for (from, cost) in before[state].clone() {
            if counts[from] > counts[state] + cost {
                counts[from] = counts[state] + cost;
                if cost == 0 { queue.push_front(from) } else { queue.push_back(from) }
            }
        }
    }
    counts
}

impl Heuristic for Messages<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        let look = self.frames.look(self.model, vector);
        let own = |pid: usize| self.to_wait[look.process_id(pid).index()][look.state(pid).index()];
        let sum = |sum: u32, pid: usize| (sum + own(pid)).min(FAR);
        (0..look.process_count()).fold(look.message_count(), sum)
    }

    fn explain(&self) -> Vec<String> {
        vec!["the messages under way, and for each process the sends and receives until it waits for a message".to_string()]
    }
}
