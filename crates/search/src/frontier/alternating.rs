//! Two frontiers in turn: one with all open states, and one with those that wait a second time, because they were reached by preferred steps or by
//! another estimate.
//!
//! A state that waits in both is taken once.

use super::buckets::Buckets;
use super::directed::{OpenList, Waiting};
use crate::grow;
use crate::parents::NodeId;
use std::collections::HashSet;

pub(crate) struct Alternating {
    all: Buckets,
    second: Buckets,
    /// Whose turn it is.
    is_turn_of_second: bool,
    /// Those that wait in both and were taken from one.
    taken: HashSet<NodeId>,
}

impl OpenList for Alternating {
    fn new(hidden_bytes: usize, keeps_vectors: bool) -> Alternating {
        Alternating {
            all: Buckets::new(hidden_bytes, keeps_vectors),
            second: Buckets::new(hidden_bytes, keeps_vectors),
            is_turn_of_second: true,
            taken: HashSet::new(),
        }
    }

    fn push(&mut self, waiting: Waiting, vector: &[u8]) {
        self.all.push(waiting, vector);
        if let Some(merit) = waiting.second {
            self.second.push(Waiting { merit, ..waiting }, vector);
        }
    }

    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Waiting> {
        loop {
            let from_second = self.is_turn_of_second;
            self.is_turn_of_second = !from_second;
            let found = match from_second {
                true => self.second.pop(vector).or_else(|| self.all.pop(vector)),
                false => self.all.pop(vector).or_else(|| self.second.pop(vector)),
            };
            let waiting = found?;
            // What was taken from the other one already is passed over, and the turn is not lost.
            if waiting.second.is_some() && self.taken.remove(&waiting.open.node) {
                self.is_turn_of_second = from_second;
                continue;
            }
            if waiting.second.is_some() {
                self.taken.insert(waiting.open.node);
            }
            return Some(waiting);
        }
    }

    fn is_cut(&self) -> bool {
        false
    }

    fn heap_bytes(&self) -> usize {
        let taken = grow::table_bytes(self.taken.len(), self.taken.capacity(), size_of::<NodeId>());
        self.all.heap_bytes() + self.second.heap_bytes() + taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::Open;
    use panoptes_store::StateRef;

    #[test]
    fn the_two_take_turns_and_nothing_comes_twice() {
        let mut list = Alternating::new(0, false);
        let all = [(1, false), (2, false), (7, true), (9, true)];
        for ((merit, is_preferred), number) in all.into_iter().zip(1u32..) {
            let open = Open { state: StateRef::made_up(number), node: NodeId::made_up(number), depth: 0 };
            list.push(
                Waiting {
                    merit,
                    estimate: 0,
                    second: is_preferred.then_some(merit),
                    is_estimated: true,
                    is_preferred,
                    is_put_off: false,
                    open,
                },
                &[number as u8],
            );
        }
        assert!(list.heap_bytes() > 0 && !list.is_cut());
        let mut vector = Vec::new();
        let order = std::iter::from_fn(|| list.pop(&mut vector).map(|found| found.merit));
        assert_eq!(order.collect::<Vec<_>>(), [7, 1, 9, 2]);
    }
}
