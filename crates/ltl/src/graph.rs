//! The automaton while it is built and reduced: as [`Automaton`], but a label is a decision diagram.

use crate::automaton::{Automaton, Edge, Marks, StateId};
use crate::bdd::{Bdd, Bdds};
use crate::budget::{Budget, TooLarge};
use crate::scc::{Components, components};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Arc {
    pub target: usize,
    pub marks: Marks,
    pub label: Bdd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Graph {
    pub marks: u32,
    pub initial: usize,
    pub arcs: Vec<Vec<Arc>>,
}

impl Graph {
    pub fn len(&self) -> usize {
        self.arcs.len()
    }

    pub fn arc_count(&self) -> usize {
        self.arcs.iter().map(Vec::len).sum()
    }

    pub fn all_marks(&self) -> Marks {
        Marks::first(self.marks)
    }

    pub fn components(&self) -> Components {
        components(self.len(), [self.initial], |from| self.arcs[from].iter().map(|arc| arc.target))
    }

    /// Makes one arc of those with the same target and marks, and drops those that can never be taken.
    pub fn merge_arcs(&mut self, bdds: &mut Bdds) {
        for arcs in &mut self.arcs {
            arcs.sort_unstable();
            let mut merged: Vec<Arc> = Vec::with_capacity(arcs.len());
            for arc in arcs.iter().filter(|arc| arc.label != Bdd::FALSE) {
                match merged.last_mut() {
                    Some(last) if (last.target, last.marks) == (arc.target, arc.marks) => {
                        last.label = bdds.or(last.label, arc.label);
                    }
                    _ => merged.push(*arc),
                }
            }
            *arcs = merged;
        }
    }

    /// Keeps the states of a list, in its order, and the arcs between them. The initial state must be among them.
    pub fn restrict(&mut self, kept: &[usize]) {
        let mut new_number = vec![None; self.len()];
        for (new, old) in kept.iter().enumerate() {
            new_number[*old] = Some(new);
        }
        let arcs = kept.iter().map(|old| {
            let arcs = self.arcs[*old].iter();
            arcs.filter_map(|arc| new_number[arc.target].map(|target| Arc { target, ..*arc })).collect()
        });
        self.arcs = arcs.collect();
        self.initial = new_number[self.initial].expect("the initial state is kept");
    }

    /// With labels as cubes, and the initial state first.
    pub fn to_automaton(&self, atoms: u32, bdds: &mut Bdds, budget: &Budget) -> Result<Automaton, TooLarge> {
        let number = |state: usize| match state {
            _ if state == self.initial => 0,
            _ if state < self.initial => state + 1,
            _ => state,
        };
        let mut edges = vec![Vec::new(); self.len()];
        let mut count = 0;
        for (from, arcs) in self.arcs.iter().enumerate() {
            for arc in arcs {
                let target = StateId(number(arc.target) as u32);
                budget.check_bdds(bdds)?;
                let cubes = bdds.cubes(arc.label, budget.edges - count);
                let cubes = cubes.ok_or(TooLarge { what: "edges", limit: budget.edges })?;
                count += cubes.len();
                Budget::check("edges", count, budget.edges)?;
                let of_state: &mut Vec<Edge> = &mut edges[number(from)];
                of_state.extend(cubes.into_iter().map(|label| Edge { label, marks: arc.marks, target }));
            }
        }
        edges.iter_mut().for_each(|edges| edges.sort_unstable_by_key(|edge| (edge.target, *edge)));
        Ok(Automaton::new(atoms, self.marks, StateId(0), edges))
    }
    pub fn from_automaton(automaton: &Automaton, bdds: &mut Bdds) -> Graph {
        let mut arcs = Vec::with_capacity(automaton.states());
        for state in automaton.state_ids() {
            let edges = automaton.edges(state).iter();
            arcs.push(
                edges
                    .map(|edge| Arc {
                        target: edge.target.index(),
                        marks: edge.marks,
                        label: bdds.cube(edge.label),
                    })
                    .collect(),
            );
        }
        let mut graph = Graph { marks: automaton.marks(), initial: automaton.initial().index(), arcs };
        graph.merge_arcs(bdds);
        graph
    }
}
