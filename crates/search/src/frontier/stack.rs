//! The stack of a depth-first search: the current path, and what remains to be tried beside it.
//!
//! A frame stands for a state on the path. Its successors that were not followed yet stand on a second stack, their
//! vectors end to end in a third: all in reverse, so that the next one to follow is always on top and what is done with
//! takes no room.
//!
//! On a path of millions of steps the untried successors would take more than the visited states do. So the lower half
//! of them is given up when they grow too large: those frames are *spilled*, and keep only which of their successors are
//! untried. When the search comes back to a spilled frame, the successors of a stretch of the path are computed once
//! more, from the vectors that the store still has. If it keeps none, the stack keeps one now and then, and the vectors of
//! a stretch are computed from its first.

use crate::grow;
use crate::labels::{Branch, Labels};
use crate::omitted::Fork;
use crate::saved::Saved;
use panoptes_store::{ImageReader, ImageWriter, Prepared, StateRef, damaged};
use std::io;
use std::sync::Arc;

/// Untried successors beyond this are spilled. (So low in tests that they all come to it.)
const SPILL_BYTES: usize = if cfg!(test) { 200 } else { 16 << 20 };

/// Of successors that are given away there are at least so many, if there are twice as many.
const GIVEN_MIN: usize = 16;

/// If the store keeps no vectors, the stack keeps that of the first frame in each group of this size. (Few in tests.)
const CHECKPOINT_FRAMES: usize = if cfg!(test) { 3 } else { 4096 };

pub(crate) struct Stack {
    /// One a state of the path.
    pub frames: Vec<Frame>,
    /// Of every untried successor, which one of its frame's it is; each frame's next one last.
    untried: Vec<u32>,
    pub labels: Labels,
    /// The untried successors of the frames that are not spilled, in the same order.
    items: Vec<Item>,
    /// The vectors of the items, in their order.
    bytes: Vec<u8>,
    /// The hidden parts of all frames' vectors: the store does not have them.
    hidden: Vec<u8>,
    hidden_bytes: usize,
    /// The frames below this one are spilled.
    spilled: usize,
    /// Items are spilled when they take so much.
    spill_bytes: usize,
    /// The frames at the bottom that have not changed since [`Self::fork`] was last called.
    told: usize,
    /// The vectors of the first frame of every stretch, if they are to be kept.
    checkpoints: Option<Vec<Vec<u8>>>,
    /// How the first frame is reached, if that is not the initial state.
    base: Base,
}

/// The branches to where a stack begins: a part of a path that several stacks may share, and one behind it.
#[derive(Clone, Default)]
pub(crate) struct Base {
    path: Arc<[Branch]>,
    shared: usize,
    last: Option<Branch>,
}

/// A successor that another worker is to follow.
pub(crate) struct Job {
    pub vector: Vec<u8>,
    /// How many steps lead there.
    pub depth: u32,
    pub base: Base,
}

pub(crate) struct Frame {
    pub state: StateRef,
    /// Which successor of the frame below it is.
    pub label: u32,
    /// How many steps lead there.
    pub depth: u32,
    pub untried: u32,
}

/// An untried successor.
pub(crate) struct Item {
    /// The first half of its lookup.
    pub prepared: Prepared,
    /// How many steps it is away.
    pub steps: u32,
    vector_bytes: u32,
}

/// What is computed again of a path.
pub(crate) struct Refill {
    /// The frame to begin at: its vector is known.
    pub stretch: usize,
    /// From this frame on, items are put back.
    pub first: usize,
    /// Where the labels of their untried successors begin.
    pub untried_at: usize,
}

impl Item {
    #[inline]
    pub fn new(prepared: Prepared, steps: u32, vector: &[u8]) -> Item {
        Item { prepared, steps, vector_bytes: vector.len() as u32 }
    }
}

impl Base {
    fn branches(&self) -> impl Iterator<Item = Branch> {
        self.path[..self.shared].iter().copied().chain(self.last)
    }

    fn len(&self) -> usize {
        self.shared + usize::from(self.last.is_some())
    }
}

impl Job {
    /// What it takes, but for the path to it, which it shares with others.
    pub fn heap_bytes(&self) -> usize {
        size_of::<Job>() + self.vector.capacity()
    }

    /// What that path takes.
    pub fn path_bytes(&self) -> usize {
        self.base.path.len() * size_of::<Branch>()
    }
}

impl Stack {
    /// With checkpoints if the store will not have the vectors of the path.
    pub fn new(hidden_bytes: usize, with_checkpoints: bool) -> Stack {
        Stack {
            frames: Vec::new(),
            untried: Vec::new(),
            labels: Labels::default(),
            items: Vec::new(),
            bytes: Vec::new(),
            hidden: Vec::new(),
            hidden_bytes,
            spilled: 0,
            spill_bytes: SPILL_BYTES,
            told: 0,
            checkpoints: with_checkpoints.then(Vec::new),
            base: Base::default(),
        }
    }

    /// Goes on behind another path, with an empty stack.
    pub fn begin_at(&mut self, base: Base) {
        debug_assert!(self.frames.is_empty() && self.items.is_empty());
        (self.base, self.told) = (base, 0);
    }

    /// Gives away successors that would be tried last: an eighth of those that are not spilled, or some if that is little. At least half of
    /// them stay, so the next one does.
    pub fn give_away(&mut self) -> Vec<Job> {
        let count = (self.items.len() / 8).max(GIVEN_MIN).min(self.items.len() / 2);
        if count == 0 {
            return Vec::new();
        }
        let first = self.untried.len() - self.items.len();
        let (mut jobs, mut frame, mut at) = (Vec::with_capacity(count), self.spilled, 0);
        while jobs.len() < count {
            let Frame { depth, untried, .. } = &mut self.frames[frame];
            while *untried > 0 && jobs.len() < count {
                let item = &self.items[jobs.len()];
                let vector = self.bytes[at..at + item.vector_bytes as usize].to_vec();
                at += vector.len();
                let last = Some(self.labels.branch(self.untried[first + jobs.len()]));
                let base = Base { path: Arc::default(), shared: self.base.len() + frame, last };
                jobs.push(Job { vector, depth: *depth + item.steps, base });
                *untried -= 1;
            }
            frame += 1;
        }
        // They all lie along one path.
        let along = self.frames[1..frame].iter().map(|frame| self.labels.branch(frame.label));
        let path: Arc<[Branch]> = self.base.branches().chain(along).collect();
        jobs.iter_mut().for_each(|job| job.base.path = path.clone());
        self.items.drain(..count);
        self.bytes.drain(..at);
        self.untried.drain(first..first + count);
        jobs
    }

    /// Puts a state on the path; its items follow.
    #[inline]
    pub fn push(&mut self, frame: Frame, vector: &[u8]) {
        if let Some(checkpoints) = &mut self.checkpoints
            && self.frames.len().is_multiple_of(CHECKPOINT_FRAMES)
        {
            checkpoints.push(vector.to_vec());
        }
        grow::push(&mut self.frames, frame);
        if self.hidden_bytes > 0 {
            grow::extend(&mut self.hidden, &vector[..self.hidden_bytes]);
        }
    }

    /// Takes the topmost state, which is done with, from the path.
    #[inline]
    pub fn pop(&mut self) -> StateRef {
        let frame = self.frames.pop().expect("a frame");
        assert_eq!(frame.untried, 0);
        self.hidden.truncate(self.frames.len() * self.hidden_bytes);
        self.spilled = self.spilled.min(self.frames.len());
        self.told = self.told.min(self.frames.len());
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.truncate(self.frames.len().div_ceil(CHECKPOINT_FRAMES));
        }
        frame.state
    }

    /// Adds the item that is to be tried before those added so far: that successor of the topmost frame.
    #[inline]
    pub fn push_item(&mut self, branch: Branch, item: Item, vector: &[u8]) {
        let label = self.labels.label(branch);
        grow::push(&mut self.untried, label);
        self.frames.last_mut().expect("a frame").untried += 1;
        self.put_back(item, vector);
    }

    /// Adds an item that a spilled frame had.
    #[inline]
    pub fn put_back(&mut self, item: Item, vector: &[u8]) {
        debug_assert_eq!(vector.len(), item.vector_bytes as usize);
        grow::push(&mut self.items, item);
        grow::extend(&mut self.bytes, vector);
    }

    /// The item that is tried next, if it is not spilled.
    #[inline]
    pub fn next_item(&self) -> Option<&Item> {
        self.items.last()
    }

    /// Its vector.
    #[inline]
    pub fn next_vector(&self) -> &[u8] {
        let bytes = self.items.last().map_or(0, |item| item.vector_bytes as usize);
        &self.bytes[self.bytes.len() - bytes..]
    }

    /// Takes the next item of the topmost frame, its vector into `vector`, and which successor it is.
    #[inline]
    pub fn pop_item(&mut self, vector: &mut Vec<u8>) -> (u32, Item) {
        self.frames.last_mut().expect("a frame").untried -= 1;
        let label = self.untried.pop().expect("an untried successor");
        let item = self.items.pop().expect("an untried successor");
        let at = self.bytes.len() - item.vector_bytes as usize;
        vector.clear();
        vector.extend_from_slice(&self.bytes[at..]);
        self.bytes.truncate(at);
        (label, item)
    }

    /// The hidden part of a frame's vector.
    pub fn hidden(&self, frame: usize) -> &[u8] {
        &self.hidden[frame * self.hidden_bytes..(frame + 1) * self.hidden_bytes]
    }

    /// Must the topmost frame's items be computed again?
    #[inline]
    pub fn is_spilled(&self) -> bool {
        self.frames.len() <= self.spilled
    }

    /// Chooses the frames whose items are now computed again: those at the top, as many as may be, and no more than fit
    /// if their vectors take so many bytes.
    pub fn begin_refill(&mut self, frame_count: usize, vector_bytes: usize) -> Refill {
        assert!(self.is_spilled() && self.items.is_empty(), "only spilled frames are left");
        let stretch = match self.checkpoints {
            None => self.frames.len().saturating_sub(frame_count),
            Some(_) => (self.frames.len() - 1) / CHECKPOINT_FRAMES * CHECKPOINT_FRAMES,
        };
        let mut first = self.frames.len() - 1;
        let mut untried = self.frames[first].untried as usize;
        while first > stretch {
            let more = untried + self.frames[first - 1].untried as usize;
            if size(more, more * vector_bytes) > SPILL_BYTES {
                break;
            }
            (first, untried) = (first - 1, more);
        }
        self.spilled = first;
        let stretch = if self.checkpoints.is_some() { stretch } else { first };
        Refill { stretch, first, untried_at: self.untried.len() - untried }
    }

    /// The items are computed. They are not spilled before as many have come to them: those of one frame may
    /// take more than is spilled otherwise, and would be computed for each of them once more.
    pub fn end_refill(&mut self) {
        self.spill_bytes = SPILL_BYTES.max(2 * size(self.items.len(), self.bytes.len()));
    }

    /// A refill was broken off: all frames are spilled, as before it.
    pub fn abandon_refill(&mut self) {
        self.items.clear();
        self.bytes.clear();
        self.spilled = self.frames.len();
    }

    /// The vector of a frame that begins a stretch, if the stack keeps such.
    pub fn checkpoint(&self, frame: usize) -> Option<&[u8]> {
        let checkpoints = self.checkpoints.as_ref()?;
        debug_assert!(frame.is_multiple_of(CHECKPOINT_FRAMES));
        Some(&checkpoints[frame / CHECKPOINT_FRAMES])
    }

    /// Which successor of its frame an untried one is.
    pub fn branch(&self, at: usize) -> Branch {
        self.labels.branch(self.untried[at])
    }

    /// Gives up the items of lower frames if all together take too much.
    #[inline]
    pub fn spill_if_large(&mut self) {
        if size(self.items.len(), self.bytes.len()) >= self.spill_bytes {
            self.spill();
        }
    }

    fn spill(&mut self) {
        let total = size(self.items.len(), self.bytes.len());
        let (mut items, mut bytes) = (0, 0);
        // The topmost frame is never spilled.
        while size(items, bytes) < total / 2 && self.spilled + 1 < self.frames.len() {
            let end = items + self.frames[self.spilled].untried as usize;
            bytes += self.items[items..end].iter().map(|item| item.vector_bytes as usize).sum::<usize>();
            items = end;
            self.spilled += 1;
        }
        self.items.drain(..items);
        self.bytes.drain(..bytes);
    }

    /// The branches along the path, and then `last`; none but those to its beginning if it is empty, since nothing else leads there.
    pub fn branches_to(&self, last: u32) -> Vec<Branch> {
        let labels = self.frames.iter().map(|frame| frame.label).chain([last]).skip(1);
        self.base.branches().chain(labels.map(|label| self.labels.branch(label))).collect()
    }

    /// The same path, with `branch` at its end, as what it does not share with the one that this told before; none
    /// if that is more than there is room for.
    pub fn fork(&mut self, branch: Branch, room: usize) -> Option<Fork> {
        let known = self.told.saturating_sub(1);
        let (shared, before) =
            if self.told == 0 { (0, self.base.len()) } else { (self.base.len() + known, 0) };
        if before + self.frames.len() - known > room {
            return None;
        }
        let mut branches: Vec<Branch> = self.base.branches().take(before).collect();
        if !self.frames.is_empty() {
            branches.extend(self.frames[known + 1..].iter().map(|frame| self.labels.branch(frame.label)));
            branches.push(branch);
        }
        self.told = self.frames.len();
        Some(Fork { shared, branches })
    }

    pub fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        image.list(self.frames.iter(), |image, frame| {
            frame.state.save(image)?;
            [frame.label, frame.depth, frame.untried].iter().try_for_each(|number| image.u32(*number))
        })?;
        self.untried.save(image)?;
        self.labels.save(image)?;
        image.list(self.items.iter(), |image, item| {
            image.u64(item.prepared.0)?;
            [item.steps, item.vector_bytes].iter().try_for_each(|number| image.u32(*number))
        })?;
        image.bytes(&self.bytes)?;
        image.bytes(&self.hidden)?;
        image.usize(self.spilled)?;
        image.usize(self.spill_bytes)?;
        image.usize(self.told)?;
        let kept = self.checkpoints.as_deref().unwrap_or_default();
        image.list(kept.iter(), |image, vector| image.bytes(vector))
    }

    /// Takes over what was saved, into a stack that is empty.
    pub fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        self.frames = image.list(|image| {
            let (state, label, depth, untried) =
                (Saved::load(image)?, image.u32()?, image.u32()?, image.u32()?);
            Ok(Frame { state, label, depth, untried })
        })?;
        self.untried = Saved::load(image)?;
        self.labels = Saved::load(image)?;
        self.items = image.list(|image| {
            Ok(Item { prepared: Prepared(image.u64()?), steps: image.u32()?, vector_bytes: image.u32()? })
        })?;
        self.bytes = image.bytes()?;
        self.hidden = image.bytes()?;
        (self.spilled, self.spill_bytes, self.told) = (image.usize()?, image.usize()?, image.usize()?);
        let kept = image.list(ImageReader::bytes)?;
        let is_sound = self.spilled <= self.frames.len()
            && self.told <= self.frames.len()
            && self.hidden.len() == self.frames.len() * self.hidden_bytes
            && self.frames.iter().map(|frame| frame.untried as usize).sum::<usize>() == self.untried.len()
            && self.items.iter().map(|item| item.vector_bytes as usize).sum::<usize>() == self.bytes.len()
            && kept.len()
                == self.checkpoints.as_ref().map_or(0, |_| self.frames.len().div_ceil(CHECKPOINT_FRAMES));
        if let Some(checkpoints) = &mut self.checkpoints {
            *checkpoints = kept;
        }
        if is_sound { Ok(()) } else { Err(damaged("a part of the path is missing")) }
    }

    pub fn heap_bytes(&self) -> usize {
        self.base.path.len() * size_of::<Branch>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.untried.capacity() * size_of::<u32>()
            + self.labels.heap_bytes()
            + self.items.capacity() * size_of::<Item>()
            + self.bytes.capacity()
            + self.hidden.capacity()
            + self.checkpoints.as_ref().map_or(0, |kept| {
                kept.first().map_or(0, |first| kept.capacity() * (first.len() + size_of::<Vec<u8>>()))
            })
    }
}

fn size(items: usize, bytes: usize) -> usize {
    items * size_of::<Item>() + bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(stack: &mut Stack, item_count: u32) {
        stack.push(Frame { state: StateRef::made_up(0), label: 0, depth: 0, untried: 0 }, &[0; 8]);
        for end in 0..item_count {
            stack.push_item(Branch { step: 0, end }, Item::new(Prepared(0), 1, &[0; 8]), &[0; 8]);
        }
        stack.spill_if_large();
    }

    #[test]
    fn what_was_computed_again_is_not_spilled_at_once() {
        let mut stack = Stack::new(0, false);
        push(&mut stack, 100);
        push(&mut stack, 1);
        stack.pop_item(&mut Vec::new());
        stack.pop();
        assert!(stack.is_spilled(), "a large frame was, for the sake of the one above it");
        stack.begin_refill(1, 8);
        (0..100).for_each(|_| stack.put_back(Item::new(Prepared(0), 1, &[0; 8]), &[0; 8]));
        stack.end_refill();
        for _ in 0..100 {
            stack.pop_item(&mut Vec::new());
            push(&mut stack, 1);
            stack.pop_item(&mut Vec::new());
            stack.pop();
            assert!(!stack.is_spilled());
        }
        stack.pop();
        assert!(stack.frames.is_empty() && stack.items.is_empty() && stack.bytes.is_empty());
    }

    /// Whatever vectors take, what is put back at once takes no more than is spilled, except for one frame.
    #[test]
    fn no_more_is_computed_again_than_fits() {
        let first = |vector_bytes, with_checkpoints| {
            let mut stack = Stack::new(0, with_checkpoints);
            (0..3).for_each(|_| push(&mut stack, 2));
            stack.items.clear();
            stack.bytes.clear();
            stack.spilled = 3;
            let refill = stack.begin_refill(3, vector_bytes);
            assert_eq!(refill.untried_at, 2 * refill.first);
            (refill.stretch, refill.first, stack.spilled)
        };
        let fits = (SPILL_BYTES - 6 * size_of::<Item>()) / 6;
        assert_eq!((first(fits, false), first(fits, true)), ((0, 0, 0), (0, 0, 0)));
        assert_eq!((first(fits + 1, false), first(fits + 1, true)), ((1, 1, 1), (0, 1, 1)));
        assert_eq!((first(1000, false), first(1000, true)), ((2, 2, 2), (0, 2, 2)));
    }

    /// Whoever follows what was given away knows the whole path there, and may give away some of what it finds.
    #[test]
    fn what_is_given_away_has_its_path() {
        let mut stack = Stack::new(0, false);
        for frame in 0..3u32 {
            let label = stack.labels.label(Branch { step: frame, end: 0 });
            stack.push(Frame { state: StateRef::made_up(0), label, depth: frame, untried: 0 }, &[]);
            for end in 0..3u32 {
                let vector = [frame as u8, end as u8];
                stack.push_item(
                    Branch { step: 10 + frame, end },
                    Item::new(Prepared(0), 2, &vector),
                    &vector,
                );
            }
        }
        let jobs = stack.give_away();
        let given: Vec<_> = jobs.iter().map(|job| (job.vector.clone(), job.depth)).collect();
        assert_eq!(given, [(vec![0, 0], 2), (vec![0, 1], 2), (vec![0, 2], 2), (vec![1, 0], 3)]);
        let branch = |step, end| Branch { step, end };
        let mut other = Stack::new(0, false);
        other.begin_at(jobs[3].base.clone());
        assert_eq!(other.branches_to(0), [branch(1, 0), branch(11, 0)]);
        let fork = other.fork(branch(0, 0), 2).expect("room enough");
        assert_eq!((fork.shared, fork.branches), (0, vec![branch(1, 0), branch(11, 0)]));
        other.push(Frame { state: StateRef::made_up(0), label: 0, depth: 3, untried: 0 }, &[]);
        for end in 0..4 {
            other.push_item(branch(7, end), Item::new(Prepared(0), 1, &[9]), &[9]);
        }
        let jobs = other.give_away();
        assert_eq!(jobs.len(), 2);
        let mut third = Stack::new(0, false);
        third.begin_at(jobs[1].base.clone());
        assert_eq!(third.branches_to(0), [branch(1, 0), branch(11, 0), branch(7, 1)]);
        // The first ones still have what was not given away.
        let mut vector = Vec::new();
        let mut left = Vec::new();
        while let Some(frame) = stack.frames.last() {
            if frame.untried == 0 {
                stack.pop();
            } else {
                stack.pop_item(&mut vector);
                left.push(vector.clone());
            }
        }
        assert_eq!(left, [[2, 2], [2, 1], [2, 0], [1, 2], [1, 1]]);
    }

    /// Three branches: two along the path, and the one at its end.
    #[test]
    fn a_path_is_told_if_there_is_just_room_for_it() {
        let mut stack = Stack::new(0, false);
        (0..3).for_each(|_| push(&mut stack, 0));
        let branch = Branch { step: 7, end: 0 };
        assert!(stack.fork(branch, 2).is_none());
        let fork = stack.fork(branch, 3).expect("room enough");
        assert_eq!((fork.shared, fork.branches.len(), fork.branches[2]), (0, 3, branch));
        // Now only what comes behind the topmost frame's own branch is new.
        let fork = stack.fork(branch, 1).expect("room enough");
        assert_eq!((fork.shared, fork.branches), (2, vec![branch]));
    }
}
