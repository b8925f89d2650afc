//! How often states are met again: for each number of visits how many states had so many, and where in the search it was.
//!
//! What a cache should forget depends on it (Holzmann, *Tracing Protocols*, 1985, figures 1 and 2), and so does what a bound on depth
//! saves. Counted only on request: it takes some bytes a state.

use crate::grow;
use panoptes_store::StateRef;
use std::collections::{BTreeMap, HashMap};

/// Ranges of depth that are told apart.
const RANGES: usize = 10;

/// What the visits to states were like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recurrence {
    /// For each number of visits, how many states were visited so often. Empty if the store gives the place of one state
    /// to another.
    pub states_by_visits: BTreeMap<u32, u64>,
    /// Ranges of depth, from the initial state on.
    pub depths: Vec<DepthRange>,
}

/// Lookups of states at the end of paths of some lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthRange {
    /// The shortest and the longest of these paths, in steps.
    pub from: u32,
    pub to: u32,
    pub new: u64,
    pub met_again: u64,
}

impl Recurrence {
    /// Of the states that were visited at least `visits` times, the share that was visited once more.
    pub fn return_share(&self, visits: u32) -> f64 {
        let at_least =
            |least: u32| self.states_by_visits.range(least..).map(|(_, states)| states).sum::<u64>();
        at_least(visits + 1) as f64 / at_least(visits).max(1) as f64
    }
}

/// Counts visits while a search goes on.
#[derive(Debug, Default)]
pub(crate) struct VisitCounter {
    visits: HashMap<StateRef, u32>,
    /// By depth: new states, and states met again.
    by_depth: Vec<(u64, u64)>,
}

impl VisitCounter {
    pub fn count(&mut self, state: StateRef, is_new: bool, depth: u32) {
        *self.visits.entry(state).or_default() += 1;
        let depth = depth as usize;
        if depth >= self.by_depth.len() {
            self.by_depth.resize(depth + 1, (0, 0));
        }
        let (new, met_again) = &mut self.by_depth[depth];
        *(if is_new { new } else { met_again }) += 1;
    }

    pub fn heap_bytes(&self) -> usize {
        grow::table_bytes(self.visits.len(), self.visits.capacity(), size_of::<(StateRef, u32)>())
            + self.by_depth.capacity() * size_of::<(u64, u64)>()
    }

    /// `is_distinct` if no two states had the same reference.
    pub fn finish(self, is_distinct: bool) -> Recurrence {
        let mut states_by_visits = BTreeMap::new();
        for visits in self.visits.into_values().filter(|_| is_distinct) {
            *states_by_visits.entry(visits).or_default() += 1;
        }
        let width = self.by_depth.len().div_ceil(RANGES).max(1);
        let range = |(index, lengths): (usize, &[(u64, u64)])| {
            let from = (index * width) as u32;
            DepthRange {
                from,
                to: from + lengths.len() as u32 - 1,
                new: lengths.iter().map(|(new, _)| new).sum(),
                met_again: lengths.iter().map(|(_, met_again)| met_again).sum(),
            }
        };
        let depths = self.by_depth.chunks(width).enumerate().map(range).collect();
        Recurrence { states_by_visits, depths }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_counted_by_state_and_by_depth() {
        let mut counter = VisitCounter::default();
        for (state, is_new, depth) in
            [(7, true, 0), (8, true, 1), (9, true, 2), (8, false, 3), (8, false, 25)]
        {
            counter.count(StateRef::made_up(state), is_new, depth);
        }
        let recurrence = counter.finish(true);
        assert_eq!(recurrence.states_by_visits, BTreeMap::from([(1, 2), (3, 1)]));
        assert_eq!(recurrence.return_share(1), 1.0 / 3.0);
        assert_eq!(recurrence.return_share(2), 1.0);
        assert_eq!(recurrence.return_share(3), 0.0);
        assert_eq!(recurrence.depths[0], DepthRange { from: 0, to: 2, new: 3, met_again: 0 });
        assert_eq!(recurrence.depths[1], DepthRange { from: 3, to: 5, new: 0, met_again: 1 });
        assert_eq!(recurrence.depths.last(), Some(&DepthRange { from: 24, to: 25, new: 0, met_again: 1 }));
        assert_eq!(recurrence.depths.iter().map(|range| range.new + range.met_again).sum::<u64>(), 5);
    }

    #[test]
    fn references_that_are_used_again_tell_nothing_of_states() {
        let mut counter = VisitCounter::default();
        counter.count(StateRef::made_up(1), true, 0);
        assert!(counter.finish(false).states_by_visits.is_empty());
    }
}
