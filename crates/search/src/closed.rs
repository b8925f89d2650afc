//! The states that a search has closed: depth first, those on the path; breadth first, those expanded. The proviso of the
//! reduction asks for them (`por/proviso.rs`).
//!
//! Where the references of a store allow it, nothing is kept but a number, or a bit for each state. Otherwise it is a set,
//! of the path or of what is *not* closed: the queue is shorter than the list of all expanded states.

use crate::grow;
use panoptes_store::{Numbering, StateRef};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

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
    Queue(Set),
    /// Depth first, a bit for each reference.
    PathBits(Vec<u64>),
    /// Depth first, these.
    Path(Set),
}

impl Closed {
    /// None so far, in a store with such references.
    pub fn new(order: Order, numbering: Numbering) -> Closed {
        match (order, numbering) {
            (Order::BreadthFirst, Numbering::Growing) => Closed::UpTo(StateRef::made_up(0)),
            (Order::BreadthFirst, _) => Closed::Queue(Set::default()),
            (Order::DepthFirst, Numbering::Scattered) => Closed::Path(Set::default()),
            (Order::DepthFirst, _) => Closed::PathBits(Vec::new()),
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
            Closed::Queue(states) => {
                states.remove(&state);
            }
            Closed::PathBits(words) => set_bit(words, state),
            Closed::Path(states) => {
                states.insert(state);
            }
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
            Closed::PathBits(words) => {
                if let Some(word) = words.get_mut(word_of(state)) {
                    *word &= !bit_of(state);
                }
            }
            Closed::Path(states) => {
                states.remove(&state);
            }
            Closed::UpTo(_) | Closed::Queue(_) => debug_assert!(false, "only depth first"),
        }
    }

    /// Is the state, which the store has, among them?
    #[inline]
    pub fn contains(&self, state: StateRef) -> bool {
        match self {
            Closed::UpTo(last) => state <= *last,
            Closed::Queue(states) => !states.contains(&state),
            Closed::PathBits(words) => {
                words.get(word_of(state)).is_some_and(|word| word & bit_of(state) != 0)
            }
            Closed::Path(states) => states.contains(&state),
        }
    }

    pub fn heap_bytes(&self) -> usize {
        match self {
            Closed::UpTo(_) => 0,
            Closed::Queue(states) | Closed::Path(states) => {
                grow::table_bytes(states.len(), states.capacity(), size_of::<StateRef>())
            }
            Closed::PathBits(words) => words.capacity() * size_of::<u64>(),
        }
    }
}

#[inline]
fn word_of(state: StateRef) -> usize {
    state.number() / 64
}

#[inline]
fn bit_of(state: StateRef) -> u64 {
    1 << (state.number() % 64)
}

#[inline]
fn set_bit(words: &mut Vec<u64>, state: StateRef) {
    if word_of(state) >= words.len() {
        // Nobody finds a state that is not stored.
        if state == StateRef::NONE {
            return;
        }
        let more = word_of(state) + 1 - words.len() + words.len() / 4;
        words.reserve_exact(more);
        words.resize(words.len() + more, 0);
    }
    words[word_of(state)] |= bit_of(state);
}

/// References are numbers that differ; one multiplication spreads them.
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
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
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
            assert!(closed.heap_bytes() > 0 && closed.heap_bytes() < 1000);
        }
    }
}
