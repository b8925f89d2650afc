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
//! So both searches *close* states: those on the path, or those expanded (`closed.rs`); and some chosen successor must be open.
//! (Holzmann, Godefroid and Pirottin 1992 depth first; Bošnački, Leue and Lluch Lafuente 2006 in general.)
//!
//! Inside an atomic sequence the successors that count are the states where it ends, so it is run ahead.

use super::Choice;
use crate::chain::Fingerprint;
use panoptes_exec::{Ending, Executor, Successors};
use panoptes_store::{OutOfMemory, Prepared};

/// Configurations of an atomic sequence that are run ahead; where that is not enough, all successors are followed.
const AHEAD_MAX: usize = 200;

/// Tells whether the search is not done with a state before the one at hand. The state's lookup may have begun.
pub(crate) trait IsOpen: FnMut(&[u8], Option<Prepared>) -> Result<bool, OutOfMemory> {}

impl<F: FnMut(&[u8], Option<Prepared>) -> Result<bool, OutOfMemory>> IsOpen for F {}

/// Runs ahead within atomic sequences.
#[derive(Default)]
pub(crate) struct Proviso {
    out: Successors,
    todo: Vec<(Vec<u8>, u8)>,
    seen: Vec<Fingerprint>,
}

impl Proviso {
    /// Does one of the chosen successors lead to an open state? `is_open` asks the search.
    pub fn holds(
        &mut self,
        choice: Choice,
        out: &Successors,
        begun: &[Prepared],
        is_open: &mut impl IsOpen,
        executor: &mut dyn Executor,
    ) -> Result<bool, OutOfMemory> {
        let chosen = || {
            let chosen = out.items.iter().enumerate();
            chosen.filter(|(_, item)| item.has_state() && choice.includes(item.step()))
        };
        for (index, item) in chosen().filter(|(_, item)| item.control().is_none()) {
            if is_open(out.state(item), begun.get(index).copied())? {
                return Ok(true);
            }
        }
        self.seen.clear();
        for (_, item) in chosen() {
            if let Some(pid) = item.control()
                && self.ends_open(out.state(item), pid, is_open, executor)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does the atomic sequence that `pid` is in lead to an open state?
    fn ends_open(
        &mut self,
        vector: &[u8],
        pid: u8,
        is_open: &mut impl IsOpen,
        executor: &mut dyn Executor,
    ) -> Result<bool, OutOfMemory> {
        let mut out = std::mem::take(&mut self.out);
        self.todo.clear();
        self.todo.push((vector.to_vec(), pid));
        let mut found = Ok(false);
        while let Some((vector, pid)) = self.todo.pop() {
            let fingerprint = Fingerprint::of(&vector, pid);
            if self.seen.contains(&fingerprint) {
                continue;
            }
            self.seen.push(fingerprint);
            executor.successors(&vector, Some(pid), &mut out);
            found =
                if out.ending == Ending::Moves { some_open(&out, is_open) } else { is_open(&vector, None) };
            if found != Ok(false) || self.seen.len() > AHEAD_MAX {
                break;
            }
            let going_on = out.items.iter().filter(|item| item.has_state() && out.ending == Ending::Moves);
            self.todo.extend(going_on.filter_map(|item| Some((out.state(item).to_vec(), item.control()?))));
        }
        self.out = out;
        found
    }
}

fn some_open(out: &Successors, is_open: &mut impl IsOpen) -> Result<bool, OutOfMemory> {
    for item in out.items.iter().filter(|item| item.is_state()) {
        if is_open(out.state(item), None)? {
            return Ok(true);
        }
    }
    Ok(false)
}
