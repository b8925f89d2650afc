//! Leaving out what no accepting run needs: states that cannot be reached, and states without an accepting run.

use crate::automaton::Marks;
use crate::graph::Graph;
use crate::scc::Components;

/// What the cycles of a component show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ComponentMarks {
    pub has_cycle: bool,
    /// The marks on arcs inside.
    pub seen: Marks,
}

impl Graph {
    /// For each component, the marks that a run in it can show for ever.
    pub fn component_marks(&self, found: &Components) -> Vec<ComponentMarks> {
        let mut marks = vec![ComponentMarks { has_cycle: false, seen: Marks::NONE }; found.count];
        for (from, arcs) in self.arcs.iter().enumerate() {
            let Some(component) = found.of[from] else { continue };
            for arc in arcs.iter().filter(|arc| found.of[arc.target] == Some(component)) {
                marks[component].has_cycle = true;
                marks[component].seen = marks[component].seen.with(arc.marks);
            }
        }
        marks
    }

    /// Keeps the states that are on accepting runs; the initial state stays in any case.
    pub fn prune(&mut self) {
        let found = self.components();
        let marks = self.component_marks(&found);
        let all = self.all_marks();
        let mut useful: Vec<bool> =
            marks.iter().map(|marks| marks.has_cycle && marks.seen.contains(all)).collect();
        let mut members = vec![Vec::new(); found.count];
        for (state, component) in found.of.iter().enumerate() {
            if let Some(component) = component {
                members[*component].push(state);
            }
        }
        // Arcs never lead to a component with a higher number, so those are judged first.
        for component in 0..found.count {
            let mut targets = members[component].iter().flat_map(|state| &self.arcs[*state]);
            useful[component] |= targets.any(|arc| found.of[arc.target].is_some_and(|target| useful[target]));
        }
        let is_useful = |state: &usize| found.of[*state].is_some_and(|component| useful[component]);
        let kept: Vec<usize> =
            (0..self.len()).filter(|state| is_useful(state) || *state == self.initial).collect();
        let is_empty = !is_useful(&self.initial);
        self.restrict(&kept);
        if is_empty {
            self.arcs[0].clear();
        }
    }
}
