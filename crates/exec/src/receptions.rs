//! Unspecified receptions: processes that wait for messages and have got others.
//!
//! Such a process can never move again, for nobody else takes messages from its channels, and nobody else changes its
//! variables. So the condition is stable: once it holds it holds in every state that follows. That is why a search may
//! look for it in states alone, passing transient configurations, and why a reduced search finds it, too (see
//! `docs/internals/reduction.md`).

use crate::{Fault, FaultKind};
use panoptes_model::{Channel, Display, FrameLayout, Model, ProcId, ScalarType, StateId, TransId, Waiting};

/// A process that can never move again, and one of the messages that it does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stuck {
    pub process: ProcId,
    pub state: StateId,
    /// The index of the channel among the global ones.
    pub channel: u16,
    /// The first field of its oldest message.
    pub head: i32,
}

/// Where to look in a vector for processes that wait in vain.
#[derive(Debug)]
pub struct Receptions {
    processes: Vec<Reader>,
}

/// A process that may come to wait in vain.
#[derive(Debug)]
struct Reader {
    id: ProcId,
    pid: u8,
    frame: FrameLayout,
    /// Where its frame starts.
    start: usize,
    /// By control state.
    waits: Vec<Option<Wait>>,
}

#[derive(Debug)]
struct Wait {
    queues: Vec<Queue>,
    conditions: Vec<TransId>,
}

#[derive(Debug)]
struct Queue {
    channel: u16,
    length_at: usize,
    length: ScalarType,
    head_at: usize,
    head: ScalarType,
    taken: Vec<i32>,
}

impl Receptions {
    /// None for a model in which no process can wait in vain: then there is nothing to look for.
    pub fn of(model: &Model) -> Option<Receptions> {
        let mut processes = Vec::new();
        let mut start = model.header.frames as usize;
        for (pid, initial) in model.initial.iter().enumerate() {
            let process = model.process(initial.process);
            let mut reader = Reader {
                id: initial.process,
                pid: pid as u8,
                frame: process.frame,
                start,
                waits: process.states.iter().map(|_| None).collect(),
            };
            let own = model.waiting.iter().filter(|waiting| waiting.process == initial.process);
            for Waiting { state, queues, conditions, .. } in own {
                let queue = |queue: &panoptes_model::AwaitedQueue| {
                    Queue::new(model, queue.channel, queue.taken.clone())
                };
                let queues = queues.iter().map(queue).collect();
                reader.waits[state.index()] = Some(Wait { queues, conditions: conditions.clone() });
            }
            if reader.waits.iter().any(Option::is_some) {
                processes.push(reader);
            }
            start += process.frame.bytes as usize;
        }
        (!processes.is_empty()).then_some(Receptions { processes })
    }

    /// Adds the processes that wait in vain in a state to `out`. `is_possible` tells whether a process could take a step
    /// that waits for its own variables.
    #[inline]
    pub fn look(
        &self,
        vector: &[u8],
        out: &mut Vec<Stuck>,
        mut is_possible: impl FnMut(u8, TransId) -> bool,
    ) {
        for reader in &self.processes {
            let state = reader.frame.state(&vector[reader.start..]);
            if let Some(wait) = &reader.waits[state.index()]
                && wait.queues.iter().all(|queue| queue.untaken(vector).is_some())
                && !wait.conditions.iter().any(|condition| is_possible(reader.pid, *condition))
            {
                out.extend(wait.queues.iter().filter_map(|queue| {
                    let head = queue.untaken(vector)?;
                    Some(Stuck { process: reader.id, state, channel: queue.channel, head })
                }));
            }
        }
    }
}

impl Queue {
    fn new(model: &Model, number: u16, taken: Vec<i32>) -> Queue {
        let channel = &model.channels[usize::from(number)];
        let length = channel.len_type();
        let length_at = channel.offset as usize;
        let head_at = length_at + length.bytes();
        Queue { channel: number, length_at, length, head_at, head: channel.fields[0], taken }
    }

    /// The first field of the oldest message, if there is one and it is not taken.
    #[inline]
    fn untaken(&self, vector: &[u8]) -> Option<i32> {
        if self.length.read(&vector[self.length_at..]) == 0 {
            return None;
        }
        let head = self.head.read(&vector[self.head_at..]);
        (!self.taken.contains(&head)).then_some(head)
    }
}

impl Stuck {
    /// The same for people.
    pub fn fault(&self, model: &Model) -> Fault {
        let channel = &model.channels[usize::from(self.channel)];
        let message = head_text(model, channel, &[self.head]);
        unspecified_reception(model, self.process, Some(self.state), channel, &message)
    }
}

/// A message is left for a process that stands somewhere, or no longer does, and does not take it there.
pub fn unspecified_reception(
    model: &Model,
    receiver: ProcId,
    stands: Option<StateId>,
    channel: &Channel,
    message: &str,
) -> Fault {
    let process = model.process(receiver);
    let (place, span) = match stands.map(|state| &process.states[state.index()]) {
        None => ("after its end".to_string(), process.span),
        Some(state) if state.transitions.is_empty() => ("at its end".to_string(), state.span),
        Some(state) => match state.labels.first() {
            Some(label) => (format!("in state `{label}`"), state.span),
            None => (format!("in state {}", state.number), state.span),
        },
    };
    let message = format!("{} does not receive `{message}` from `{}` {place}", process.name, channel.name);
    Fault { kind: FaultKind::UnspecifiedReception, message, span }
}

/// A message by its name, if its first field has one.
pub fn head_text(model: &Model, channel: &Channel, fields: &[i32]) -> String {
    if let (Some(Display::Enum(id)), Some(first)) = (channel.displays.first(), fields.first()) {
        let set = &model.enumerations[id.index()];
        if let Some((_, name)) = set.values.iter().find(|(value, _)| value == first) {
            return name.clone();
        }
    }
    fields.iter().map(i32::to_string).collect::<Vec<_>>().join(",")
}
