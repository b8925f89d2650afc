//! Words that end in a cycle, and what formulas and automata mean on them by definition.
//!
//! This is the reference for everything else in the crate: no rewriting, no automaton, only the meaning of each
//! operator on the finitely many positions of a lasso.

use crate::automaton::{Automaton, Marks, StateId};
use crate::formula::Formula;
use crate::scc::components;

/// A set of atoms that are true: bit `i` is atom `i`.
pub type Valuation = u64;

/// An infinite word: the prefix once, then the cycle for ever. The cycle is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    prefix: usize,
    letters: Vec<Valuation>,
}

impl Lasso {
    pub fn new(prefix: &[Valuation], cycle: &[Valuation]) -> Lasso {
        assert!(!cycle.is_empty(), "a lasso has a cycle");
        Lasso { prefix: prefix.len(), letters: [prefix, cycle].concat() }
    }

    /// How many letters come before the cycle.
    pub fn prefix(&self) -> usize {
        self.prefix
    }

    /// Prefix and cycle, once.
    pub fn letters(&self) -> &[Valuation] {
        &self.letters
    }

    fn next(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.prefix }
    }

    /// Does the formula hold at the beginning?
    pub fn satisfies(&self, formula: &Formula) -> bool {
        self.truth(formula)[0]
    }

    /// At which positions the formula holds.
    fn truth(&self, formula: &Formula) -> Vec<bool> {
        let positions = self.letters.len();
        let of = |operand: &Formula| self.truth(operand);
        let each = |f: &dyn Fn(usize) -> bool| (0..positions).map(f).collect::<Vec<bool>>();
        match formula {
            Formula::True => vec![true; positions],
            Formula::False => vec![false; positions],
            Formula::Atom(atom) => each(&|at| atom.0 < 64 && self.letters[at] >> atom.0 & 1 == 1),
            Formula::Not(a) => of(a).into_iter().map(|truth| !truth).collect(),
            Formula::And(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|at| a[at] && b[at])
            }
            Formula::Or(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|at| a[at] || b[at])
            }
            Formula::Implies(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|at| !a[at] || b[at])
            }
            Formula::Equiv(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|at| a[at] == b[at])
            }
            Formula::Next(a) => {
                let a = of(a);
                each(&|at| a[self.next(at)])
            }
            Formula::Always(a) => {
                let a = of(a);
                each(&|at| self.walk(at).all(|later| a[later]))
            }
            Formula::Eventually(a) => {
                let a = of(a);
                each(&|at| self.walk(at).any(|later| a[later]))
            }
            Formula::Until(a, b) => {
                let (a, b) = (of(a), of(b));
                each(&|at| self.first(at, &b).is_some_and(|steps| self.walk(at).take(steps).all(|at| a[at])))
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (of(a), of(b));
                let steps = |at| self.first(at, &b).unwrap_or(positions);
                each(&|at| self.walk(at).take(steps(at)).all(|at| a[at]))
            }
            Formula::Release(a, b) => {
                let (a, b) = (of(a), of(b));
                let steps = |at| self.first(at, &a).map_or(positions, |steps| steps + 1);
                each(&|at| self.walk(at).take(steps(at)).all(|at| b[at]))
            }
        }
    }

    /// As many positions from here on as there are in all: every later one is among them.
    fn walk(&self, from: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(from), |at| Some(self.next(*at))).take(self.letters.len())
    }

    /// After how many steps the first position comes at which something is true.
    fn first(&self, from: usize, truth: &[bool]) -> Option<usize> {
        self.walk(from).position(|at| truth[at])
    }

    /// Has the automaton an accepting run on this word?
    pub fn is_accepted_by(&self, automaton: &Automaton) -> bool {
        let positions = self.letters.len();
        let node = |state: StateId, at: usize| state.index() * positions + at;
        let mut successors: Vec<Vec<(usize, Marks)>> = vec![Vec::new(); automaton.states() * positions];
        for state in automaton.state_ids() {
            for (at, letter) in self.letters.iter().enumerate() {
                let edges = automaton.edges(state).iter().filter(|edge| edge.label.holds(*letter));
                successors[node(state, at)] =
                    edges.map(|edge| (node(edge.target, self.next(at)), edge.marks)).collect();
            }
        }
        let all = automaton.all_marks();
        let start = node(automaton.initial(), 0);
        let found = components(successors.len(), [start], |from| successors[from].iter().map(|(to, _)| *to));
        let mut seen = vec![Marks::NONE; found.count];
        let mut has_cycle = vec![false; found.count];
        for (from, edges) in successors.iter().enumerate() {
            let Some(component) = found.of[from] else { continue };
            for (_, marks) in edges.iter().filter(|(to, _)| found.of[*to] == Some(component)) {
                seen[component] = seen[component].with(*marks);
                has_cycle[component] = true;
            }
        }
        (0..found.count).any(|component| has_cycle[component] && seen[component].contains(all))
    }
}
