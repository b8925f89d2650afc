//! The stack of a depth-first search: the current path, and what remains to be tried beside it.
//!
//! A frame stands for a configuration on the path. Its successors that were not followed yet stand on a second stack,
//! their vectors end to end in a third: all in reverse, so that the next one to follow is always on top and what is done
//! with takes no room.
//!
//! On a path of millions of steps the untried successors would take more than the visited states do. So the lower half
//! of them is given up when they grow too large: those frames are *spilled*, and keep only which of their successors are
//! untried. When the search comes back to a spilled frame, the successors of a stretch of the path are computed once
//! more, starting from a state, whose vector the store still has.

use crate::chain::Fingerprint;
use crate::grow;
use crate::step::{StepCode, Steps};
use panoptes_exec::{Fault, Step};
use panoptes_store::{Prepared, StateRef};

/// Untried successors beyond this are spilled. (So low in tests that they all come to it.)
const SPILL_BYTES: usize = if cfg!(test) { 200 } else { 16 << 20 };

pub(crate) struct Stack {
    /// One a configuration of the path; the depth is the index.
    pub frames: Vec<Frame>,
    /// Of every untried successor, which one of its frame's it is; each frame's next one last.
    numbers: Vec<u32>,
    /// The untried successors of the frames that are not spilled, in the same order.
    items: Vec<Item>,
    /// The vectors of the items, in their order.
    bytes: Vec<u8>,
    /// The faults of the items that have one, in their order.
    faults: Vec<Fault>,
    /// Of the transient frames that are links of a chain, in their order.
    fingerprints: Vec<Fingerprint>,
    /// The hidden parts of all frames' vectors: the store does not have them.
    hidden: Vec<u8>,
    hidden_bytes: usize,
    /// The frames below this one are spilled.
    spilled: usize,
    pub steps: Steps,
}

pub(crate) struct Frame {
    /// The step that led here.
    pub step: StepCode,
    /// Which successor of the frame below it is.
    pub number: u32,
    pub untried: u32,
    pub kind: FrameKind,
}

#[derive(Clone, Copy)]
pub(crate) enum FrameKind {
    State(StateRef),
    /// With the length of the chain that the path ends with here.
    Transient(u32),
}

/// An untried successor.
pub(crate) struct Item {
    /// The first half of the lookup of a state that is not known.
    pub prepared: Prepared,
    pub step: StepCode,
    pub vector_bytes: u32,
    pub control: Option<u8>,
    pub has_fault: bool,
    pub has_state: bool,
}

impl Stack {
    pub fn new(hidden_bytes: usize) -> Stack {
        Stack {
            frames: Vec::new(),
            numbers: Vec::new(),
            items: Vec::new(),
            bytes: Vec::new(),
            faults: Vec::new(),
            fingerprints: Vec::new(),
            hidden: Vec::new(),
            hidden_bytes,
            spilled: 0,
            steps: Steps::new(),
        }
    }

    /// Puts a configuration on the path; its items follow.
    pub fn push(&mut self, frame: Frame, vector: &[u8]) {
        grow::push(&mut self.frames, frame);
        grow::extend(&mut self.hidden, &vector[..self.hidden_bytes]);
    }

    pub fn pop(&mut self) -> Frame {
        let frame = self.frames.pop().expect("a frame");
        assert_eq!(frame.untried, 0);
        if let FrameKind::Transient(length) = frame.kind
            && length as usize > self.chain_len()
        {
            self.fingerprints.pop();
        }
        self.hidden.truncate(self.frames.len() * self.hidden_bytes);
        self.spilled = self.spilled.min(self.frames.len());
        frame
    }

    /// Adds the item that is to be tried before those added so far: that successor of the topmost frame.
    #[inline]
    pub fn push_item(&mut self, number: u32, item: Item, vector: &[u8], fault: Option<&Fault>) {
        grow::push(&mut self.numbers, number);
        self.frames.last_mut().expect("a frame").untried += 1;
        self.put_back(item, vector, fault);
    }

    /// Adds an item that a spilled frame had.
    #[inline]
    pub fn put_back(&mut self, item: Item, vector: &[u8], fault: Option<&Fault>) {
        debug_assert_eq!((vector.len(), fault.is_some()), (item.vector_bytes as usize, item.has_fault));
        grow::push(&mut self.items, item);
        grow::extend(&mut self.bytes, vector);
        if let Some(fault) = fault {
            self.faults.push(fault.clone());
        }
    }

    /// Takes the next item of the topmost frame, its vector into `vector`.
    #[inline]
    pub fn pop_item(&mut self, vector: &mut Vec<u8>) -> (u32, Item, Option<Fault>) {
        self.frames.last_mut().expect("a frame").untried -= 1;
        let number = self.numbers.pop().expect("an untried successor");
        let item = self.items.pop().expect("an untried successor");
        let at = self.bytes.len() - item.vector_bytes as usize;
        vector.clear();
        vector.extend_from_slice(&self.bytes[at..]);
        self.bytes.truncate(at);
        let fault = if item.has_fault { self.faults.pop() } else { None };
        (number, item, fault)
    }

    /// The chain of transient configurations that the path ends with.
    pub fn chain(&self) -> &[Fingerprint] {
        &self.fingerprints[self.fingerprints.len() - self.chain_len()..]
    }

    fn chain_len(&self) -> usize {
        match self.frames.last() {
            Some(Frame { kind: FrameKind::Transient(length), .. }) => *length as usize,
            _ => 0,
        }
    }

    pub fn push_fingerprint(&mut self, fingerprint: Fingerprint) {
        grow::push(&mut self.fingerprints, fingerprint);
    }

    /// The hidden part of a frame's vector.
    pub fn hidden(&self, depth: usize) -> &[u8] {
        &self.hidden[depth * self.hidden_bytes..(depth + 1) * self.hidden_bytes]
    }

    /// Must the topmost frame's items be computed again?
    pub fn is_spilled(&self) -> bool {
        self.frames.len() <= self.spilled
    }

    /// Chooses the frames whose items are now computed again, the topmost included: the first is a state. Also where
    /// the numbers of their untried successors begin.
    pub fn begin_refill(&mut self, frame_count: usize) -> (std::ops::Range<usize>, usize) {
        assert!(self.is_spilled() && self.items.is_empty(), "only spilled frames are left");
        let mut start = self.frames.len().saturating_sub(frame_count);
        while matches!(self.frames[start].kind, FrameKind::Transient(_)) {
            start -= 1;
        }
        self.spilled = start;
        let untried: usize = self.frames[start..].iter().map(|frame| frame.untried as usize).sum();
        (start..self.frames.len(), self.numbers.len() - untried)
    }

    /// Which successor of its frame an untried one is.
    pub fn number(&self, at: usize) -> u32 {
        self.numbers[at]
    }

    /// Gives up the items of lower frames if all together take too much.
    pub fn spill_if_large(&mut self) {
        let size = |items: usize, bytes: usize| items * size_of::<Item>() + bytes;
        let total = size(self.items.len(), self.bytes.len());
        if total < SPILL_BYTES {
            return;
        }
        let (mut items, mut bytes, mut faults) = (0, 0, 0);
        // The topmost frame is never spilled.
        while size(items, bytes) < total / 2 && self.spilled + 1 < self.frames.len() {
            let end = items + self.frames[self.spilled].untried as usize;
            for item in &self.items[items..end] {
                bytes += item.vector_bytes as usize;
                faults += usize::from(item.has_fault);
            }
            items = end;
            self.spilled += 1;
        }
        self.items.drain(..items);
        self.bytes.drain(..bytes);
        self.faults.drain(..faults);
    }

    /// The steps of the current path and then `last` (unless that is no step).
    pub fn path(&self, last: StepCode) -> Vec<Step> {
        let steps = self.frames.iter().map(|frame| frame.step).chain([last]);
        steps.filter(|step| *step != StepCode::NONE).map(|step| self.steps.step(step)).collect()
    }

    pub fn heap_bytes(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>()
            + self.numbers.capacity() * size_of::<u32>()
            + self.items.capacity() * size_of::<Item>()
            + self.faults.capacity() * size_of::<Fault>()
            + self.fingerprints.capacity() * size_of::<Fingerprint>()
            + self.bytes.capacity()
            + self.hidden.capacity()
    }
}
