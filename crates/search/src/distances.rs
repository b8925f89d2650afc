//! How far each state is from the initial one, as far as a directed search knows: what re-opening needs.
//!
//! A state that was expanded and is then reached in fewer steps is expanded again, since what lies behind it is nearer as well.

use crate::closed::RefHasher;
use crate::grow;
use panoptes_store::StateRef;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

type Table<V> = HashMap<StateRef, V, BuildHasherDefault<RefHasher>>;

#[derive(Default)]
pub(crate) struct Distances {
    known: Table<Known>,
    /// The states whose last expansion the depth bound cut, with the lookups counted for it.
    cut: Table<u64>,
}

#[derive(Clone, Copy)]
struct Known {
    depth: u32,
    /// The depth at which it was expanded last; none so far if this is [`NOT_YET`].
    expanded: u32,
}

const NOT_YET: u32 = u32::MAX;

/// What is known of a state that comes to be expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The depth at which it was expanded before, if it was.
    pub before: Option<u32>,
    /// Its lookups count: they did not before, or not all.
    pub is_counted: bool,
    /// Lookups that a cut expansion counted, which are now counted again.
    pub forgotten: u64,
}

impl Distances {
    /// A state was reached in so many steps: is that nearer than before?
    pub fn is_nearer(&mut self, state: StateRef, depth: u32) -> bool {
        match self.known.entry(state) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(Known { depth, expanded: NOT_YET });
                true
            }
            std::collections::hash_map::Entry::Occupied(mut entry) => {
                let is_nearer = depth < entry.get().depth;
                if is_nearer {
                    entry.get_mut().depth = depth;
                }
                is_nearer
            }
        }
    }

    /// It is a state's turn that waited at this depth; none if it was reached in fewer steps meanwhile.
    pub fn turn(&mut self, state: StateRef, depth: u32) -> Option<Turn> {
        let known = self.known.get_mut(&state)?;
        if depth != known.depth || known.expanded == depth {
            return None;
        }
        let before = (known.expanded != NOT_YET).then_some(known.expanded);
        known.expanded = depth;
        let cut = self.cut.remove(&state);
        Some(Turn { before, is_counted: before.is_none() || cut.is_some(), forgotten: cut.unwrap_or(0) })
    }

    /// A state whose turn it was waits once more.
    pub fn take_back(&mut self, state: StateRef, turn: Turn) {
        if let Some(known) = self.known.get_mut(&state) {
            known.expanded = turn.before.unwrap_or(NOT_YET);
            if turn.is_counted && turn.before.is_some() {
                self.cut.insert(state, turn.forgotten);
            }
        }
    }

    /// The bound cut something behind the state, for which so many lookups were counted.
    pub fn note_cut(&mut self, state: StateRef, lookups: u64) {
        self.cut.insert(state, lookups);
    }

    /// Did the bound leave something unseen?
    pub fn is_cut(&self) -> bool {
        !self.cut.is_empty()
    }

    pub fn heap_bytes(&self) -> usize {
        let known =
            grow::table_bytes(self.known.len(), self.known.capacity(), size_of::<(StateRef, Known)>());
        known + grow::table_bytes(self.cut.len(), self.cut.capacity(), size_of::<(StateRef, u64)>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_way_opens_a_state_again() {
        let (mut distances, state) = (Distances::default(), StateRef::made_up(3));
        assert!(distances.is_nearer(state, 7) && !distances.is_nearer(state, 7));
        assert!(distances.is_nearer(state, 5));
        assert_eq!(distances.turn(state, 7), None, "it waits at another place by now");
        assert_eq!(distances.turn(state, 5), Some(Turn { before: None, is_counted: true, forgotten: 0 }));
        assert_eq!(distances.turn(state, 5), None);
        distances.note_cut(state, 4);
        assert!(distances.is_cut() && distances.is_nearer(state, 2));
        assert_eq!(distances.turn(state, 2), Some(Turn { before: Some(5), is_counted: true, forgotten: 4 }));
        assert!(!distances.is_cut() && distances.is_nearer(state, 1));
        assert_eq!(distances.turn(state, 1), Some(Turn { before: Some(2), is_counted: false, forgotten: 0 }));
        assert!(distances.heap_bytes() > 0);
    }
}
