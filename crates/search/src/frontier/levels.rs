//! Levels of states: what is reached by the same number of indivisible sequences.

use super::{At, Entry, Frontier};
use crate::grow;
use crate::parents::NodeId;
use panoptes_store::StateRef;

pub(crate) struct Levels {
    form: Form,
    /// The level that is worked off, and how much of it is.
    level: Level,
    taken: usize,
    next: Level,
}

/// What of a state's vector stands in a level.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    hidden_bytes: usize,
    /// The visited set has all but these.
    keeps_vectors: bool,
}

/// The states of one level, and what the visited set does not have of their vectors, end to end: the hidden parts or, if it
/// keeps no vectors, all.
#[derive(Default)]
pub(crate) struct Level {
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
        let form = Form { hidden_bytes, keeps_vectors };
        Levels { form, level: Level::default(), taken: 0, next: Level::default() }
    }

    #[inline]
    fn push(&mut self, entry: Entry, vector: &[u8]) {
        self.next.push(self.form, entry, vector);
    }

    fn next_level(&mut self) -> bool {
        self.level.clear();
        self.taken = 0;
        std::mem::swap(&mut self.level, &mut self.next);
        !self.level.states.is_empty()
    }

    #[inline]
    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Entry> {
        let entry = self.level.get(self.form, self.taken, vector)?;
        self.taken += 1;
        Some(entry)
    }

    fn heap_bytes(&self) -> usize {
        self.level.heap_bytes() + self.next.heap_bytes()
    }
}

impl Levels {
    /// How many states the level has.
    pub fn len(&self) -> usize {
        self.level.len()
    }

    /// The level, of which nothing has been taken so far.
    pub fn into_level(self) -> (Form, Level) {
        debug_assert!(self.taken == 0 && self.next.len() == 0);
        (self.form, self.level)
    }
}

impl Level {
    pub fn len(&self) -> usize {
        self.states.len()
    }

    #[inline(always)]
    pub fn push(&mut self, form: Form, entry: Entry, vector: &[u8]) {
        let At::State(state) = entry.at else { unreachable!("chains are followed to their ends") };
        grow::push(&mut self.states, Item { state, node: entry.node, depth: entry.depth });
        if form.keeps_vectors {
            if form.hidden_bytes > 0 {
                grow::extend(&mut self.bytes, &vector[..form.hidden_bytes]);
            }
        } else {
            grow::extend(&mut self.bytes, vector);
            grow::push(&mut self.ends, self.bytes.len());
        }
    }

    /// The state with that number, and into `vector` what the visited set does not have of it.
    #[inline(always)]
    pub fn get(&self, form: Form, index: usize, vector: &mut Vec<u8>) -> Option<Entry> {
        let Item { state, node, depth } = *self.states.get(index)?;
        vector.clear();
        vector.extend_from_slice(if form.keeps_vectors {
            &self.bytes[index * form.hidden_bytes..][..form.hidden_bytes]
        } else {
            let start = if index == 0 { 0 } else { self.ends[index - 1] };
            &self.bytes[start..self.ends[index]]
        });
        Some(Entry { node, depth, at: At::State(state) })
    }

    pub fn clear(&mut self) {
        self.states.clear();
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn heap_bytes(&self) -> usize {
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
