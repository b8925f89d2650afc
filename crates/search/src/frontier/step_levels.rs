//! Levels of steps: what is reached in the same number of them, states by reference and transient configurations whole.
//!
//! A process that lets go makes a state of its own level, while the level's other expansions make states of the next.
//! A state that was already reached for the next level can so turn out to be of this one: it is then expanded at once
//! ([`StepLevels::claim`]), and skipped when its turn comes.

use super::{At, Chain, Entry, Frontier};
use crate::chain::{Fingerprint, LinkId, Links};
use crate::grow;
use crate::parents::NodeId;
use panoptes_store::StateRef;
use std::collections::HashSet;

pub(crate) struct StepLevels {
    hidden_bytes: usize,
    level: Level,
    /// How much of the level is taken: entries, and their bytes.
    taken: (usize, usize),
    next: Level,
    depth: u32,
    /// The chains of transient configurations in both levels.
    links: Links,
    /// The states of this level that a process let go: they are expanded already.
    let_go: HashSet<StateRef>,
    /// Those of the level before.
    done: HashSet<StateRef>,
    /// The states of `next`, once a process has let go in this level.
    next_states: Option<HashSet<StateRef>>,
}

/// The entries of one level, and their bytes end to end.
#[derive(Default)]
struct Level {
    entries: Vec<Item>,
    bytes: Vec<u8>,
    transient_count: usize,
}

#[derive(Clone, Copy)]
enum Item {
    /// With the hidden part of its vector.
    State { node: NodeId, state: StateRef },
    /// With its whole vector.
    Transient { node: NodeId, control: u8, vector_bytes: u32, link: LinkId, length: u32 },
}

impl Frontier for StepLevels {
    const BY_STEPS: bool = true;

    fn new(hidden_bytes: usize, keeps_vectors: bool) -> StepLevels {
        assert!(keeps_vectors, "states are read back from the visited set");
        StepLevels {
            hidden_bytes,
            level: Level::default(),
            taken: (0, 0),
            next: Level::default(),
            depth: 0,
            links: Links::default(),
            let_go: HashSet::new(),
            done: HashSet::new(),
            next_states: None,
        }
    }

    #[inline]
    fn push(&mut self, entry: Entry, vector: &[u8]) {
        let (node, next) = (entry.node, &mut self.next);
        match entry.at {
            At::State(state) => {
                grow::push(&mut next.entries, Item::State { node, state });
                grow::extend(&mut next.bytes, &vector[..self.hidden_bytes]);
                if let Some(states) = &mut self.next_states {
                    states.insert(state);
                }
            }
            At::Transient(Chain { control, link, length }) => {
                let vector_bytes = vector.len() as u32;
                grow::push(&mut next.entries, Item::Transient { node, control, vector_bytes, link, length });
                grow::extend(&mut next.bytes, vector);
                next.transient_count += 1;
            }
        }
    }

    fn next_level(&mut self) -> bool {
        self.depth = if self.level.entries.is_empty() { 0 } else { self.depth + 1 };
        self.level.clear();
        self.taken = (0, 0);
        std::mem::swap(&mut self.level, &mut self.next);
        if self.level.transient_count == 0 {
            self.links.clear();
        }
        self.done = std::mem::take(&mut self.let_go);
        self.next_states = None;
        !self.level.entries.is_empty()
    }

    #[inline]
    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Entry> {
        loop {
            let (index, start) = self.taken;
            let (node, at, bytes) = match *self.level.entries.get(index)? {
                Item::State { node, state } => (node, At::State(state), self.hidden_bytes),
                Item::Transient { node, control, vector_bytes, link, length } => {
                    (node, At::Transient(Chain { control, link, length }), vector_bytes as usize)
                }
            };
            self.taken = (index + 1, start + bytes);
            if matches!(at, At::State(state) if self.done.contains(&state)) {
                continue;
            }
            vector.clear();
            vector.extend_from_slice(&self.level.bytes[start..start + bytes]);
            return Some(Entry { node, depth: self.depth, at });
        }
    }

    #[inline]
    fn extend(&mut self, chain: Chain, vector: &[u8]) -> Option<Chain> {
        let length = chain.length + 1;
        let fingerprint = Fingerprint::of(vector, chain.control);
        let link = self.links.extend(chain.link, length, fingerprint)?;
        Some(Chain { link, length, ..chain })
    }

    fn claim(&mut self, state: StateRef, is_new: bool) -> bool {
        let next = self.next_states.get_or_insert_with(|| self.next.states().collect());
        (is_new || next.contains(&state)) && self.let_go.insert(state)
    }

    fn heap_bytes(&self) -> usize {
        let set_bytes =
            |set: &HashSet<StateRef>| grow::table_bytes(set.len(), set.capacity(), size_of::<StateRef>());
        let sets = [Some(&self.let_go), Some(&self.done), self.next_states.as_ref()];
        let sets: usize = sets.into_iter().flatten().map(set_bytes).sum();
        self.level.heap_bytes() + self.next.heap_bytes() + self.links.heap_bytes() + sets
    }
}

impl Level {
    /// The states among the entries.
    fn states(&self) -> impl Iterator<Item = StateRef> {
        self.entries.iter().filter_map(|entry| match entry {
            Item::State { state, .. } => Some(*state),
            Item::Transient { .. } => None,
        })
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.transient_count = 0;
    }

    fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Item>() + self.bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_tell_what_they_take() {
        let (mut states, mut transients) = (StepLevels::new(0, true), StepLevels::new(0, true));
        for number in 0..3000 {
            let entry = |at| Entry { node: NodeId::ROOT, depth: 0, at };
            states.push(entry(At::State(StateRef::made_up(number))), &[]);
            let chain = Chain { control: 0, link: LinkId::NONE, length: 1 };
            transients.push(entry(At::Transient(chain)), &[0; 500]);
        }
        let items = 3000 * size_of::<Item>();
        assert!((items..2 * items).contains(&states.heap_bytes()));
        assert!((items + 3000 * 500..2 * 3000 * 520).contains(&transients.heap_bytes()));
    }
}
