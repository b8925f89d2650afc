//! The strongly connected parts of a claim, and their classes (Edelkamp, Lluch Lafuente and Leue, *Directed Explicit Model
//! Checking with HSF-SPIN*, 2001).
//!
//! A cycle of the product leads through one part of the claim only. What it needs to be accepted is thus known in advance: in a
//! part of class N no cycle is, in one of class F every cycle is, and only in class P cycles have to be told apart. What the paper calls S,
//! the end of a claim, is no state here: an edge leads to a violation.

use super::claim::{Claim, Target};
use panoptes_ltl::components;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// N: no cycle is accepted, or there is none.
    Never,
    /// P: some cycles are accepted and some are not.
    Sometimes,
    /// F: every cycle is accepted.
    Always,
}

#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The part of each state.
    of: Vec<usize>,
    classes: Vec<Class>,
}

impl Parts {
    /// Nothing is known: all states are one part, with cycles of both kinds.
    pub fn unknown(claim: &Claim) -> Parts {
        Parts { of: vec![0; claim.states.len()], classes: vec![Class::Sometimes] }
    }

    pub fn of(claim: &Claim) -> Parts {
        let of = strong(claim, |_, _, _| true);
        let count = of.iter().max().map_or(0, |part| part + 1);
        let mut sets = vec![None; count];
        each_step(claim, |from, to, marked| {
            if of[from] == of[to] {
                *sets[of[from]].get_or_insert(0) |= marked;
            }
        });
        let all = claim.all_sets();
        let mut classes: Vec<Class> = sets
            .into_iter()
            .map(|sets| if sets.is_some_and(|sets| sets & all == all) { Class::Always } else { Class::Never })
            .collect();
        // A part has a cycle that is not accepted if one is left without the steps of some set.
        for set in (0..claim.set_count).map(|set| 1u64 << set) {
            let is_left = |from: usize, to: usize, marked: u64| of[from] == of[to] && marked & set == 0;
            let left = strong(claim, is_left);
            each_step(claim, |from, to, marked| {
                let class = &mut classes[of[from]];
                if is_left(from, to, marked) && left[from] == left[to] && *class == Class::Always {
                    *class = Class::Sometimes;
                }
            });
        }
        Parts { of, classes }
    }

    /// Is no cycle accepted?
    pub fn accept_nothing(&self) -> bool {
        self.classes.iter().all(|class| *class == Class::Never)
    }

    #[inline]
    pub fn part(&self, state: u16) -> usize {
        self.of[usize::from(state)]
    }

    #[inline]
    pub fn class(&self, state: u16) -> Class {
        self.classes[self.part(state)]
    }
}

/// The strongly connected component of each state, over the steps that are wanted.
fn strong(claim: &Claim, is_wanted: impl Fn(usize, usize, u64) -> bool) -> Vec<usize> {
    let count = claim.states.len();
    let mut targets = vec![Vec::new(); count];
    each_step(claim, |from, to, sets| {
        if is_wanted(from, to, sets) {
            targets[from].push(to);
        }
    });
    let found = components(count, 0..count, |from| targets[from].iter().copied());
    found.of.into_iter().map(|part| part.expect("every state is a start")).collect()
}

/// Tells of each edge that leads to a state: from where, to where, and its sets.
pub(super) fn each_step(claim: &Claim, mut tell: impl FnMut(usize, usize, u64)) {
    for (from, state) in claim.states.iter().enumerate() {
        for edge in &state.edges {
            if let Target::State(to) = edge.to {
                tell(from, usize::from(to), edge.sets);
            }
        }
    }
}
