//! One worker's share in levels that several work off together.
//!
//! The level at hand never changes; workers take pieces of it, each the next one that nobody has. What they reach for the next level
//! each keeps for itself, until all have ended theirs.

use super::levels::{Form, Level};
use super::{Entry, Frontier};
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A piece has at least so many states, if there are as many left: some batches. (Few in tests, so that there are many pieces.)
const PIECE_MIN: usize = if cfg!(test) { 2 } else { 32 };
const PIECE_MAX: usize = 1024;
/// The pieces of a level that a worker takes, about: so that all end at about the same time.
const PIECES_A_WORKER: usize = 32;

/// A level that several work off.
#[derive(Default)]
pub(crate) struct SharedLevel {
    /// Levels count, from the first one that was shared.
    pub number: u64,
    /// As the workers have made them.
    parts: Vec<Level>,
    /// How many states there are up to the end of each part.
    ends: Vec<usize>,
    piece: usize,
    taken: AtomicUsize,
    /// Room for what workers reach, from levels that are over: memory that need not be asked for again.
    spares: Mutex<Vec<Level>>,
}

impl SharedLevel {
    /// Of the parts, so many states at the beginning are done with.
    pub fn new(
        number: u64,
        (parts, taken): (Vec<Level>, usize),
        workers: usize,
        mut spares: Vec<Level>,
    ) -> SharedLevel {
        spares.truncate(workers);
        let ends: Vec<usize> = parts
            .iter()
            .scan(0, |sum, part| {
                *sum += part.len();
                Some(*sum)
            })
            .collect();
        let len = ends.last().copied().unwrap_or_default();
        let piece = (len / (workers * PIECES_A_WORKER)).clamp(PIECE_MIN, PIECE_MAX);
        let (taken, spares) = (AtomicUsize::new(taken), Mutex::new(spares));
        SharedLevel { number, parts, ends, piece, taken, spares }
    }

    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    /// The next piece that nobody has; empty when there is none.
    fn take(&self) -> Range<usize> {
        let start = self.taken.fetch_add(self.piece, Relaxed).min(self.len());
        start..(start + self.piece).min(self.len())
    }

    pub fn heap_bytes(&self) -> usize {
        let spares: usize = self.spares().iter().map(Level::heap_bytes).sum();
        self.parts.iter().map(Level::heap_bytes).sum::<usize>() + spares
    }

    /// What nobody has taken, and how many states at its beginning somebody has.
    pub fn into_rest(self) -> (Vec<Level>, usize) {
        let taken = self.taken.into_inner();
        let done = self.ends.partition_point(|end| *end <= taken);
        let before = if done == 0 { 0 } else { self.ends[done - 1] };
        let parts: Vec<Level> = self.parts.into_iter().skip(done).collect();
        let taken = if parts.is_empty() { 0 } else { taken - before };
        (parts, taken)
    }

    /// What can be used again, the largest first, when the level is over.
    pub fn into_spares(self) -> Vec<Level> {
        let SharedLevel { mut parts, spares, .. } = self;
        parts.append(&mut spares.into_inner().unwrap_or_else(PoisonError::into_inner));
        parts.iter_mut().for_each(Level::clear);
        parts.sort_by_key(|part| Reverse(part.heap_bytes()));
        parts
    }

    fn spares(&self) -> MutexGuard<'_, Vec<Level>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Share {
    form: Form,
    level: Arc<SharedLevel>,
    /// What is left of the worker's piece, which begins in this part.
    piece: Range<usize>,
    part: usize,
    next: Level,
    /// What was given back.
    unfinished: Level,
    /// The search is to end at once.
    is_halted: Arc<AtomicBool>,
    /// Is the level at hand among what this worker's share takes? One of them counts it.
    counts_level: bool,
}

impl Share {
    pub fn of(form: Form, is_halted: Arc<AtomicBool>, counts_level: bool) -> Share {
        let (level, next, unfinished) = (Arc::default(), Level::default(), Level::default());
        Share { form, level, piece: 0..0, part: 0, next, unfinished, is_halted, counts_level }
    }

    /// Goes on with a level.
    pub fn begin(&mut self, level: Arc<SharedLevel>) {
        (self.level, self.piece, self.part) = (level, 0..0, 0);
        if self.next.heap_bytes() == 0 {
            self.next = self.level.spares().pop().unwrap_or_default();
        }
    }

    /// What was reached for the next level, and what this worker took of the one before and did not finish.
    pub fn end(&mut self) -> (Level, Level) {
        let mut vector = Vec::new();
        while !self.piece.is_empty()
            && let Some(entry) = self.pop(&mut vector)
        {
            self.unfinished.push(self.form, entry, &vector);
        }
        let (next, unfinished) = (std::mem::take(&mut self.next), std::mem::take(&mut self.unfinished));
        self.begin(Arc::default());
        (next, unfinished)
    }
}

impl Frontier for Share {
    const BY_STEPS: bool = false;
    const IS_SHARED: bool = true;

    fn new(_: usize, _: bool) -> Share {
        unreachable!("a share is made of levels that are there")
    }

    #[inline]
    fn push(&mut self, entry: Entry, vector: &[u8]) {
        self.next.push(self.form, entry, vector);
    }

    fn next_level(&mut self) -> bool {
        unreachable!("all workers go on to the next level together")
    }

    #[inline]
    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Entry> {
        if self.piece.is_empty() {
            self.piece = self.level.take();
            self.part = self.level.ends.partition_point(|end| *end <= self.piece.start);
        }
        let index = self.piece.next()?;
        while self.level.ends[self.part] <= index {
            self.part += 1;
        }
        let start = if self.part == 0 { 0 } else { self.level.ends[self.part - 1] };
        self.level.parts[self.part].get(self.form, index - start, vector)
    }

    fn give_back(&mut self, entry: Entry, vector: &[u8]) {
        self.unfinished.push(self.form, entry, vector);
    }

    #[inline]
    fn is_halted(&self) -> bool {
        self.is_halted.load(Relaxed)
    }

    fn heap_bytes(&self) -> usize {
        self.next.heap_bytes() + if self.counts_level { self.level.heap_bytes() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::{At, Levels};
    use crate::parents::NodeId;
    use panoptes_store::StateRef;

    /// Whoever takes them, all states of all parts are taken once, with their own vectors.
    #[test]
    fn each_state_is_taken_once() {
        for workers in 1..4 {
            let (form, _) = Levels::new(0, false).into_parts();
            let mut number = 0u32;
            let parts = [3, 0, 7, 1, 0].map(|count| {
                let mut part = Level::default();
                for _ in 0..count {
                    let at = At::State(StateRef::made_up(number));
                    let entry = Entry { node: NodeId::ROOT, depth: 1, at };
                    part.push(form, entry, &vec![number as u8; number as usize % 3]);
                    number += 1;
                }
                part
            });
            let level = Arc::new(SharedLevel::new(0, (parts.into(), 0), workers, Vec::new()));
            assert_eq!(level.len(), 11);
            let mut shares: Vec<Share> =
                (0..workers).map(|_| Share::of(form, Arc::default(), false)).collect();
            shares.iter_mut().for_each(|share| share.begin(level.clone()));
            let (mut taken, mut vector) = (Vec::new(), Vec::new());
            for turn in 0..100 {
                let Some(entry) = shares[turn % workers].pop(&mut vector) else { continue };
                let At::State(state) = entry.at else { unreachable!() };
                assert_eq!(vector, vec![state.number() as u8; state.number() % 3]);
                taken.push(state.number());
            }
            taken.sort_unstable();
            assert_eq!(taken, (0..11).collect::<Vec<_>>());
        }
    }
}
