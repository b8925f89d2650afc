//! What is searched and what is asked of it: made once, never changed, shared by all workers of a search.

use crate::SearchOptions;
use crate::loops::Loops;
use crate::options::CountedFaults;
use panoptes_model::Model;

pub(crate) struct Program<'m> {
    pub model: &'m Model,
    pub options: &'m SearchOptions,
    /// Where chains of transient configurations could come back to themselves.
    pub loops: Loops,
    pub counted: CountedFaults,
    /// So many bytes at the start of a vector do not belong to the state.
    pub hidden_bytes: usize,
}

impl<'m> Program<'m> {
    pub fn new(model: &'m Model, options: &'m SearchOptions, hidden_bytes: usize) -> Program<'m> {
        let counted = CountedFaults::of(model, options.checks);
        Program { model, options, loops: Loops::new(model), counted, hidden_bytes }
    }

    /// How many steps the depth bound allows from `depth` on.
    #[inline]
    pub fn steps_left(&self, depth: u32) -> usize {
        let left = |bound: u64| usize::try_from(bound).unwrap_or(usize::MAX).saturating_sub(depth as usize);
        self.options.depth_max.map_or(usize::MAX, left)
    }

    /// Is something looked for that is seen only when a state is expanded, one level after it was reached?
    pub fn looks_at_states(&self) -> bool {
        self.options.checks.deadlocks || !self.model.invariants.is_empty()
    }
}
