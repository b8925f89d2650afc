//! Levels of states: what is reached by the same number of indivisible sequences.

use super::{At, Entry, Frontier};
use crate::grow;
use crate::parents::NodeId;
use panoptes_store::StateRef;

pub(crate) struct Levels {
    hidden_bytes: usize,
    keeps_vectors: bool,
    /// The level that is worked off, and how much of it is.
    level: Level,
    taken: usize,
    next: Level,
}

/// The states of one level, and what the visited set does not have of their vectors, end to end: the hidden parts or, if it
/// keeps no vectors, all.
#[derive(Default)]
struct Level {
    states: Vec<Item>,
    bytes: Vec<u8>,
    /// Where the bytes of each state end, if it is not the same length for all.
    ends: Vec<usize>,
}

struct Item {
    state: StateRef,
    node: NodeId,
    depth: u32,
}

impl Frontier for Levels {
    const BY_STEPS: bool = false;

    fn new(hidden_bytes: usize, keeps_vectors: bool) -> Levels {
        Levels { hidden_bytes, keeps_vectors, level: Level::default(), taken: 0, next: Level::default() }
    }

    #[inline]
    fn push(&mut self, entry: Entry, vector: &[u8]) {
        let At::State(state) = entry.at else { unreachable!("chains are followed to their ends") };
        grow::push(&mut self.next.states, Item { state, node: entry.node, depth: entry.depth });
        if self.keeps_vectors {
            if self.hidden_bytes > 0 {
                grow::extend(&mut self.next.bytes, &vector[..self.hidden_bytes]);
            }
        } else {
            grow::extend(&mut self.next.bytes, vector);
            grow::push(&mut self.next.ends, self.next.bytes.len());
        }
    }

    fn next_level(&mut self) -> bool {
        self.level.clear();
        self.taken = 0;
        std::mem::swap(&mut self.level, &mut self.next);
        !self.level.states.is_empty()
    }

    #[inline]
    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Entry> {
        let Item { state, node, depth } = *self.level.states.get(self.taken)?;
        vector.clear();
        vector.extend_from_slice(if self.keeps_vectors {
            &self.level.bytes[self.taken * self.hidden_bytes..][..self.hidden_bytes]
        } else {
            let start = if self.taken == 0 { 0 } else { self.level.ends[self.taken - 1] };
            &self.level.bytes[start..self.level.ends[self.taken]]
        });
        self.taken += 1;
        Some(Entry { node, depth, at: At::State(state) })
    }

    fn heap_bytes(&self) -> usize {
        self.level.heap_bytes() + self.next.heap_bytes()
    }
}

impl Level {
    fn clear(&mut self) {
        self.states.clear();
        self.bytes.clear();
        self.ends.clear();
    }

    fn heap_bytes(&self) -> usize {
        self.states.capacity() * size_of::<Item>()
            + self.bytes.capacity()
            + self.ends.capacity() * size_of::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(state: u32) -> Entry {
        Entry { node: NodeId::ROOT, depth: 0, at: At::State(StateRef::made_up(state)) }
    }

    #[test]
    fn levels_tell_what_they_take() {
        let (mut references, mut vectors) = (Levels::new(0, true), Levels::new(0, false));
        for _ in 0..3000 {
            references.push(entry(0), &[0; 100]);
            vectors.push(entry(0), &[0; 100]);
        }
        let states = 3000 * size_of::<Item>();
        assert!((states..2 * states).contains(&references.heap_bytes()));
        let whole = states + 3000 * (100 + size_of::<usize>());
        assert!((whole..2 * whole).contains(&vectors.heap_bytes()));
    }

    #[test]
    fn a_level_gives_its_states_in_order_with_what_the_visited_set_does_not_have() {
        let taken = |keeps_vectors, bytes: [&[u8]; 2]| {
            let mut levels = Levels::new(1, keeps_vectors);
            levels.push(entry(4), &[4, 40]);
            levels.push(entry(5), &[5, 50, 51]);
            let mut vector = Vec::new();
            assert!(levels.pop(&mut vector).is_none(), "they are of the next level");
            assert!(levels.next_level());
            for (number, expected) in [4, 5].into_iter().zip(bytes) {
                let found = levels.pop(&mut vector).expect("an entry");
                assert!(matches!(found.at, At::State(state) if state == StateRef::made_up(number)));
                assert_eq!(vector, expected);
            }
            assert!(levels.pop(&mut vector).is_none() && !levels.next_level());
        };
        taken(true, [&[4], &[5]]);
        taken(false, [&[4, 40], &[5, 50, 51]]);
    }
}
