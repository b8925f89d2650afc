//! Leaving out marks that say nothing: outside of accepting components, and where the others say it already.

use crate::automaton::Marks;
use crate::graph::Graph;
use crate::scc::{Components, components};

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
        let most = needed.iter().flatten().map(|needed| needed.0.count_ones()).max().unwrap_or(0);
        self.marks = most.max(u32::from(is_rejecting));
        for (from, arcs) in self.arcs.iter_mut().enumerate() {
            let component = found.of[from];
            for arc in arcs.iter_mut() {
                let inside = component.filter(|component| found.of[arc.target] == Some(*component));
                arc.marks = match inside.and_then(|component| needed[component]) {
                    None => Marks::NONE,
                    Some(needed) => renumbered(arc.marks, needed, self.marks),
                };
            }
        }
    }

    /// The marks that tell accepting cycles of a component from others: a mark is left out if every cycle with all the
    /// rest has it, too.
    fn needed_marks(&self, found: &Components, component: usize) -> Marks {
        let mut needed = self.all_marks();
        for mark in needed.iter() {
            let rest = Marks(needed.0 & !Marks::single(mark).0);
            if !self.has_cycle_without(found, component, mark, rest) {
                needed = rest;
            }
        }
        needed
    }

    /// Is there a cycle in the component with all the marks of `wanted` and without `mark`?
    fn has_cycle_without(&self, found: &Components, component: usize, mark: u32, wanted: Marks) -> bool {
        let members: Vec<usize> =
            (0..self.len()).filter(|state| found.of[*state] == Some(component)).collect();
        let kept = |from: usize| {
            let arcs = self.arcs[from].iter();
            arcs.filter(|arc| {
                found.of[arc.target] == Some(component) && !arc.marks.contains(Marks::single(mark))
            })
        };
        // One more node leads to all members, so that all of them are searched.
        let start = self.len();
        let inner = components(start + 1, start, |from, visit| match from == start {
            true => members.iter().for_each(|state| visit(*state)),
            false => kept(from).for_each(|arc| visit(arc.target)),
        });
        let mut seen = vec![None; inner.count];
        for from in members {
            for arc in kept(from).filter(|arc| inner.of[arc.target] == inner.of[from]) {
                let seen = &mut seen[inner.of[from].expect("members are searched")];
                *seen = Some(seen.unwrap_or(Marks::NONE).with(arc.marks));
            }
        }
        seen.into_iter().flatten().any(|seen| seen.contains(wanted))
    }
}

/// The marks that are needed, numbered from zero, and all those behind them.
fn renumbered(marks: Marks, needed: Marks, total: u32) -> Marks {
    let mut result = Marks::first(total).0 & !Marks::first(needed.0.count_ones()).0;
    for (new, old) in needed.iter().enumerate() {
        result |= u64::from(marks.contains(Marks::single(old))) << new;
    }
    Marks(result)
}
