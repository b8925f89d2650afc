//! What one worker counts while it searches.

use crate::Statistics;
use crate::expansion::Expansion;
use crate::recurrence::VisitCounter;
use panoptes_store::StateRef;

pub(crate) struct Tally {
    pub statistics: Statistics,
    /// Only if it is asked for.
    pub visits: Option<Box<VisitCounter>>,
}

impl Tally {
    pub fn new(counts_visits: bool) -> Tally {
        Tally { statistics: Statistics::default(), visits: counts_visits.then(Box::default) }
    }

    /// A state was put into the visited set.
    #[inline]
    pub fn note_stored(&mut self, vector: &[u8]) {
        self.statistics.stored += 1;
        self.statistics.vector_bytes = self.statistics.vector_bytes.max(vector.len());
    }

    /// A state was expanded.
    #[inline]
    pub fn note_expanded(&mut self, out: &Expansion) {
        self.statistics.expanded += 1;
        self.note_generated(out);
    }

    /// A configuration was expanded, be it a state or not.
    #[inline]
    pub fn note_generated(&mut self, out: &Expansion) {
        self.statistics.generated += out.generated;
        self.statistics.endless_chains += out.endless_chains;
    }

    #[inline]
    pub fn note_depth(&mut self, depth: usize) {
        self.statistics.max_depth = self.statistics.max_depth.max(depth as u64);
    }

    /// A lookup that counts, of a state at the end of a path of so many steps.
    #[inline]
    pub fn note_visit(&mut self, state: StateRef, is_new: bool, depth: u32) {
        if let Some(visits) = &mut self.visits {
            visits.count(state, is_new, depth);
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.visits.as_ref().map_or(0, |visits| visits.heap_bytes())
    }
}
