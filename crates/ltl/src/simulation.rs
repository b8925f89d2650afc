//! Reduction by direct simulation, forwards and backwards.
//!
//! A state simulates another if it can follow each of its steps, letter by letter, with at least the same marks, to a state
//! that simulates the other's target. Of states that simulate each other one is kept, and an arc is left out where
//! another with more marks leads to a state that simulates its target. Backwards the same is done with the arcs
//! turned around. (Somenzi and Bloem, 2000; on transitions: Babiak et al., 2013.)

use crate::automaton::Marks;
use crate::bdd::{Bdd, Bdds};
use crate::graph::{Arc, Graph};

/// Where the marks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acceptance {
    /// Each arc has its own.
    Arcs,
    /// All arcs of a state have the same: states are accepting or not.
    States,
}

/// Which state is simulated by which: `at(i, j)` if `j` simulates `i`.
pub(crate) struct Relation {
    states: usize,
    holds: Vec<bool>,
}

impl Relation {
    pub fn at(&self, i: usize, j: usize) -> bool {
        self.holds[i * self.states + j]
    }
}

/// Beyond this many states and arcs, pairs are too many to compare.
const STATES_MAX: usize = 200;
const ARCS_MAX: usize = 1_500;

impl Graph {
    /// Is it small enough to compare all pairs of its arcs?
    pub fn is_small(&self) -> bool {
        self.len() <= STATES_MAX && self.arc_count() <= ARCS_MAX
    }

    /// Makes one of states that simulate each other, until nothing changes. A large automaton only loses what is useless.
    pub fn reduce_by_simulation(&mut self, acceptance: Acceptance, bdds: &mut Bdds) {
        self.simplify(acceptance);
        while self.is_small() {
            let before = (self.len(), self.arc_count());
            self.reduce_forwards(bdds);
            self.simplify(acceptance);
            self.reduce_backwards(acceptance, bdds);
            self.simplify(acceptance);
            if (self.len(), self.arc_count()) == before || bdds.is_tired() {
                return;
            }
        }
    }

    /// Leaves out useless states and marks.
    pub fn simplify(&mut self, acceptance: Acceptance) {
        self.prune();
        match acceptance {
            Acceptance::Arcs => self.simplify_marks(),
            Acceptance::States => self.simplify_accepting_states(),
        }
    }

    fn reduce_forwards(&mut self, bdds: &mut Bdds) {
        if let Some(relation) = self.simulation(|_, _| true, bdds) {
            self.merge_equivalent(&relation, bdds);
        }
    }

    fn reduce_backwards(&mut self, acceptance: Acceptance, bdds: &mut Bdds) {
        let accepting: Vec<Marks> =
            self.arcs.iter().map(|arcs| arcs.first().map_or(Marks::NONE, |arc| arc.marks)).collect();
        let initial = self.initial;
        self.reverse();
        let relation = self.simulation(
            |i, j| {
                let alike = acceptance == Acceptance::Arcs || accepting[i] == accepting[j];
                alike && (i != initial || j == initial)
            },
            bdds,
        );
        if let Some(relation) = relation {
            self.merge_equivalent(&relation, bdds);
        }
        self.reverse();
        self.merge_arcs(bdds);
    }

    /// Turns all arcs around.
    fn reverse(&mut self) {
        let mut reversed = vec![Vec::new(); self.len()];
        for (from, arcs) in self.arcs.iter().enumerate() {
            for arc in arcs {
                reversed[arc.target].push(Arc { target: from, ..*arc });
            }
        }
        self.arcs = reversed;
    }

    /// The largest simulation within `allowed`; none if that takes too long.
    pub fn simulation(&self, allowed: impl Fn(usize, usize) -> bool, bdds: &mut Bdds) -> Option<Relation> {
        let states = self.len();
        let holds = (0..states * states).map(|pair| allowed(pair / states, pair % states)).collect();
        let mut relation = Relation { states, holds };
        loop {
            let mut changed = false;
            for i in 0..states {
                for j in (0..states).filter(|j| *j != i) {
                    if relation.at(i, j) && !self.follows(i, j, &relation, bdds) {
                        relation.holds[i * states + j] = false;
                        changed = true;
                    }
                }
                if bdds.is_tired() {
                    return None;
                }
            }
            if !changed {
                return Some(relation);
            }
        }
    }

    /// Can `j` follow each step of `i`?
    fn follows(&self, i: usize, j: usize, relation: &Relation, bdds: &mut Bdds) -> bool {
        self.arcs[i].iter().all(|arc| {
            let mut left = arc.label;
            for other in &self.arcs[j] {
                if left == Bdd::FALSE {
                    break;
                }
                if other.marks.contains(arc.marks) && relation.at(arc.target, other.target) {
                    left = bdds.without(left, other.label);
                }
            }
            left == Bdd::FALSE
        })
    }

    fn merge_equivalent(&mut self, relation: &Relation, bdds: &mut Bdds) {
        let states = self.len();
        let chosen: Vec<usize> = (0..states)
            .map(|i| {
                let first = (0..i).find(|j| relation.at(i, *j) && relation.at(*j, i));
                first.unwrap_or(i)
            })
            .collect();
        for arcs in &mut self.arcs {
            arcs.iter_mut().for_each(|arc| arc.target = chosen[arc.target]);
        }
        self.initial = chosen[self.initial];
        self.merge_arcs(bdds);
        for arcs in &mut self.arcs {
            let all = arcs.clone();
            for arc in arcs.iter_mut() {
                for other in &all {
                    let is_better = other.marks.contains(arc.marks)
                        && relation.at(arc.target, other.target)
                        && (other.marks, other.target) != (arc.marks, arc.target);
                    if is_better {
                        arc.label = bdds.without(arc.label, other.label);
                    }
                }
            }
            arcs.retain(|arc| arc.label != Bdd::FALSE);
        }
        let kept: Vec<usize> = (0..states).filter(|state| chosen[*state] == *state).collect();
        self.restrict(&kept);
    }
}
