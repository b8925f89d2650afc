//! The states in which a process may get a message that it does not take, and then never moves again.
//!
//! They are the states that offer nothing but receives, timeouts and conditions. A timeout waits for its channel to stay
//! empty, and a message that is not taken stays there for ever, so the timeout cannot come any more; a condition is about
//! the process's own variables, which do not change while it waits. A send may become possible at any time. Where one of the channels
//! has no message that is not taken, the process can always be helped: such states are left out.

use super::process::named_receives;
use super::{Body, Lowering};
use crate::flow::{Node, StepKind};
use crate::machine::State;
use panoptes_model::{AwaitedQueue, ProcId, StateId, TransId, Waiting};

impl Lowering<'_> {
    /// Notes a state of the process `id`, the first rules of whose edges are `firsts`, if the process may wait there in vain.
    pub(super) fn note_waiting(&mut self, body: &Body, id: ProcId, from: usize, firsts: &[TransId]) {
        let found = self.waiting(body, &body.machine.states[from], firsts);
        let Some((queues, conditions)) = found else { return };
        let state = StateId(from as u32);
        self.model.waiting.push(Waiting { process: id, state, queues, conditions });
    }

    fn waiting(
        &self,
        body: &Body,
        state: &State,
        firsts: &[TransId],
    ) -> Option<(Vec<AwaitedQueue>, Vec<TransId>)> {
        let mut queues: Vec<AwaitedQueue> = Vec::new();
        let mut conditions = Vec::new();
        for ((node, _), first) in state.edges.iter().zip(firsts) {
            let Node::Step(step) = &body.flow.nodes[*node] else { continue };
            let (channel, taken) = match &step.kind {
                StepKind::Receive { channel, message, .. } => {
                    let tags = self.sorts.received(*channel, message);
                    (*channel, tags.into_iter().map(|(tag, _)| tag).collect())
                }
                StepKind::Default { channel } => {
                    let named = named_receives(body, &state.edges, *channel);
                    let tags = self.sorts.others(*channel, &named);
                    (*channel, tags.into_iter().map(|(tag, _)| tag).collect())
                }
                StepKind::Timeout { channel } => (*channel, Vec::new()),
                StepKind::Condition(_) => {
                    conditions.push(*first);
                    continue;
                }
                StepKind::Skip | StepKind::Start(_) | StepKind::Assign(..) | StepKind::Send { .. } => {
                    return None;
                }
            };
            match queues.iter_mut().find(|queue| usize::from(queue.channel) == channel) {
                Some(queue) => queue.taken.extend(taken),
                None => queues.push(AwaitedQueue { channel: channel as u16, taken }),
            }
        }
        // In one order, so that equivalent states have equal lists.
        queues.sort_unstable_by_key(|queue| queue.channel);
        let mut may_block = true;
        for queue in &mut queues {
            let sort = &self.sorts.sent[usize::from(queue.channel)];
            queue.taken.retain(|tag| sort.contains(tag));
            queue.taken.sort_unstable();
            queue.taken.dedup();
            may_block &= queue.taken.len() < sort.len();
        }
        (!queues.is_empty() && may_block).then_some((queues, conditions))
    }
}
