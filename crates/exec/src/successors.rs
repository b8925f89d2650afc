//! A reusable buffer of successors: one call fills it, nothing is allocated once it has grown.

use crate::{Fault, Stuck};
use panoptes_model::TransId;

/// Which rule which process took; in a rendezvous also the receiver's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub pid: u8,
    pub transition: TransId,
    pub partner: Option<(u8, TransId)>,
}

/// One successor; its vector is in the buffer.
///
/// An executor may write these by itself, field by field: hence the fixed layout, and numbers in place of options.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    /// The rule that was taken; in a rendezvous, by the receiver.
    pub transition: TransId,
    /// In a rendezvous, the rule of the sender; otherwise [`Self::NONE`].
    pub sending: TransId,
    /// Where the vector starts in the buffer, and how long it is.
    pub start: u32,
    pub bytes: u32,
    /// Index into [`Successors::faults`], or [`Self::NO_FAULT`].
    pub fault: u32,
    /// Who took the rule; in a rendezvous, the receiver, and then who the sender is.
    pub pid: u8,
    pub sender: u8,
    /// The process that goes on alone from here, or [`Self::NOBODY`].
    pub control: u8,
    /// 0 for a step that a fault cut short, otherwise 1.
    pub has_state: u8,
}

impl Successor {
    pub const NONE: TransId = TransId(u32::MAX);
    pub const NO_FAULT: u32 = u32::MAX;
    /// There are never so many processes.
    pub const NOBODY: u8 = u8::MAX;

    #[inline]
    pub fn step(&self) -> Step {
        let Successor { transition, sending, pid, sender, .. } = *self;
        if sending == Self::NONE {
            Step { pid, transition, partner: None }
        } else {
            Step { pid: sender, transition: sending, partner: Some((pid, transition)) }
        }
    }

    /// The process that goes on alone from here.
    #[inline]
    pub fn control(&self) -> Option<u8> {
        (self.control != Self::NOBODY).then_some(self.control)
    }

    /// False for a step that a fault cut short.
    #[inline]
    pub fn has_state(&self) -> bool {
        self.has_state != 0
    }

    /// It leads to a state: a vector in which nobody has control.
    #[inline]
    pub fn is_state(&self) -> bool {
        self.has_state() && self.control == Self::NOBODY
    }
}

/// What a configuration without successors means. (Faulty steps that count as not possible may still be listed.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// There are successors.
    #[default]
    Moves,
    /// The process that had control cannot go on: look at the bare vector.
    LetGo,
    /// Nothing can move and every process is where it may end.
    Valid,
    /// Nothing can move, and that is wrong: [`Successors::end_faults`] say how or, if there are none, some process is
    /// not where it may end.
    Deadlock,
}

/// A state at the end of a chain of transient configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Where its vector starts in the buffer, and how long it is.
    pub start: u32,
    pub bytes: u32,
    /// Which item the chain begins with, and the number of this end among those behind that item.
    pub step: u32,
    pub number: u32,
    /// How many steps lead there.
    pub steps: u32,
    /// The process that had control cannot go on.
    pub lets_go: bool,
}

#[derive(Debug, Default)]
pub struct Successors {
    pub items: Vec<Successor>,
    pub faults: Vec<Fault>,
    pub ending: Ending,
    /// Of the state itself, if nothing can move in it.
    pub end_faults: Vec<Fault>,
    /// Of a state in which something can move: the processes that never will again, since they wait in vain.
    pub stuck: Vec<Stuck>,
    /// What [`crate::Executor::follow`] came to.
    pub ends: Vec<End>,
    /// How many steps it took behind the items.
    pub chained: u32,
    /// Chains that came back to themselves.
    pub endless_chains: u64,
    /// Steps to the farthest transient configuration.
    pub chain_steps_max: u32,
    bytes: Vec<u8>,
    /// How much of `bytes` is filled.
    pub used: usize,
}

impl Successors {
    #[inline]
    pub fn clear(&mut self) {
        self.items.clear();
        self.faults.clear();
        self.end_faults.clear();
        self.stuck.clear();
        self.used = 0;
        self.ending = Ending::Moves;
    }

    /// Forgets all but the first items, and whatever chains were followed.
    pub fn truncate(&mut self, count: usize) {
        self.items.truncate(count);
        self.ends.clear();
        self.chained = 0;
        self.endless_chains = 0;
        self.chain_steps_max = 0;
    }

    /// Adds a successor with its vector, or without one when `fault` cut the step short.
    pub fn push(&mut self, step: Step, control: Option<u8>, state: Option<&[u8]>, fault: Option<Fault>) {
        let start = self.used;
        if let Some(state) = state {
            self.used += state.len();
            self.slots(start + state.len())[start..start + state.len()].copy_from_slice(state);
        }
        let fault = fault.map_or(Successor::NO_FAULT, |fault| {
            self.faults.push(fault);
            self.faults.len() as u32 - 1
        });
        let (pid, transition, sender, sending) = match step.partner {
            None => (step.pid, step.transition, 0, Successor::NONE),
            Some((pid, transition)) => (pid, transition, step.pid, step.transition),
        };
        debug_assert!(control != Some(Successor::NOBODY) && sending.0 != u32::MAX || step.partner.is_none());
        self.items.push(Successor {
            transition,
            sending,
            start: start as u32,
            bytes: (self.used - start) as u32,
            fault,
            pid,
            sender,
            control: control.unwrap_or(Successor::NOBODY),
            has_state: u8::from(state.is_some()),
        });
    }

    /// The bytes for the vectors, at least that many, for an executor that writes them in place and says in [`Self::used`]
    /// how far; what was written stays when the buffer grows.
    pub fn slots(&mut self, bytes: usize) -> &mut [u8] {
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes.next_power_of_two(), 0);
        }
        &mut self.bytes
    }

    /// The memory this takes.
    pub fn heap_bytes(&self) -> usize {
        self.items.capacity() * size_of::<Successor>() + self.bytes.capacity()
    }

    /// The vectors of all items, each where it says.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    pub fn state(&self, item: &Successor) -> &[u8] {
        &self.bytes[item.start as usize..][..item.bytes as usize]
    }

    #[inline]
    pub fn fault(&self, item: &Successor) -> Option<&Fault> {
        self.faults.get(item.fault as usize)
    }
}
