//! Levels of open states of which only the best go on: the frontier of a beam search.

use super::directed::{OpenList, Waiting};
use crate::grow;

pub(crate) struct Beam {
    hidden_bytes: usize,
    keeps_vectors: bool,
    /// How many states of a level go on.
    pub width: usize,
    /// The level that is worked off, the best first, and how much of it is.
    level: Vec<Held>,
    taken: usize,
    level_bytes: Vec<u8>,
    next: Vec<Held>,
    next_bytes: Vec<u8>,
    is_cut: bool,
}

/// A state, and where its bytes stand in those of its level.
#[derive(Clone, Copy)]
struct Held {
    waiting: Waiting,
    start: usize,
    length: u32,
}

impl OpenList for Beam {
    fn new(hidden_bytes: usize, keeps_vectors: bool) -> Beam {
        Beam {
            hidden_bytes,
            keeps_vectors,
            width: usize::MAX,
            level: Vec::new(),
            taken: 0,
            level_bytes: Vec::new(),
            next: Vec::new(),
            next_bytes: Vec::new(),
            is_cut: false,
        }
    }

    fn push(&mut self, waiting: Waiting, vector: &[u8]) {
        let kept = if self.keeps_vectors { &vector[..self.hidden_bytes] } else { vector };
        let held = Held { waiting, start: self.next_bytes.len(), length: kept.len() as u32 };
        grow::push(&mut self.next, held);
        grow::extend(&mut self.next_bytes, kept);
    }

    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Waiting> {
        if self.taken == self.level.len() {
            std::mem::swap(&mut self.level, &mut self.next);
            std::mem::swap(&mut self.level_bytes, &mut self.next_bytes);
            self.next.clear();
            self.next_bytes.clear();
            self.taken = 0;
            // Those found first stay in front among equals.
            self.level.sort_by_key(|held| held.waiting.estimate);
            self.is_cut |= self.level.len() > self.width;
            self.level.truncate(self.width);
        }
        let held = *self.level.get(self.taken)?;
        self.taken += 1;
        vector.clear();
        vector.extend_from_slice(&self.level_bytes[held.start..][..held.length as usize]);
        Some(held.waiting)
    }

    fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn heap_bytes(&self) -> usize {
        (self.level.capacity() + self.next.capacity()) * size_of::<Held>()
            + self.level_bytes.capacity()
            + self.next_bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Open;
    use super::*;
    use crate::parents::NodeId;
    use panoptes_store::StateRef;

    #[test]
    fn only_the_best_of_a_level_go_on() {
        let mut beam = Beam { width: 2, ..Beam::new(1, true) };
        let mut vector = Vec::new();
        let push = |beam: &mut Beam, estimate: u32, number: u32| {
            let open = Open { state: StateRef::made_up(number), node: NodeId::ROOT, depth: 0 };
            beam.push(
                Waiting {
                    merit: 0,
                    estimate,
                    second: None,
                    is_estimated: true,
                    is_preferred: false,
                    is_put_off: false,
                    open,
                },
                &[number as u8, 9],
            );
        };
        push(&mut beam, 4, 0);
        assert!(beam.pop(&mut vector).is_some() && !beam.is_cut());
        for (estimate, number) in [(3, 1), (1, 2), (3, 3)] {
            push(&mut beam, estimate, number);
        }
        assert!(beam.heap_bytes() > 0);
        for expected in [2, 1] {
            let found = beam.pop(&mut vector).expect("a state");
            assert_eq!((found.open.state, &vector[..]), (StateRef::made_up(expected), &[expected as u8][..]));
        }
        assert!(beam.is_cut() && beam.pop(&mut vector).is_none());
    }
}
