//! The product of two automata: is there a word that both accept?

use crate::automaton::{Automaton, Marks};
use crate::bdd::{Bdd, Bdds};
use crate::graph::Graph;
use crate::scc::components;
use rustc_hash::FxHashMap;

impl Automaton {
    /// Is there a word that both automata accept? Their atoms are the same.
    pub fn intersects(&self, other: &Automaton) -> bool {
        let mut bdds = Bdds::new(usize::MAX);
        let left = Graph::from_automaton(self, &mut bdds);
        let right = Graph::from_automaton(other, &mut bdds);
        are_disjoint(&left, &right, usize::MAX, &mut bdds) == Some(false)
    }
}

/// The states of a product that can be reached, and its arcs with the marks of both sides.
pub(crate) struct Product {
    pub pairs: Vec<(usize, usize)>,
    pub arcs: Vec<Vec<(usize, Marks, Marks)>>,
}

impl Product {
    /// None if there are more pairs than that.
    pub fn new(left: &Graph, right: &Graph, pairs_max: usize, bdds: &mut Bdds) -> Option<Product> {
        let start = (left.initial, right.initial);
        let mut product = Product { pairs: vec![start], arcs: Vec::new() };
        let mut numbers = FxHashMap::from_iter([(start, 0)]);
        while product.arcs.len() < product.pairs.len() {
            let (i, j) = product.pairs[product.arcs.len()];
            let mut arcs = Vec::new();
            for ours in &left.arcs[i] {
                for theirs in &right.arcs[j] {
                    if bdds.and(ours.label, theirs.label) == Bdd::FALSE {
                        continue;
                    }
                    let pair = (ours.target, theirs.target);
                    let number = *numbers.entry(pair).or_insert_with(|| {
                        product.pairs.push(pair);
                        product.pairs.len() - 1
                    });
                    arcs.push((number, ours.marks, theirs.marks));
                }
            }
            product.arcs.push(arcs);
            if product.pairs.len() > pairs_max {
                return None;
            }
        }
        Some(product)
    }

    /// The product of all pairs, reachable or not, left states first.
    pub fn of_all_pairs(left: &Graph, right: &Graph, bdds: &mut Bdds) -> Product {
        let width = right.len();
        let pairs: Vec<(usize, usize)> = (0..left.len() * width).map(|at| (at / width, at % width)).collect();
        let mut arcs = Vec::with_capacity(pairs.len());
        for (i, j) in &pairs {
            let mut out = Vec::new();
            for ours in &left.arcs[*i] {
                for theirs in &right.arcs[*j] {
                    if bdds.and(ours.label, theirs.label) != Bdd::FALSE {
                        out.push((ours.target * width + theirs.target, ours.marks, theirs.marks));
                    }
                }
            }
            arcs.push(out);
        }
        Product { pairs, arcs }
    }

    /// A pair of each component that holds an accepting cycle. Empty if no word is accepted by both.
    pub fn accepting(&self, left: Marks, right: Marks) -> Vec<usize> {
        let pairs = self.pairs.len();
        let found = components(pairs, 0..pairs, |from| self.arcs[from].iter().map(|(target, ..)| *target));
        let mut seen = vec![None; found.count];
        let mut member = vec![0; found.count];
        for (from, arcs) in self.arcs.iter().enumerate() {
            let component = found.of[from].expect("all pairs are searched");
            member[component] = from;
            for (_, ours, theirs) in arcs.iter().filter(|(target, ..)| found.of[*target] == Some(component)) {
                let (a, b): (Marks, Marks) = seen[component].unwrap_or_default();
                seen[component] = Some((a.with(*ours), b.with(*theirs)));
            }
        }
        let accepts =
            |component: &usize| seen[*component].is_some_and(|(a, b)| a.contains(left) && b.contains(right));
        (0..found.count).filter(accepts).map(|component| member[component]).collect()
    }

    /// Which pairs can be reached from one.
    pub fn reachable(&self, start: usize) -> Vec<bool> {
        closure(&[start], self.pairs.len(), |from| self.arcs[from].iter().map(|(target, ..)| *target))
    }

    /// From which pairs an accepting cycle can be reached.
    pub fn reaching_acceptance(&self, left: Marks, right: Marks) -> Vec<bool> {
        let mut sources = vec![Vec::new(); self.pairs.len()];
        for (from, arcs) in self.arcs.iter().enumerate() {
            arcs.iter().for_each(|(target, ..)| sources[*target].push(from));
        }
        closure(&self.accepting(left, right), self.pairs.len(), |to| sources[to].iter().copied())
    }
}

/// Everything that can be reached by steps from some nodes.
fn closure<I: Iterator<Item = usize>>(
    start: &[usize],
    nodes: usize,
    steps: impl Fn(usize) -> I,
) -> Vec<bool> {
    let mut reached = vec![false; nodes];
    let mut open = start.to_vec();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(steps(node).filter(|next| !reached[*next]));
        }
    }
    reached
}

/// Is there no word that both accept? None if the product has more pairs than that.
pub(crate) fn are_disjoint(left: &Graph, right: &Graph, pairs_max: usize, bdds: &mut Bdds) -> Option<bool> {
    let product = Product::new(left, right, pairs_max, bdds)?;
    Some(product.accepting(left.all_marks(), right.all_marks()).is_empty())
}
