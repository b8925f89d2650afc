//! State-based Büchi automata: one accepting set of states instead of marks on arcs.
//!
//! A copy of a state knows how many of the marks, in a fixed order, have been seen since the last time that all had
//! been; a copy that has seen all is accepting. Three things keep copies few (Babiak et al., 2013). Marks that all
//! arcs of a state carry count as soon as the state is entered, and not once more when it is left. Counting begins
//! anew where a run changes component. And a component that is entered again is entered where a copy exists.

use crate::automaton::Marks;
use crate::bdd::Bdds;
use crate::graph::{Arc, Graph};
use crate::scc::Components;
use rustc_hash::FxHashMap;

impl Graph {
    /// A state-based automaton with the same language; marks are counted in the given order.
    pub fn degeneralise(&self, order: &[u32], bdds: &mut Bdds) -> Graph {
        let found = self.components();
        let common = (0..self.len()).map(|state| self.common_marks(&found, state)).collect();
        let mut copies = Copies {
            order,
            common,
            numbers: FxHashMap::default(),
            copies: Vec::new(),
            of_state: vec![None; self.len()],
        };
        let initial = copies.entered(self.initial);
        let mut arcs: Vec<Vec<Arc>> = Vec::new();
        // Arcs into other components wait until the copies of all open components are known.
        let mut entries: Vec<(usize, Arc)> = Vec::new();
        loop {
            while arcs.len() < copies.copies.len() {
                let from = arcs.len();
                let (state, level) = copies.copies[from];
                let mut inside = Vec::new();
                for arc in &self.arcs[state] {
                    if found.of[arc.target] == found.of[state] {
                        let target = copies.followed(state, level, arc);
                        inside.push(Arc { target, ..*arc });
                    } else {
                        entries.push((from, *arc));
                    }
                }
                arcs.push(inside);
            }
            let Some((from, arc)) = entries.pop() else { break };
            let target = copies.entered(arc.target);
            arcs[from].push(Arc { target, ..arc });
        }
        for (from, arcs) in arcs.iter_mut().enumerate() {
            let is_accepting = copies.copies[from].1 == order.len();
            let marks = if is_accepting { Marks::single(0) } else { Marks::NONE };
            arcs.iter_mut().for_each(|arc| arc.marks = marks);
        }
        let mut graph = Graph { marks: 1, initial, arcs };
        graph.merge_arcs(bdds);
        graph
    }

    /// The marks of all arcs that a run in the component can take from a state.
    pub fn common_marks(&self, found: &Components, state: usize) -> Marks {
        let inside = self.arcs[state].iter().filter(|arc| found.of[arc.target] == found.of[state]);
        let common = inside.map(|arc| arc.marks).reduce(|a, b| Marks(a.0 & b.0));
        common.unwrap_or(Marks::NONE)
    }

    /// In a state-based automaton: states that are on no accepting cycle are not accepting, and all states of a component
    /// are if every cycle in it is accepting.
    pub fn simplify_accepting_states(&mut self) {
        let found = self.components();
        let mut by_arcs = self.clone();
        by_arcs.simplify_marks();
        let of_components = by_arcs.component_marks(&found);
        let mut wholly = vec![true; found.count];
        for (from, arcs) in by_arcs.arcs.iter().enumerate() {
            let Some(component) = found.of[from] else { continue };
            let inside = arcs.iter().filter(|arc| found.of[arc.target] == Some(component));
            wholly[component] &= inside.into_iter().all(|arc| arc.marks.contains(by_arcs.all_marks()));
        }
        for (from, arcs) in self.arcs.iter_mut().enumerate() {
            let Some(component) = found.of[from] else { continue };
            let marks = of_components[component];
            let accepts = marks.has_cycle && marks.seen.contains(by_arcs.all_marks());
            let was_accepting = arcs.first().is_some_and(|arc| arc.marks != Marks::NONE);
            let is_accepting = accepts && (was_accepting || wholly[component]);
            let marks = if is_accepting { Marks::single(0) } else { Marks::NONE };
            arcs.iter_mut().for_each(|arc| arc.marks = marks);
        }
    }
}

/// The copies of states that are needed so far, each with its level: how many marks it has seen.
struct Copies<'a> {
    order: &'a [u32],
    common: Vec<Marks>,
    numbers: FxHashMap<(usize, usize), usize>,
    copies: Vec<(usize, usize)>,
    /// A copy of each state, if there is one.
    of_state: Vec<Option<usize>>,
}

impl Copies<'_> {
    fn copy(&mut self, state: usize, level: usize) -> usize {
        let number = *self.numbers.entry((state, level)).or_insert_with(|| {
            self.copies.push((state, level));
            self.copies.len() - 1
        });
        self.of_state[state].get_or_insert(number);
        number
    }

    /// The copy to begin with in another component: any will do.
    fn entered(&mut self, state: usize) -> usize {
        match self.of_state[state] {
            Some(known) => known,
            None => self.copy(state, self.advanced(0, self.common[state])),
        }
    }

    /// The copy behind an arc inside a component.
    fn followed(&mut self, state: usize, level: usize, arc: &Arc) -> usize {
        let counted = Marks(arc.marks.0 & !self.common[state].0).with(self.common[arc.target]);
        let level = if level == self.order.len() { 0 } else { level };
        self.copy(arc.target, self.advanced(level, counted))
    }

    fn advanced(&self, level: usize, marks: Marks) -> usize {
        let seen = self.order[level..].iter().take_while(|mark| marks.contains(Marks::single(**mark)));
        level + seen.count()
    }
}
