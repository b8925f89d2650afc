//! Open states in buckets by merit: the frontier of A*, best-first and weighted search.
//!
//! Among equal merits the state that is estimated to be nearer to an error comes first, and among those the one that was found last. So
//! the order is the same every time.

use super::directed::{Open, OpenList, Waiting};
use crate::grow;
use std::collections::BTreeMap;

pub(crate) struct Buckets {
    stored: usize,
    keeps_vectors: bool,
    /// By merit and estimate.
    buckets: BTreeMap<(u64, u32), Bucket>,
}

/// States of one merit, the last one found on top, and what the visited set does not have of their vectors, end to end.
#[derive(Default)]
struct Bucket {
    states: Vec<Entry>,
    bytes: Vec<u8>,
    /// How many bytes each state has, if it is not the same for all.
    lengths: Vec<u32>,
}

/// A state, and how it was found.
#[derive(Clone, Copy)]
struct Entry {
    open: Open,
    second: Option<u64>,
    is_estimated: bool,
    is_preferred: bool,
    is_put_off: bool,
}

impl OpenList for Buckets {
    fn new(hidden_bytes: usize, keeps_vectors: bool) -> Buckets {
        Buckets { stored: hidden_bytes, keeps_vectors, buckets: BTreeMap::new() }
    }

    fn push(&mut self, waiting: Waiting, vector: &[u8]) {
        let bucket = self.buckets.entry((waiting.merit, waiting.estimate)).or_default();
        let Waiting { open, second, is_estimated, is_preferred, is_put_off, .. } = waiting;
        grow::push(&mut bucket.states, Entry { open, second, is_estimated, is_preferred, is_put_off });
        if self.keeps_vectors {
            grow::extend(&mut bucket.bytes, &vector[..self.stored]);
        } else {
            grow::extend(&mut bucket.bytes, vector);
            grow::push(&mut bucket.lengths, vector.len() as u32);
        }
    }

    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Waiting> {
        let mut first = self.buckets.first_entry()?;
        let (merit, estimate) = *first.key();
        let bucket = first.get_mut();
        let Entry { open, second, is_estimated, is_preferred, is_put_off } =
            bucket.states.pop().expect("empty buckets are taken away");
        let length = if self.keeps_vectors { self.stored } else { bucket.lengths.pop()? as usize };
        let start = bucket.bytes.len() - length;
        vector.clear();
        vector.extend(bucket.bytes.drain(start..));
        if bucket.states.is_empty() {
            first.remove();
        }
        Some(Waiting { merit, estimate, second, is_estimated, is_preferred, is_put_off, open })
    }

    fn is_cut(&self) -> bool {
        false
    }

    fn heap_bytes(&self) -> usize {
        let of_bucket = |bucket: &Bucket| {
            bucket.states.capacity() * size_of::<Entry>()
                + bucket.bytes.capacity()
                + bucket.lengths.capacity() * size_of::<u32>()
                + 2 * size_of::<Bucket>()
        };
        self.buckets.values().map(of_bucket).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parents::NodeId;
    use panoptes_store::StateRef;

    fn waiting(merit: u64, estimate: u32, number: u32) -> Waiting {
        let open = Open { state: StateRef::made_up(number), node: NodeId::ROOT, depth: 0 };
        Waiting {
            merit,
            estimate,
            second: None,
            is_estimated: true,
            is_preferred: number.is_multiple_of(2),
            is_put_off: false,
            open,
        }
    }

    #[test]
    fn the_best_comes_first_and_then_the_last() {
        for keeps_vectors in [true, false] {
            let mut buckets = Buckets::new(1, keeps_vectors);
            let all = [(5, 2), (3, 1), (3, 0), (5, 2), (3, 1)];
            for ((merit, estimate), number) in all.into_iter().zip(0..) {
                buckets.push(waiting(merit, estimate, number), &[number as u8, 9]);
            }
            assert!(buckets.heap_bytes() >= all.len() * size_of::<Open>());
            let mut vector = Vec::new();
            for expected in [2, 4, 1, 3, 0] {
                let found = buckets.pop(&mut vector).expect("a state");
                assert_eq!(found.open.state, StateRef::made_up(expected));
                assert_eq!(found.is_preferred, expected.is_multiple_of(2));
                assert_eq!(
                    vector,
                    if keeps_vectors { vec![expected as u8] } else { vec![expected as u8, 9] }
                );
            }
            assert!(buckets.pop(&mut vector).is_none());
        }
    }
}
