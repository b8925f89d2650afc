//! From several acceptance sets to one: a counter tells which set a run must meet next, and where all have been met in turn, an
//! edge of the new set is taken.
//!
//! Only the parts of the claim that have both kinds of cycles need the counter: in the others either no edge counts or every one does.

use super::claim::{Claim, ClaimEdge, ClaimState, Target};
use super::parts::{Class, Parts};
use std::collections::HashMap;

impl Claim {
    /// A claim with one acceptance set that accepts the same executions. None if it would have too many states.
    pub fn with_one_set(&self) -> Option<Claim> {
        if self.set_count == 1 {
            return Some(self.clone());
        }
        let parts = Parts::of(self);
        // States with their counters, in the order of their new numbers.
        let mut states = vec![(0u16, 0u32)];
        let mut numbers = HashMap::from([(states[0], 0u16)]);
        let mut made = Vec::new();
        while let Some((state, counter)) = states.get(made.len()).copied() {
            let mut edges = Vec::new();
            for edge in &self.states[usize::from(state)].edges {
                let (to, is_accepting) = match edge.to {
                    Target::Violation(_) => (edge.to.clone(), false),
                    Target::State(to) => {
                        let (counter, is_accepting) = match parts.class(state) {
                            _ if parts.part(state) != parts.part(to) => (0, false),
                            Class::Never => (0, false),
                            Class::Always => (0, true),
                            Class::Sometimes => self.count(counter, edge.sets),
                        };
                        let next = u16::try_from(states.len());
                        let number = *match numbers.entry((to, counter)) {
                            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                            std::collections::hash_map::Entry::Vacant(new) => {
                                states.push((to, counter));
                                new.insert(next.ok()?)
                            }
                        };
                        (Target::State(number), is_accepting)
                    }
                };
                edges.push(ClaimEdge { sets: u64::from(is_accepting), to, ..edge.clone() });
            }
            made.push(ClaimState::new(edges));
        }
        Some(Claim { states: made, set_count: 1, ..self.clone() })
    }

    /// All acceptance sets, as bits.
    pub(super) fn all_sets(&self) -> u64 {
        if self.set_count >= 64 { u64::MAX } else { (1 << self.set_count) - 1 }
    }

    /// Where the counter goes with an edge of these sets, and whether all sets have been met then.
    fn count(&self, counter: u32, sets: u64) -> (u32, bool) {
        let further = |from: u32, end: u32| (from..end).find(|set| sets >> set & 1 == 0).unwrap_or(end);
        match further(counter, self.set_count) {
            // The same edge may be the first of the next round.
            all if all == self.set_count => (further(0, self.set_count - 1), true),
            counter => (counter, false),
        }
    }
}
