//! Leaving out marks that say nothing: outside of accepting components, and where the others say it already.

use crate::automaton::Marks;
use crate::graph::Graph;
use crate::scc::{Components, components};

/// What a component needs as a mark: arcs with all of these marks have it.
type Needed = Marks;

impl Graph {
    /// Gives each accepting component as few marks as it needs, numbered from zero. An arc that is on no accepting cycle
    /// has none; an arc of a component that needs fewer marks than another has those that it does not need.
    pub fn simplify_marks(&mut self) {
        let found = self.components();
        let of_components = self.component_marks(&found);
        let all = self.all_marks();
        let mut needed = Vec::with_capacity(found.count);
        let mut is_rejecting = false;
        for (component, marks) in of_components.iter().enumerate() {
            let accepts = marks.has_cycle && marks.seen.contains(all);
            is_rejecting |= marks.has_cycle && !accepts;
            needed.push(accepts.then(|| self.needed_marks(&found, component)));
        }
        let most = needed.iter().flatten().map(Vec::len).max().unwrap_or(0) as u32;
        self.marks = most.max(u32::from(is_rejecting));
        for (from, arcs) in self.arcs.iter_mut().enumerate() {
            let component = found.of[from];
            for arc in arcs.iter_mut() {
                let inside = component.filter(|component| found.of[arc.target] == Some(*component));
                arc.marks = match inside.and_then(|component| needed[component].as_ref()) {
                    None => Marks::NONE,
                    Some(needed) => {
                        let unneeded = Marks::first(self.marks).0 & !Marks::first(needed.len() as u32).0;
                        Marks(unneeded).with(shown(arc.marks, needed))
                    }
                };
            }
        }
    }

    /// Marks that tell accepting cycles of a component from others. A mark is left out if every cycle with all the rest
    /// has it, too; two are made one if every accepting cycle has an arc with both.
    fn needed_marks(&self, found: &Components, component: usize) -> Vec<Needed> {
        let part = Part::new(self, found, component);
        let mut needed: Vec<Needed> = self.all_marks().iter().map(Marks::single).collect();
        let mut at = 0;
        while at < needed.len() {
            let mut rest = needed.clone();
            let left_out = rest.remove(at);
            if part.has_cycle(left_out, &rest) {
                at += 1;
            } else {
                needed = rest;
            }
        }
        let mut pair = (0, 1);
        while pair.1 < needed.len() {
            let both = needed[pair.0].with(needed[pair.1]);
            if !part.has_cycle(both, &needed) {
                needed[pair.0] = both;
                needed.remove(pair.1);
                pair = (0, 1);
            } else if pair.0 + 1 < pair.1 {
                pair.0 += 1;
            } else {
                pair = (0, pair.1 + 1);
            }
        }
        needed
    }
}

/// Which of the needed marks an arc has, as marks of their places.
fn shown(marks: Marks, needed: &[Needed]) -> Marks {
    let places = (0..).zip(needed).filter(|(_, needed)| marks.contains(**needed));
    places.fold(Marks::NONE, |shown, (place, _)| shown.with(Marks::single(place)))
}

/// A component by itself, its states numbered anew.
struct Part {
    arcs: Vec<Vec<(usize, Marks)>>,
}

impl Part {
    fn new(graph: &Graph, found: &Components, component: usize) -> Part {
        let members: Vec<usize> =
            (0..graph.len()).filter(|state| found.of[*state] == Some(component)).collect();
        let number = |state: usize| members.binary_search(&state).ok();
        let inside = |state: &usize| {
            let arcs = graph.arcs[*state].iter();
            arcs.filter_map(|arc| number(arc.target).map(|target| (target, arc.marks))).collect()
        };
        Part { arcs: members.iter().map(inside).collect() }
    }

    /// Is there a cycle that has all `wanted` marks, and no arc with all marks of `without`?
    fn has_cycle(&self, without: Marks, wanted: &[Needed]) -> bool {
        let kept = |from: usize| self.arcs[from].iter().filter(|(_, marks)| !marks.contains(without));
        let states = self.arcs.len();
        let inner = components(states, 0..states, |from| kept(from).map(|(target, _)| *target));
        let mut seen = vec![None; inner.count];
        for from in 0..states {
            let component = inner.of[from].expect("all states are searched");
            for (_, marks) in kept(from).filter(|(target, _)| inner.of[*target] == Some(component)) {
                let before = seen[component].unwrap_or(Marks::NONE);
                seen[component] = Some(before.with(shown(*marks, wanted)));
            }
        }
        let all = Marks::first(wanted.len() as u32);
        seen.into_iter().flatten().any(|seen| seen.contains(all))
    }
}
