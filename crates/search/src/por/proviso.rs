//! The proviso that nothing is put off for ever.
//!
//! A search that follows only some processes may go round in a circle and never come to the others. So one of the
//! successors that are followed must be a state that the search is not done with *before* the state itself: a step that
//! was left out here is then possible there, and is taken there or put off once more, but not for ever, because the
//! search ends. If there is no such successor, other processes are chosen, or all are.
//!
//! - Depth first, a state is done with when the search goes back from it. What is not on the current path is done with
//!   already or will be before the path is left.
//! - Breadth first, a state passes what it left out on to states that are expanded later, until one leaves out nothing.
//!
//! So both searches *close* states: those on the path, or those expanded; and some chosen successor must be open.
//! (Holzmann, Godefroid and Pirottin 1992 depth first; Bošnački, Leue and Lluch Lafuente 2006 in general.)
//!
//! Inside an atomic sequence the successors that count are the states where it ends, so it is run ahead.

use super::Choice;
use crate::Bitset;
use crate::chain::Fingerprint;
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_store::{ExactStore, StateIndex, hash};

/// Configurations of an atomic sequence that are run ahead; where that is not enough, all successors are followed.
const AHEAD_MAX: usize = 200;

#[derive(Default)]
pub(crate) struct Proviso {
    /// By number of the state.
    closed: Bitset,
    /// For running ahead.
    out: Successors,
    todo: Vec<(Vec<u8>, u8)>,
    seen: Vec<Fingerprint>,
}

impl Proviso {
    pub fn close(&mut self, state: StateIndex) {
        self.closed.insert(state.index());
    }

    pub fn open(&mut self, state: StateIndex) {
        self.closed.remove(state.index());
    }

    pub fn heap_bytes(&self) -> usize {
        self.closed.heap_bytes()
    }

    /// Does one of the chosen successors lead to an open state?
    pub fn holds(
        &mut self,
        choice: Choice,
        out: &Successors,
        store: &ExactStore,
        executor: &mut dyn Executor,
    ) -> bool {
        let hidden = executor.hidden_bytes();
        let chosen = || out.items.iter().filter(|item| item.has_state && choice.includes(item.step));
        chosen().any(|item| item.control.is_none() && self.is_open(out.state(item), hidden, store)) || {
            self.seen.clear();
            chosen().any(|item| match item.control {
                Some(pid) => self.ends_open(out.state(item), pid, hidden, store, executor),
                None => false,
            })
        }
    }

    fn is_open(&self, vector: &[u8], hidden: usize, store: &ExactStore) -> bool {
        let key = &vector[hidden..];
        store.find_hashed(hash(key), key).is_none_or(|state| !self.closed.contains(state.index()))
    }

    /// Does the atomic sequence that `pid` is in lead to an open state?
    fn ends_open(
        &mut self,
        vector: &[u8],
        pid: u8,
        hidden: usize,
        store: &ExactStore,
        executor: &mut dyn Executor,
    ) -> bool {
        let mut out = std::mem::take(&mut self.out);
        self.todo.clear();
        self.todo.push((vector.to_vec(), pid));
        let mut found = false;
        while let Some((vector, pid)) = self.todo.pop() {
            let fingerprint = Fingerprint::of(&vector, pid);
            if self.seen.contains(&fingerprint) {
                continue;
            }
            self.seen.push(fingerprint);
            executor.successors(&vector, Some(pid), &mut out);
            found = match out.ending {
                Ending::Moves => out.items.iter().any(|item| {
                    item.has_state && item.control.is_none() && self.is_open(out.state(item), hidden, store)
                }),
                _ => self.is_open(&vector, hidden, store),
            };
            if found || self.seen.len() > AHEAD_MAX {
                break;
            }
            let going_on = out.items.iter().filter(|item| item.has_state && out.ending == Ending::Moves);
            self.todo.extend(going_on.filter_map(|item| Some((out.state(item).to_vec(), item.control?))));
        }
        self.out = out;
        found
    }
}
