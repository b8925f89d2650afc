//! The smallest deterministic automaton of an obligation, if the property is one.
//!
//! An obligation is a boolean combination of safety properties; weak deterministic Büchi automata (each component is
//! wholly accepting or wholly rejecting) accept exactly these, and have a unique smallest form. The subset construction
//! gives the states whatever the property is; which components would have to accept is read off the automaton
//! itself; the automaton of the negation tells whether the result is right (Dax, Eisinger and Klaedtke, 2007). Then
//! components without a cycle get the colour that lets most states be merged (Löding, 2001), and states are merged as in
//! a deterministic finite automaton.

use crate::automaton::Marks;
use crate::bdd::{Bdd, Bdds};
use crate::graph::{Arc, Graph};
use crate::product::{Product, are_disjoint};
use rustc_hash::FxHashMap;

/// Beyond this many sets of states the construction is given up.
const SUBSETS_MAX: usize = 200;
/// Beyond this many successors of one set, too.
const SUCCESSORS_MAX: usize = 500;
const PAIRS_MAX: usize = 5_000;

/// The smallest weak deterministic automaton with the language of `graph`, if there is one and it is not too large.
/// `complement` accepts exactly the other words.
pub(crate) fn weak_deterministic(graph: &Graph, complement: &Graph, bdds: &mut Bdds) -> Option<Graph> {
    if !graph.is_small() || bdds.is_tired() {
        return None;
    }
    let mut subsets = subset_automaton(graph, bdds)?;
    let found = subsets.components();
    let product = Product::new(&subsets, graph, PAIRS_MAX, bdds)?;
    let mut accepts = vec![false; found.count];
    for pair in product.accepting(Marks::NONE, graph.all_marks()) {
        let (subset, _) = product.pairs[pair];
        accepts[found.of[subset].expect("all subsets can be reached")] = true;
    }
    let has_cycle: Vec<bool> = subsets.component_marks(&found).iter().map(|marks| marks.has_cycle).collect();
    let component = |state: usize| found.of[state].expect("all subsets can be reached");
    colour(&mut subsets, |state| accepts[component(state)]);
    if !are_disjoint(&subsets, complement, PAIRS_MAX, bdds)? {
        return None;
    }
    // The rank of a component is even where it accepts, and not less than that of any component behind it.
    let mut ranks = vec![0; found.count];
    for number in 0..found.count {
        let members = (0..subsets.len()).filter(|state| component(*state) == number);
        let behind = members.flat_map(|state| &subsets.arcs[state]).map(|arc| component(arc.target));
        let most = behind.filter(|other| *other != number).map(|other| ranks[other]).max();
        ranks[number] = match (has_cycle[number], most) {
            (false, most) => most.unwrap_or(0),
            (true, most) => {
                let (most, parity) = (most.unwrap_or(0), usize::from(!accepts[number]));
                most + usize::from(most % 2 != parity)
            }
        };
    }
    let classes = coarsest(&subsets, |state| ranks[component(state)] % 2, bdds);
    let mut merged = quotient(&subsets, &classes, bdds);
    let mut is_accepting = vec![false; merged.len()];
    for state in 0..subsets.len() {
        is_accepting[classes[state]] |= ranks[component(state)] % 2 == 0;
    }
    colour(&mut merged, |state| is_accepting[state]);
    merged.prune();
    Some(merged)
}

/// One mark, on the arcs of these states.
fn colour(graph: &mut Graph, is_accepting: impl Fn(usize) -> bool) {
    graph.marks = 1;
    for (state, arcs) in graph.arcs.iter_mut().enumerate() {
        let marks = if is_accepting(state) { Marks::single(0) } else { Marks::NONE };
        arcs.iter_mut().for_each(|arc| arc.marks = marks);
    }
}

/// The deterministic and complete automaton whose states are the sets of states that runs can be in. No marks.
fn subset_automaton(graph: &Graph, bdds: &mut Bdds) -> Option<Graph> {
    let mut sets = vec![vec![graph.initial]];
    let mut numbers = FxHashMap::from_iter([(sets[0].clone(), 0)]);
    let mut arcs = Vec::new();
    while arcs.len() < sets.len() {
        let members = sets[arcs.len()].clone();
        let mut out = Vec::new();
        for (label, set) in successors(graph, &members, bdds)? {
            let target = *numbers.entry(set.clone()).or_insert_with(|| {
                sets.push(set);
                sets.len() - 1
            });
            out.push(Arc { target, marks: Marks::NONE, label });
        }
        arcs.push(out);
        if sets.len() > SUBSETS_MAX || bdds.is_tired() {
            return None;
        }
    }
    Some(Graph { marks: 0, initial: 0, arcs })
}

/// Parts all letters by the set of states that they lead to.
fn successors(graph: &Graph, members: &[usize], bdds: &mut Bdds) -> Option<Vec<(Bdd, Vec<usize>)>> {
    let mut parts = vec![(Bdd::TRUE, Vec::new())];
    for arc in members.iter().flat_map(|state| &graph.arcs[*state]) {
        for at in 0..parts.len() {
            let (label, set) = parts[at].clone();
            let with = bdds.and(label, arc.label);
            if with == Bdd::FALSE || set.contains(&arc.target) {
                continue;
            }
            let mut larger = set;
            larger.push(arc.target);
            larger.sort_unstable();
            let without = bdds.without(label, arc.label);
            match without {
                Bdd::FALSE => parts[at].1 = larger,
                _ => {
                    parts[at].0 = without;
                    parts.push((with, larger));
                }
            }
        }
        if parts.len() > SUCCESSORS_MAX {
            return None;
        }
    }
    Some(parts)
}

/// The coarsest partition that keeps the given one and that every letter respects (Moore's algorithm).
fn coarsest(graph: &Graph, start: impl Fn(usize) -> usize, bdds: &mut Bdds) -> Vec<usize> {
    let mut classes: Vec<usize> = (0..graph.len()).map(start).collect();
    let mut count = 0;
    loop {
        let mut signatures = FxHashMap::default();
        let mut next = Vec::with_capacity(graph.len());
        for (state, arcs) in graph.arcs.iter().enumerate() {
            let mut labels: Vec<(usize, Bdd)> = Vec::new();
            for arc in arcs {
                match labels.iter_mut().find(|(class, _)| *class == classes[arc.target]) {
                    Some((_, label)) => *label = bdds.or(*label, arc.label),
                    None => labels.push((classes[arc.target], arc.label)),
                }
            }
            labels.sort_unstable();
            let new = signatures.len();
            next.push(*signatures.entry((classes[state], labels)).or_insert(new));
        }
        classes = next;
        if signatures.len() == count {
            return classes;
        }
        count = signatures.len();
    }
}

/// One state for each class. All members have the same arcs between classes.
fn quotient(graph: &Graph, classes: &[usize], bdds: &mut Bdds) -> Graph {
    let count = classes.iter().max().map_or(0, |most| most + 1);
    let mut arcs: Vec<Vec<Arc>> = vec![Vec::new(); count];
    for (state, class) in classes.iter().enumerate() {
        if arcs[*class].is_empty() {
            let own = graph.arcs[state].iter();
            arcs[*class] =
                own.map(|arc| Arc { target: classes[arc.target], marks: Marks::NONE, ..*arc }).collect();
        }
    }
    let mut merged = Graph { marks: 0, initial: classes[graph.initial], arcs };
    merged.merge_arcs(bdds);
    merged
}
