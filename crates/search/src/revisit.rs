//! What makes a bounded depth-first search right: a state found again on a shorter path is expanded again.
//!
//! A depth-first search meets a state first on a path that may be long. If the depth bound then cuts what follows, a
//! shorter path to the same state leads to more. So the depth of every state is kept, and a state met at a smaller depth
//! is expanded once more. Of each state it is also known whether the bound cut its successors when they were last
//! computed: if in the end that is so for none, everything was seen after all.
//!
//! Lookups are counted once an edge, as in a search without bound: those of a repeated expansion count only if the bound
//! had cut the earlier one, and then in its place.

use crate::grow;
use panoptes_store::StateRef;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(crate) struct Revisits {
    /// By state: the steps of the shortest path on which it was met.
    depths: HashMap<StateRef, u32>,
    /// The states on the stack, from the initial one on.
    bases: Vec<Base>,
    /// The states whose successors were cut, with the lookups counted for them.
    cut: HashMap<StateRef, u64>,
    /// So it was for a state that the store has forgotten since.
    forgotten_cut: bool,
}

/// A state on the stack and the chains of transient configurations that lead on from it.
#[derive(Debug)]
pub(crate) struct Base {
    state: StateRef,
    is_counted: bool,
    lookups: u64,
    is_cut: bool,
}

/// A state that is to be expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub state: StateRef,
    /// Its lookups count.
    pub is_counted: bool,
    /// Lookups that an earlier, cut expansion counted and that are now to be forgotten.
    pub forgotten: u64,
    /// The depth at which it was expanded last, if it was.
    pub depth_before: Option<u32>,
}

impl Arrival {
    /// A state that was not expanded before.
    pub fn first(state: StateRef) -> Arrival {
        Arrival { state, is_counted: true, forgotten: 0, depth_before: None }
    }

    /// Did an earlier expansion show what lies so many steps behind the state, within the bound?
    pub fn has_shown(&self, steps: usize, bound: Option<u64>) -> bool {
        let is_within = |depth: u32| bound.is_none_or(|bound| u64::from(depth) + steps as u64 <= bound);
        self.depth_before.is_some_and(is_within)
    }
}

impl Revisits {
    /// A lookup found `state`, at `depth`: is it to be expanded?
    pub fn arrive(&mut self, state: StateRef, is_new: bool, depth: usize) -> Option<Arrival> {
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        if is_new {
            if self.depths.insert(state, depth).is_some() {
                // A cache gave the place of a state that it forgot to this one.
                self.forgotten_cut |= self.cut.remove(&state).is_some();
            }
            return Some(Arrival::first(state));
        }
        let least = self.depths.get_mut(&state).expect("a known state has a depth");
        if depth >= *least {
            return None;
        }
        let depth_before = Some(std::mem::replace(least, depth));
        let cut = self.cut.remove(&state);
        Some(Arrival { state, is_counted: cut.is_some(), forgotten: cut.unwrap_or(0), depth_before })
    }

    /// Was the state met at this depth or a smaller one?
    pub fn is_settled(&self, state: StateRef, depth: usize) -> bool {
        self.depths[&state] as usize <= depth
    }

    /// A lookup is about to be made from the state on top of the stack: does it count?
    pub fn count_lookup(&mut self) -> bool {
        match self.bases.last_mut() {
            Some(base) => {
                base.lookups += u64::from(base.is_counted);
                base.is_counted
            }
            // The initial state.
            None => true,
        }
    }

    /// The state's successors go on the stack.
    pub fn push(&mut self, arrival: Arrival) {
        let Arrival { state, is_counted, .. } = arrival;
        self.bases.push(Base { state, is_counted, lookups: 0, is_cut: false });
    }

    /// The successors of the topmost state are done.
    pub fn pop(&mut self) {
        let base = self.bases.pop().expect("a state on the stack");
        if base.is_cut {
            self.cut.insert(base.state, base.lookups);
        }
    }

    /// The bound cut something behind the topmost state.
    pub fn cut(&mut self) {
        self.bases.last_mut().expect("a state on the stack").is_cut = true;
    }

    /// Did the bound leave something unseen?
    pub fn is_cut(&self) -> bool {
        self.forgotten_cut || !self.cut.is_empty() || self.bases.iter().any(|base| base.is_cut)
    }

    pub fn heap_bytes(&self) -> usize {
        let depth_bytes = size_of::<(StateRef, u32)>();
        let cut_bytes = size_of::<(StateRef, u64)>();
        grow::table_bytes(self.depths.len(), self.depths.capacity(), depth_bytes)
            + self.bases.capacity() * size_of::<Base>()
            + grow::table_bytes(self.cut.len(), self.cut.capacity(), cut_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_path_expands_again_and_a_cut_is_mended() {
        let mut revisits = Revisits::default();
        let root = revisits.arrive(StateRef::made_up(0), true, 0).unwrap();
        assert!(revisits.count_lookup());
        revisits.push(root);
        let first = revisits.arrive(StateRef::made_up(1), true, 5).unwrap();
        assert!(first.is_counted);
        revisits.push(first);
        assert!(revisits.count_lookup());
        revisits.cut();
        revisits.pop();
        assert!(revisits.is_cut());
        assert_eq!(revisits.arrive(StateRef::made_up(1), false, 5), None);
        assert!(
            revisits.is_settled(StateRef::made_up(1), 5) && !revisits.is_settled(StateRef::made_up(1), 4)
        );
        let again = revisits.arrive(StateRef::made_up(1), false, 3).unwrap();
        let expected =
            Arrival { state: StateRef::made_up(1), is_counted: true, forgotten: 1, depth_before: Some(5) };
        assert_eq!(again, expected);
        assert!(again.has_shown(1, Some(6)) && !again.has_shown(2, Some(6)) && again.has_shown(9, None));
        assert!(!first.has_shown(0, None));
        assert!(!revisits.is_cut());
        let third = revisits.arrive(StateRef::made_up(1), false, 2).unwrap();
        assert!(!third.is_counted);
        revisits.push(third);
        assert!(!revisits.count_lookup());
    }

    #[test]
    fn a_cut_behind_a_forgotten_state_stays() {
        let mut revisits = Revisits::default();
        let state = revisits.arrive(StateRef::made_up(7), true, 3).unwrap();
        revisits.push(state);
        revisits.cut();
        revisits.pop();
        // Another state has its place now, and is not cut.
        assert!(revisits.arrive(StateRef::made_up(7), true, 9).is_some());
        assert!(
            revisits.is_settled(StateRef::made_up(7), 9) && !revisits.is_settled(StateRef::made_up(7), 8)
        );
        assert!(revisits.is_cut());
    }
}
