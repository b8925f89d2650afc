//! Labels as text: the edges of a state that differ in their labels only, written as one disjunction.

use crate::automaton::{Automaton, Cube, Edge, Marks, StateId};

/// The edges of a state to one target with the same marks: one edge with a disjunction.
pub(crate) struct Group {
    pub target: StateId,
    pub marks: Marks,
    pub cubes: Vec<Cube>,
}

impl Automaton {
    pub(crate) fn groups(&self, state: StateId) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for Edge { label, marks, target } in self.edges(state) {
            match groups.iter_mut().find(|group| (group.target, group.marks) == (*target, *marks)) {
                Some(group) => group.cubes.push(*label),
                None => groups.push(Group { target: *target, marks: *marks, cubes: vec![*label] }),
            }
        }
        groups
    }
}

/// How a notation writes what labels are made of.
pub(crate) struct Notation<'a> {
    pub always: &'a str,
    pub and: &'a str,
    pub or: &'a str,
    pub atom: &'a dyn Fn(u32) -> String,
}

impl Notation<'_> {
    pub fn write(&self, cubes: &[Cube]) -> String {
        let one = |cube: &Cube| {
            let literals = (0..u64::BITS).filter_map(|atom| {
                let is_in = |set: u64| set >> atom & 1 == 1;
                match (is_in(cube.positive), is_in(cube.negative)) {
                    (true, _) => Some((self.atom)(atom)),
                    (_, true) => Some(format!("!{}", (self.atom)(atom))),
                    _ => None,
                }
            });
            let literals: Vec<String> = literals.collect();
            if literals.is_empty() { self.always.to_string() } else { literals.join(self.and) }
        };
        cubes.iter().map(one).collect::<Vec<String>>().join(self.or)
    }
}
