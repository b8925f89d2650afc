//! Stuttering of automata whose negation nobody knows, such as claims written by hand: a condition that is enough, but
//! not necessary.
//!
//! Whatever can be read once must be possible twice, and whatever can be read twice must be possible once, each
//! time with the same marks and to a state that simulates the one before. Then a run on a word can be turned into one on any word that
//! differs in repetitions, step by step.

use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::graph::Graph;
use crate::simulation::{Acceptance, Relation};

impl Automaton {
    /// Is it plain from the automaton that it cannot tell words that differ in repetitions only? `false` means that it is not
    /// known.
    pub fn is_plainly_stutter_invariant(&self) -> bool {
        let mut bdds = Bdds::new(usize::MAX);
        let mut graph = Graph::from_automaton(self, &mut bdds);
        if !graph.is_small() {
            return false;
        }
        graph.simplify(Acceptance::Arcs);
        graph.add_harmless_marks();
        let Some(relation) = graph.simulation(|_, _| true, &mut bdds) else { return false };
        (0..graph.len()).all(|state| {
            graph.can_repeat(state, &relation, &mut bdds) && graph.can_shorten(state, &relation, &mut bdds)
        })
    }
}

impl Graph {
    /// Adds marks that no run can gain from: on arcs between components, and on arcs into states all of whose arcs have them.
    fn add_harmless_marks(&mut self) {
        let found = self.components();
        let all = self.all_marks();
        let common: Vec<_> = (0..self.len()).map(|state| self.common_marks(&found, state)).collect();
        for (from, arcs) in self.arcs.iter_mut().enumerate() {
            for arc in arcs.iter_mut() {
                let is_inside = found.of[arc.target] == found.of[from];
                arc.marks = if is_inside { arc.marks.with(common[arc.target]) } else { all };
            }
        }
    }

    fn can_repeat(&self, state: usize, relation: &Relation, bdds: &mut Bdds) -> bool {
        self.arcs[state].iter().all(|arc| {
            let mut left = arc.label;
            for first in &self.arcs[state] {
                for second in &self.arcs[first.target] {
                    let marks = first.marks.with(second.marks);
                    if left != Bdd::FALSE
                        && marks.contains(arc.marks)
                        && relation.at(arc.target, second.target)
                    {
                        let both = bdds.and(first.label, second.label);
                        left = bdds.without(left, both);
                    }
                }
            }
            left == Bdd::FALSE
        })
    }

    fn can_shorten(&self, state: usize, relation: &Relation, bdds: &mut Bdds) -> bool {
        self.arcs[state].iter().all(|first| {
            self.arcs[first.target].iter().all(|second| {
                let mut left = bdds.and(first.label, second.label);
                let marks = first.marks.with(second.marks);
                for arc in &self.arcs[state] {
                    if arc.marks.contains(marks) && relation.at(second.target, arc.target) {
                        left = bdds.without(left, arc.label);
                    }
                }
                left == Bdd::FALSE
            })
        })
    }
}
