//! A requirement's automaton as a deterministic table, and how far its states are from what a search looks for.
//!
//! The distances count events of the requirement's scope, so they are a lower bound on steps: a search that is to break a
//! requirement, or to fulfil it, may prefer states from which fewer events are needed.

use std::collections::VecDeque;

/// States are numbers from zero, which is the initial one; so are the events of the scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventTable {
    /// For each state, where each event leads; none where the automaton cannot follow it.
    pub next: Vec<Vec<Option<u32>>>,
    /// For each state: may the automaton end there?
    pub accepts: Vec<bool>,
}

impl EventTable {
    /// For each state, how many events it takes at least to one that cannot be followed, that one included; none where
    /// every event can always be followed.
    pub fn to_violation(&self) -> Vec<Option<u32>> {
        let can_break = |events: &Vec<Option<u32>>| events.iter().any(Option::is_none);
        self.distances(self.next.iter().map(|events| can_break(events).then_some(1)).collect())
    }

    /// For each state, how many events it takes at least to one where the automaton may end; none where there is no way.
    pub fn to_end(&self) -> Vec<Option<u32>> {
        self.distances(self.accepts.iter().map(|accepts| accepts.then_some(0)).collect())
    }

    /// The least distances, from those of the states where it is known (the same for all of them).
    fn distances(&self, known: Vec<Option<u32>>) -> Vec<Option<u32>> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.next.len()];
        for (from, events) in self.next.iter().enumerate() {
            events.iter().flatten().for_each(|to| before[*to as usize].push(from));
        }
        let mut distances = known;
        let mut queue: VecDeque<usize> =
            (0..distances.len()).filter(|state| distances[*state].is_some()).collect();
        while let Some(state) = queue.pop_front() {
            let Some(distance) = distances[state] else { continue };
            for from in &before[state] {
                if distances[*from].is_none() {
                    distances[*from] = Some(distance + 1);
                    queue.push_back(*from);
                }
            }
        }
        distances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a; b; b` and then `a` for ever, with a state that nothing reaches and that only breaks.
    fn table() -> EventTable {
        EventTable {
            next: vec![
                vec![Some(1), Some(0)],
                vec![Some(0), Some(2)],
                vec![Some(3), None],
                vec![Some(3), Some(3)],
                vec![None, None],
            ],
            accepts: vec![false, false, false, true, false],
        }
    }

    #[test]
    fn distances_count_events() {
        assert_eq!(table().to_violation(), [Some(3), Some(2), Some(1), None, Some(1)]);
        assert_eq!(table().to_end(), [Some(3), Some(2), Some(1), Some(0), None]);
    }

    /// Each distance is one more than that of the nearest next state.
    #[test]
    fn no_distance_is_too_long() {
        let table = table();
        for (distances, base) in [(table.to_violation(), 1), (table.to_end(), 0)] {
            for (state, events) in table.next.iter().enumerate() {
                let nearest = events.iter().flatten().filter_map(|to| distances[*to as usize]).min();
                let is_base = distances[state] == Some(base);
                assert!(is_base || distances[state] == nearest.map(|nearest| nearest + 1));
            }
        }
    }

    #[test]
    fn a_requirement_that_nothing_breaks_is_far_from_it() {
        let table = EventTable { next: vec![vec![Some(0)]], accepts: vec![true] };
        assert_eq!((table.to_violation(), table.to_end()), (vec![None], vec![Some(0)]));
        assert_eq!(EventTable::default().to_violation(), []);
    }
}
