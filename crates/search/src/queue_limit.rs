//! A bound on the messages in channels, for every search.
//!
//! Steps that would put more messages into a channel are left out, as if the search did not see them. The channels
//! themselves keep their size: a sender that waits at the limit is not stuck, and a state from which only such steps lead
//! on is no deadlock. So whatever is found is an error of the model as it is written; what is left out makes the search
//! partial.

use panoptes_exec::{Chains, Executor, Replay, Successor, Successors, Wrapper};
use panoptes_model::{Action, Block, Channel, FrameLayout, Model, Transition};

/// An executor whose channels take no more than some messages.
pub struct QueueLimited<'e> {
    inner: &'e mut dyn Executor,
    limit: u16,
    process_count: usize,
    frames: usize,
    /// The channels that could hold more: those of the global part.
    global: Vec<Slot>,
    /// By process type: the bytes of its frame, and its channels that could hold more.
    types: Vec<(usize, Vec<Slot>)>,
    has_local: bool,
    /// By transition: may it send?
    sends: Vec<bool>,
    is_cut: bool,
}

/// Where the length of a channel stands.
#[derive(Clone, Copy)]
struct Slot {
    offset: usize,
    is_long: bool,
}

impl<'e> QueueLimited<'e> {
    pub fn new(model: &Model, inner: &'e mut dyn Executor, limit: u16) -> QueueLimited<'e> {
        let slots = |channels: &[Channel]| -> Vec<Slot> {
            let larger = channels.iter().filter(|channel| channel.capacity > limit);
            let slot = |channel: &Channel| Slot {
                offset: channel.offset as usize,
                is_long: channel.len_type().bytes() > 1,
            };
            larger.map(slot).collect()
        };
        let types: Vec<(usize, Vec<Slot>)> = model
            .processes
            .iter()
            .map(|process| (process.frame.bytes as usize, slots(&process.channels)))
            .collect();
        QueueLimited {
            inner,
            limit,
            process_count: model.header.process_count(),
            frames: model.header.frames as usize,
            global: slots(&model.channels),
            has_local: types.iter().any(|(_, slots)| !slots.is_empty()),
            types,
            sends: model.transitions.iter().map(|transition| may_send(model, transition)).collect(),
            is_cut: false,
        }
    }

    /// Was a step left out?
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn is_within(&self, vector: &[u8]) -> bool {
        let fits = |region: &[u8], slots: &[Slot]| {
            slots.iter().all(|slot| {
                let low = u16::from(region[slot.offset]);
                let high = if slot.is_long { u16::from(region[slot.offset + 1]) } else { 0 };
                low | high << 8 <= self.limit
            })
        };
        if !fits(vector, &self.global) {
            return false;
        }
        let mut start = self.frames;
        !self.has_local
            || (0..vector[self.process_count]).all(|_| {
                let frame = &vector[start..];
                let (bytes, slots) = &self.types[usize::from(frame[FrameLayout::TYPE])];
                start += bytes;
                fits(frame, slots)
            })
    }

    fn may_follow(&self, out: &Successors, item: &Successor) -> bool {
        let may_send = self.sends.get(item.step().transition.index()).copied().unwrap_or(true);
        !may_send || !item.has_state() || self.is_within(out.state(item))
    }
}

/// Can the step put a message into a channel?
fn may_send(model: &Model, transition: &Transition) -> bool {
    fn sends(model: &Model, actions: &[Action]) -> bool {
        actions.iter().any(|action| match action {
            Action::Send(_) => true,
            Action::Block(id) => {
                let Block { nodes, .. } = model.block(*id);
                nodes.iter().flat_map(|node| &node.steps).any(|step| sends(model, &step.actions))
            }
            _ => false,
        })
    }
    sends(model, &transition.actions)
}

impl Wrapper for QueueLimited<'_> {
    fn inner(&self) -> &dyn Executor {
        self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Executor {
        self.inner
    }

    /// What is left may be nothing although the model can move: then there are no items, but it is no ending either.
    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        self.inner.successors(state, control, out);
        let mut items = std::mem::take(&mut out.items);
        let before = items.len();
        items.retain(|item| self.may_follow(out, item));
        self.is_cut |= items.len() < before;
        out.items = items;
    }

    /// Chains are followed step by step, so that no step is taken that is left out.
    fn follow(&mut self, _: &mut Successors, _: &mut Chains<'_>) -> bool {
        false
    }

    fn replay(&mut self, state: &[u8], control: Option<u8>, item: usize) -> Option<Replay> {
        let mut out = Successors::default();
        self.inner.successors(state, control, &mut out);
        let mut followed = (0..out.items.len()).filter(|index| self.may_follow(&out, &out.items[*index]));
        let index = followed.nth(item)?;
        self.inner.replay(state, control, index)
    }
}
