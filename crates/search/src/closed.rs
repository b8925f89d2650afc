//! The states that a search has closed: depth first, those on the path; breadth first, those expanded. The proviso of the
//! reduction asks for them (`por/proviso.rs`).
//!
//! Where the references of a store allow it, nothing is kept but a number, or a bit for each state. Otherwise it is a set,
//! of the path or of what is *not* closed: the queue is shorter than the list of all expanded states (`waiting.rs`).

use crate::grow;
use crate::saved::Saved;
use crate::waiting::Waiting;
use panoptes_store::{ImageReader, ImageWriter, Numbering, StateRef, damaged};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::sync::atomic::{Ordering::SeqCst, fence};

/// In which order a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    DepthFirst,
    BreadthFirst,
}

type Set = HashSet<StateRef, BuildHasherDefault<RefHasher>>;

#[derive(Debug)]
pub(crate) enum Closed {
    /// Breadth first, states are expanded in the order of their references: all up to this one.
    UpTo(StateRef),
    /// Breadth first, all but these.
    Queue(Waiting),
    /// Depth first, a bit for each reference.
    PathBits(SparseBits),
    /// Depth first, these.
    Path(Set),
    /// Breadth first by several workers: all states of this level and those before it. Those of the next have this flag.
    Levels(Fresh),
    /// Depth first by several workers: all that the visited set has.
    Visited,
}

/// The flags of states that were reached since a level began: one level has this one, the next the other. A state loses its flag when
/// it is expanded, so when a flag is used again no state has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh {
    pub now: u8,
    pub before: u8,
}

impl Fresh {
    /// In the level with that number.
    pub fn of_level(number: u64) -> Fresh {
        let now = 1 << (number % 2);
        Fresh { now, before: now ^ 3 }
    }

    /// In the level after it.
    pub fn next(self) -> Fresh {
        Fresh { now: self.before, before: self.now }
    }
}

impl Closed {
    /// None so far, in a store with such references.
    pub fn new(order: Order, numbering: Numbering) -> Closed {
        match (order, numbering) {
            (Order::BreadthFirst, Numbering::Growing) => Closed::UpTo(StateRef::made_up(0)),
            (Order::BreadthFirst, _) => Closed::Queue(Waiting::default()),
            (Order::DepthFirst, Numbering::Scattered) => Closed::Path(Set::default()),
            (Order::DepthFirst, _) => Closed::PathBits(SparseBits::default()),
        }
    }

    pub fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        let (kind, number) = match self {
            Closed::UpTo(last) => (0, last.bits()),
            Closed::Queue(_) => (1, 0),
            Closed::PathBits(_) | Closed::Path(_) => (2, 0),
            Closed::Levels(fresh) => (3, fresh.now.into()),
            Closed::Visited => unreachable!("several workers that go depth first are not written down"),
        };
        (kind as u32, number).save(image)
    }

    /// Takes over what was saved. What waits (breadth first) or is on the path (depth first) is still to be told.
    pub fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        match <(u32, u64)>::load(image)? {
            (0, last) => *self = Closed::UpTo(StateRef::of_image(last)),
            (1, _) => *self = Closed::Queue(Waiting::default()),
            (2, _) if matches!(self, Closed::PathBits(_) | Closed::Path(_)) => {}
            (3, number @ (1 | 2)) => *self = Closed::Levels(Fresh::of_level(number - 1)),
            _ => return Err(damaged("it is of another kind of search")),
        }
        Ok(())
    }

    /// Breadth first, the state was closed and is not expanded yet after all.
    pub fn reopen(&mut self, state: StateRef) {
        match self {
            Closed::UpTo(last) => *last = (*last).min(StateRef::of_image(state.bits().saturating_sub(1))),
            Closed::Queue(states) => {
                // It may wait still.
                states.remove(state);
                states.insert(state);
            }
            // All of the level are closed.
            Closed::Levels(_) => {}
            Closed::PathBits(_) | Closed::Path(_) | Closed::Visited => {
                debug_assert!(false, "only breadth first")
            }
        }
    }

    /// The state is being expanded.
    #[inline]
    pub fn close(&mut self, state: StateRef) {
        match self {
            Closed::UpTo(last) => {
                debug_assert!(*last <= state, "states are expanded in the order in which they were found");
                *last = state;
            }
            Closed::Queue(states) => states.remove(state),
            Closed::PathBits(bits) => bits.set(state),
            Closed::Path(states) => {
                states.insert(state);
            }
            // Whoever looks for this state after it has looked for others finds it; or this one finds those.
            Closed::Visited => fence(SeqCst),
            Closed::Levels(_) => unreachable!("the visited set has the flags"),
        }
    }

    /// Breadth first, the state will be expanded.
    #[inline]
    pub fn enqueue(&mut self, state: StateRef) {
        debug_assert!(matches!(self, Closed::UpTo(_) | Closed::Queue(_)), "only breadth first");
        if let Closed::Queue(states) = self {
            states.insert(state);
        }
    }

    /// Depth first, the path leaves the state.
    #[inline]
    pub fn leave(&mut self, state: StateRef) {
        match self {
            Closed::PathBits(bits) => bits.clear(state),
            Closed::Path(states) => {
                states.remove(&state);
            }
            Closed::Visited => {}
            Closed::UpTo(_) | Closed::Queue(_) | Closed::Levels(_) => {
                debug_assert!(false, "only depth first")
            }
        }
    }

    /// Is the state, which the store has, among them?
    #[inline]
    pub fn contains(&self, state: StateRef) -> bool {
        match self {
            Closed::UpTo(last) => state <= *last,
            Closed::Queue(states) => !states.contains(state),
            Closed::PathBits(bits) => bits.contains(state),
            Closed::Path(states) => states.contains(&state),
            Closed::Visited => true,
            Closed::Levels(_) => unreachable!("the visited set has the flags"),
        }
    }

    pub fn heap_bytes(&self) -> usize {
        match self {
            Closed::UpTo(_) | Closed::Levels(_) | Closed::Visited => 0,
            Closed::Queue(states) => states.heap_bytes(),
            Closed::Path(states) => grow::table_bytes(states.len(), states.capacity(), size_of::<StateRef>()),
            Closed::PathBits(bits) => bits.heap_bytes(),
        }
    }
}

/// Bits by reference, in pages that are there once one of their bits is set. The references of the exact store have wide gaps
/// between them: a bit for every number up to the last would take far more than the states of a small search.
#[derive(Debug, Default)]
pub(crate) struct SparseBits {
    pages: Vec<Option<Box<[u64; PAGE_WORDS]>>>,
    pages_in_use: usize,
}

const PAGE_WORDS: usize = 512;
const PAGE_BITS: usize = PAGE_WORDS * 64;

impl SparseBits {
    #[inline]
    fn set(&mut self, state: StateRef) {
        let number = state.number();
        match self.pages.get_mut(number / PAGE_BITS) {
            Some(Some(page)) => page[word_of(number)] |= bit_of(number),
            // Nobody finds a state that is not stored.
            _ if state == StateRef::NONE => (),
            _ => self.set_first(number),
        }
    }

    /// Sets the first bit of a page.
    #[cold]
    fn set_first(&mut self, number: usize) {
        let index = number / PAGE_BITS;
        if index >= self.pages.len() {
            let more = index + 1 - self.pages.len();
            self.pages.reserve_exact(more + self.pages.len() / 4);
            self.pages.resize_with(index + 1, || None);
        }
        let mut page = Box::new([0; PAGE_WORDS]);
        page[word_of(number)] = bit_of(number);
        self.pages[index] = Some(page);
        self.pages_in_use += 1;
    }

    #[inline]
    fn clear(&mut self, state: StateRef) {
        let number = state.number();
        if let Some(Some(page)) = self.pages.get_mut(number / PAGE_BITS) {
            page[word_of(number)] &= !bit_of(number);
        }
    }

    #[inline]
    fn contains(&self, state: StateRef) -> bool {
        let number = state.number();
        match self.pages.get(number / PAGE_BITS) {
            Some(Some(page)) => page[word_of(number)] & bit_of(number) != 0,
            _ => false,
        }
    }

    fn heap_bytes(&self) -> usize {
        self.pages.capacity() * size_of::<Option<Box<[u64; PAGE_WORDS]>>>()
            + self.pages_in_use * PAGE_WORDS * size_of::<u64>()
    }
}

#[inline]
fn word_of(number: usize) -> usize {
    number % PAGE_BITS / 64
}

#[inline]
fn bit_of(number: usize) -> u64 {
    1 << (number % 64)
}

/// References are numbers that differ; one multiplication spreads them.
#[inline]
pub(crate) fn spread(number: u64) -> u64 {
    let product = u128::from(number) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

#[derive(Default)]
pub(crate) struct RefHasher(u64);

impl Hasher for RefHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = spread(self.0 ^ number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERINGS: [Numbering; 3] = [Numbering::Scattered, Numbering::Dense, Numbering::Growing];

    #[test]
    fn breadth_first_all_that_is_expanded_is_closed() {
        for numbering in NUMBERINGS {
            let mut closed = Closed::new(Order::BreadthFirst, numbering);
            let states = [0, 5, 9, 1000].map(StateRef::made_up);
            states[1..].iter().for_each(|state| closed.enqueue(*state));
            for done in 0..states.len() {
                closed.close(states[done]);
                for (index, state) in states.iter().enumerate() {
                    assert_eq!(closed.contains(*state), index <= done, "{numbering:?} {done} {index}");
                }
            }
        }
    }

    #[test]
    fn depth_first_the_path_is_closed() {
        for numbering in NUMBERINGS {
            let mut closed = Closed::new(Order::DepthFirst, numbering);
            let path = [StateRef::made_up(0), StateRef::made_up(100), StateRef::NONE, StateRef::made_up(64)];
            path.iter().for_each(|state| closed.close(*state));
            assert!(!closed.contains(StateRef::made_up(1)) && !closed.contains(StateRef::made_up(100_000)));
            for end in (0..path.len()).rev() {
                for state in path.iter().filter(|state| **state != StateRef::NONE) {
                    assert_eq!(closed.contains(*state), path[..=end].contains(state), "{numbering:?}");
                }
                closed.leave(path[end]);
            }
            assert!(closed.heap_bytes() > 0 && closed.heap_bytes() < 5000);
        }
    }

    #[test]
    fn wide_gaps_between_references_take_next_to_nothing() {
        let mut closed = Closed::new(Order::DepthFirst, Numbering::Growing);
        let chunks = [0, 1, 2, 40].map(|chunk| StateRef::made_up((chunk << 23) + 7));
        chunks.iter().for_each(|state| closed.close(*state));
        assert!(chunks.iter().all(|state| closed.contains(*state)));
        assert!(!closed.contains(StateRef::made_up(7 + (3 << 23))));
        closed.leave(chunks[3]);
        assert!(!closed.contains(chunks[3]) && closed.contains(chunks[2]));
        assert!((4 * 4096..200_000).contains(&closed.heap_bytes()), "{}", closed.heap_bytes());
    }
}
