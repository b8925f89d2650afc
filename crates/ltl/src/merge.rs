//! Merging states as long as the language stays the same.
//!
//! Two states become one with the arcs of both. That can only add words; the automaton of the negation tells whether it
//! does. This finds what no simulation sees, at a price, so that it is done only for small automata.

use crate::automaton::Marks;
use crate::bdd::{Bdd, Bdds};
use crate::graph::{Arc, Graph};
use crate::product::are_disjoint;
use crate::simulation::Acceptance;

/// Automata with more states are left as they are.
const STATES_MAX: usize = 24;
const PAIRS_MAX: usize = 400;

impl Graph {
    /// `complement` accepts exactly the words that this automaton does not.
    pub fn merge_states(&mut self, complement: &Graph, acceptance: Acceptance, bdds: &mut Bdds) {
        while self.len() <= STATES_MAX {
            let Some(smaller) = self.with_some_pair_merged(complement, acceptance, bdds) else { return };
            *self = smaller;
        }
    }

    fn with_some_pair_merged(
        &self,
        complement: &Graph,
        acceptance: Acceptance,
        bdds: &mut Bdds,
    ) -> Option<Graph> {
        for i in 0..self.len() {
            for j in i + 1..self.len() {
                let candidate = self.merged(i, j, acceptance, bdds);
                if are_disjoint(&candidate, complement, PAIRS_MAX, bdds) == Some(true) {
                    let mut candidate = candidate;
                    candidate.reduce_by_simulation(acceptance, bdds);
                    return Some(candidate);
                }
            }
        }
        None
    }

    /// `j` becomes `i`, which gets the arcs of both.
    fn merged(&self, i: usize, j: usize, acceptance: Acceptance, bdds: &mut Bdds) -> Graph {
        let mut merged = self.clone();
        let moved = std::mem::take(&mut merged.arcs[j]);
        merged.arcs[i].extend(moved);
        if acceptance == Acceptance::States {
            let marks = merged.arcs[i].iter().fold(Marks::NONE, |all, arc| all.with(arc.marks));
            merged.arcs[i].iter_mut().for_each(|arc| arc.marks = marks);
        }
        for arc in merged.arcs.iter_mut().flatten() {
            arc.target = if arc.target == j { i } else { arc.target };
        }
        merged.initial = if merged.initial == j { i } else { merged.initial };
        merged.merge_arcs(bdds);
        for arcs in &mut merged.arcs {
            drop_weaker(arcs, bdds);
        }
        let kept: Vec<usize> = (0..self.len()).filter(|state| *state != j).collect();
        merged.restrict(&kept);
        merged
    }
}

/// Leaves out arcs where another to the same state has more marks.
fn drop_weaker(arcs: &mut Vec<Arc>, bdds: &mut Bdds) {
    let all = arcs.clone();
    for arc in arcs.iter_mut() {
        for other in all.iter().filter(|other| other.target == arc.target && other.marks != arc.marks) {
            if other.marks.contains(arc.marks) {
                arc.label = bdds.without(arc.label, other.label);
            }
        }
    }
    arcs.retain(|arc| arc.label != Bdd::FALSE);
}
