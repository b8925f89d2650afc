//! Two estimates in one search: what is inferred, and the length of a relaxed plan. States wait by each of them, and the two take turns.
//!
//! Neither is good for every model, and a search that goes by one of them alone does not notice when it goes astray.

use super::Heuristic;
use panoptes_exec::Step;

pub(crate) struct Joint<'m> {
    first: Box<dyn Heuristic + 'm>,
    plans: Box<dyn Heuristic + 'm>,
    /// The length of the plan for the state that was estimated last.
    length: u32,
}

impl<'m> Joint<'m> {
    pub fn new(first: Box<dyn Heuristic + 'm>, plans: Box<dyn Heuristic + 'm>) -> Joint<'m> {
        Joint { first, plans, length: 0 }
    }
}

impl Heuristic for Joint<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        self.length = self.plans.estimate(vector);
        self.first.estimate(vector)
    }

    fn other_estimate(&self) -> Option<u32> {
        Some(self.length)
    }

    fn work(&self) -> u64 {
        self.plans.work()
    }

    fn plans(&self) -> bool {
        true
    }

    fn is_preferred(&self, step: Step) -> bool {
        self.plans.is_preferred(step)
    }

    fn explain(&self) -> Vec<String> {
        let mut lines = vec!["in turn, by".to_string()];
        lines.extend(self.first.explain());
        lines.push("and by".to_string());
        lines.extend(self.plans.explain());
        lines
    }
}
