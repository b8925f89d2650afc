//! A reusable buffer of successors: one call fills it, nothing is allocated once it has grown.

use crate::Fault;
use panoptes_model::TransId;

/// Which rule which process took; in a rendezvous also the receiver's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub pid: u8,
    pub transition: TransId,
    pub partner: Option<(u8, TransId)>,
}

/// One successor; its vector is in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    pub step: Step,
    /// The process that goes on alone from here.
    pub control: Option<u8>,
    /// Index into [`Successors::faults`].
    pub fault: Option<u32>,
    /// False for a step that a fault cut short.
    pub has_state: bool,
    start: u32,
    end: u32,
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

#[derive(Debug, Default)]
pub struct Successors {
    pub items: Vec<Successor>,
    pub faults: Vec<Fault>,
    pub ending: Ending,
    /// Of the state itself, if nothing can move in it.
    pub end_faults: Vec<Fault>,
    bytes: Vec<u8>,
    /// How much of `bytes` [`Self::push`] has filled.
    used: usize,
}

impl Successors {
    pub fn clear(&mut self) {
        self.items.clear();
        self.faults.clear();
        self.end_faults.clear();
        self.used = 0;
        self.ending = Ending::Moves;
    }

    /// Adds a successor with its vector, or without one when `fault` cut the step short.
    pub fn push(&mut self, step: Step, control: Option<u8>, state: Option<&[u8]>, fault: Option<Fault>) {
        let start = self.used;
        if let Some(state) = state {
            self.used += state.len();
            self.slots(start + state.len())[start..start + state.len()].copy_from_slice(state);
        }
        let fault = fault.map(|fault| {
            self.faults.push(fault);
            self.faults.len() as u32 - 1
        });
        let (start, end) = (start as u32, self.used as u32);
        self.items.push(Successor { step, control, fault, has_state: state.is_some(), start, end });
    }

    /// The bytes for the vectors, at least that many, for an executor that writes them in place. Not to be mixed with
    /// [`Self::push`]; what was written stays when the buffer grows.
    pub fn slots(&mut self, bytes: usize) -> &mut [u8] {
        if self.bytes.len() < bytes {
            self.bytes.resize(bytes.next_power_of_two(), 0);
        }
        &mut self.bytes
    }

    /// Adds a successor whose vector was written to that part of [`Self::slots`].
    #[inline]
    pub fn push_slot(&mut self, step: Step, control: Option<u8>, vector: std::ops::Range<usize>) {
        let (start, end) = (vector.start as u32, vector.end as u32);
        self.items.push(Successor { step, control, fault: None, has_state: true, start, end });
    }

    /// The memory this takes.
    pub fn heap_bytes(&self) -> usize {
        self.items.capacity() * size_of::<Successor>() + self.bytes.capacity()
    }

    /// The vectors of all items; see [`Self::range`].
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the item's vector stands among the bytes.
    #[inline]
    pub fn range(&self, item: &Successor) -> (u32, u32) {
        (item.start, item.end)
    }

    #[inline]
    pub fn state(&self, item: &Successor) -> &[u8] {
        &self.bytes[item.start as usize..item.end as usize]
    }

    pub fn fault(&self, item: &Successor) -> Option<&Fault> {
        item.fault.map(|index| &self.faults[index as usize])
    }
}
