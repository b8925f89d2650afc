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
                self.backwards(true, |at, later| a[at] && later)
            }
            Formula::Eventually(a) => {
                let a = of(a);
                self.backwards(false, |at, later| a[at] || later)
            }
            Formula::Until(a, b) => {
                let (a, b) = (of(a), of(b));
                self.backwards(false, |at, later| b[at] || a[at] && later)
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (of(a), of(b));
                self.backwards(true, |at, later| b[at] || a[at] && later)
            }
            Formula::Release(a, b) => {
                let (a, b) = (of(a), of(b));
                self.backwards(true, |at, later| b[at] && (a[at] || later))
            }
        }
    }

    /// The truth of an operator whose truth at a position follows from that at the next one: the least solution, or the greatest if it begins with
    /// true. The cycle is passed twice, since whatever decides comes within one turn.
    fn backwards(&self, beginning: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut truth = vec![beginning; self.letters.len()];
        for first in [self.prefix, 0] {
            for at in (first..truth.len()).rev() {
                truth[at] = step(at, truth[self.next(at)]);
            }
        }
        truth
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::AtomId;

    /// The operators by what they say of all later positions, on every lasso of up to five letters over two atoms.
    #[test]
    fn operators_mean_what_they_say_of_later_positions() {
        let (a, b) = (Formula::Atom(AtomId(0)), Formula::Atom(AtomId(1)));
        let both =
            |make: fn(Box<Formula>, Box<Formula>) -> Formula| make(Box::new(a.clone()), Box::new(b.clone()));
        for length in 1..=5 {
            for (code, prefix) in
                (0..4u64.pow(length)).flat_map(|code| (0..length as usize).map(move |prefix| (code, prefix)))
            {
                let letters: Vec<Valuation> = (0..length).map(|at| code >> (2 * at) & 3).collect();
                let lasso = Lasso::new(&letters[..prefix], &letters[prefix..]);
                for at in 0..letters.len() {
                    let walk: Vec<usize> = std::iter::successors(Some(at), |at| Some(lasso.next(*at)))
                        .take(letters.len())
                        .collect();
                    let is_a = |at: &usize| letters[*at] & 1 == 1;
                    let is_b = |at: &usize| letters[*at] & 2 == 2;
                    let first_b = walk.iter().position(is_b);
                    let until = first_b.is_some_and(|steps| walk[..steps].iter().all(is_a));
                    let first_a = walk.iter().position(is_a);
                    let expected = [
                        (Formula::Always(Box::new(a.clone())), walk.iter().all(is_a)),
                        (Formula::Eventually(Box::new(a.clone())), first_a.is_some()),
                        (both(Formula::Until), until),
                        (both(Formula::WeakUntil), until || walk.iter().all(is_a)),
                        (
                            both(Formula::Release),
                            walk[..first_a.map_or(walk.len(), |steps| steps + 1)].iter().all(is_b),
                        ),
                    ];
                    for (formula, expected) in expected {
                        assert_eq!(lasso.truth(&formula)[at], expected, "{formula:?} at {at} of {lasso:?}");
                    }
                }
            }
        }
    }
}
