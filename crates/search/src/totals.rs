//! What all workers of a search did so far, as each tells now and then.

use crate::Statistics;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

#[derive(Default)]
pub(crate) struct Totals {
    stored: AtomicU64,
    transitions: AtomicU64,
    expanded: AtomicU64,
    generated: AtomicU64,
    max_depth: AtomicU64,
    search_bytes: AtomicUsize,
}

/// One worker's part in them.
pub(crate) struct Told<'a> {
    totals: &'a Totals,
    own: Statistics,
    /// All workers together, when this one last looked.
    pub all: Statistics,
}

impl Totals {
    /// Nobody has told anything so far.
    pub fn reset(&self) {
        for total in [&self.stored, &self.transitions, &self.expanded, &self.generated, &self.max_depth] {
            total.store(0, Relaxed);
        }
        self.search_bytes.store(0, Relaxed);
    }

    /// For a worker that has told nothing so far.
    pub fn part(&self) -> Told<'_> {
        Told { totals: self, own: Statistics::default(), all: Statistics::default() }
    }
}

impl Told<'_> {
    /// Tells what this worker did by now, and learns what all did.
    pub fn tell(&mut self, now: &Statistics) {
        let Told { totals, own, all } = self;
        let add = |total: &AtomicU64, now: u64, before: u64| {
            let more = now - before;
            total.fetch_add(more, Relaxed) + more
        };
        let stored = add(&totals.stored, now.stored, own.stored);
        let transitions = add(&totals.transitions, now.transitions, own.transitions);
        // It may be less than before; the sum is right all the same.
        let more_bytes = now.search_bytes.wrapping_sub(own.search_bytes);
        let search_bytes = totals.search_bytes.fetch_add(more_bytes, Relaxed).wrapping_add(more_bytes);
        *all = Statistics {
            stored,
            transitions,
            matched: transitions.saturating_sub(stored),
            expanded: add(&totals.expanded, now.expanded, own.expanded),
            generated: add(&totals.generated, now.generated, own.generated),
            max_depth: totals.max_depth.fetch_max(now.max_depth, Relaxed).max(now.max_depth),
            search_bytes,
            ..*now
        };
        *own = *now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tells_what_is_new() {
        let totals = Totals::default();
        let (mut one, mut other) = (totals.part(), totals.part());
        let at = |stored, search_bytes| Statistics { stored, search_bytes, ..Statistics::default() };
        one.tell(&at(5, 100));
        other.tell(&at(2, 30));
        assert_eq!((other.all.stored, other.all.search_bytes), (7, 130));
        one.tell(&at(6, 40));
        assert_eq!((one.all.stored, one.all.search_bytes), (8, 70));
        assert_eq!(other.all.stored, 7, "as it was when that one looked");
    }
}
