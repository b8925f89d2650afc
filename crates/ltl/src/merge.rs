//! Merging states as long as the language stays the same.
//!
//! Two states become one with the arcs of both. That can only add words; the automaton of the negation tells whether it
//! does. This finds what no simulation sees, at a price, so that it is done only for small automata.
//!
//! Most pairs are ruled out by two facts about the product with the negation's automaton: which of its states can be met
//! together with a state, and which of them accept a word together with a state. What is met with the one state
//! must not accept a word together with the other.

use crate::automaton::Marks;
use crate::bdd::{Bdd, Bdds};
use crate::graph::{Arc, Graph};
use crate::product::{Product, are_disjoint};
use crate::simulation::Acceptance;

/// Automata with more states are left as they are.
const STATES_MAX: usize = 40;
/// Products with more states are not searched.
const PAIRS_MAX: usize = 1_500;
const ARC_PAIRS_MAX: usize = 100_000;

impl Graph {
    /// `complement` accepts exactly the words that this automaton does not.
    pub fn merge_states(&mut self, complement: &Graph, acceptance: Acceptance, bdds: &mut Bdds) {
        while self.len() <= STATES_MAX && self.merge_pairs(complement, acceptance, bdds) {
            self.reduce_by_simulation(acceptance, bdds);
        }
    }

    /// Merges pairs until there are no more; says whether there were any.
    fn merge_pairs(&mut self, complement: &Graph, acceptance: Acceptance, bdds: &mut Bdds) -> bool {
        let before = self.len();
        while let Some(smaller) = self.with_some_pair_merged(complement, acceptance, bdds) {
            *self = smaller;
            self.simplify(acceptance);
        }
        self.len() < before
    }

    fn with_some_pair_merged(
        &self,
        complement: &Graph,
        acceptance: Acceptance,
        bdds: &mut Bdds,
    ) -> Option<Graph> {
        if bdds.is_tired()
            || self.len() * complement.len() > PAIRS_MAX
            || self.arc_count() * complement.arc_count() > ARC_PAIRS_MAX
        {
            return None;
        }
        let companions = Companions::new(self, complement, bdds);
        for i in 0..self.len() {
            for j in (i + 1..self.len()).filter(|j| companions.may_merge(i, *j)) {
                let candidate = self.merged(i, j, acceptance, bdds);
                if are_disjoint(&candidate, complement, PAIRS_MAX, bdds) == Some(true) {
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

/// What is known of pairs of a state and a state of the complement.
struct Companions {
    /// A run of the one and a run of the other on the same word can be there at the same time.
    met: Vec<Vec<bool>>,
    /// There is a word that is accepted from both.
    share_word: Vec<Vec<bool>>,
}

impl Companions {
    fn new(graph: &Graph, complement: &Graph, bdds: &mut Bdds) -> Companions {
        let product = Product::of_all_pairs(graph, complement, bdds);
        let table = |marked: Vec<bool>| marked.chunks(complement.len()).map(<[bool]>::to_vec).collect();
        Companions {
            met: table(product.reachable(graph.initial * complement.len() + complement.initial)),
            share_word: table(product.reaching_acceptance(graph.all_marks(), complement.all_marks())),
        }
    }

    fn may_merge(&self, i: usize, j: usize) -> bool {
        let are_apart = |met: usize, other: usize| {
            let mut pairs = self.met[met].iter().zip(&self.share_word[other]);
            !pairs.any(|(met, share_word)| *met && *share_word)
        };
        are_apart(i, j) && are_apart(j, i)
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
