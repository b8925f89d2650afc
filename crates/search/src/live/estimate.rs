//! How far a state of the product is from the places where violations are: the first states of parts of the claim with accepted
//! cycles, and those in which the claim comes to its end.
//!
//! It is counted in steps of the product, and never too many: each edge of the claim takes a step, and an edge whose label does not hold yet
//! takes one more. Estimates of the system's part belong here as well: the larger of two that are never too large is one.

use super::claim::{Claim, ClaimEdge, Target};
use super::home::distances;
use super::parts::{Class, Parts};
use super::product::split;
use panoptes_exec::Executor;

pub(super) struct Estimate {
    states: Vec<OfState>,
}

/// What is known of a state of the claim.
enum OfState {
    /// It is there, or will never be: nothing needs to be asked.
    Known(u32),
    /// The edges that lead nearer, with how far it is from there, and the conditions that they ask for.
    Nearer { edges: Vec<(ClaimEdge, u32)>, wanted: u64 },
}

/// Nothing accepted can be reached. (Steps may still go wrong there, so it is looked at in the end.)
const NEVER: u32 = u32::MAX;

impl Estimate {
    pub fn new(claim: &Claim, parts: &Parts) -> Estimate {
        let ends = |edge: &ClaimEdge| matches!(edge.to, Target::Violation(_));
        let is_goal = |state: usize| {
            parts.class(state as u16) != Class::Never || claim.states[state].edges.iter().any(ends)
        };
        let far = distances(claim, is_goal);
        let states = claim.states.iter().enumerate().map(|(number, state)| {
            if parts.class(number as u16) != Class::Never || far[number] == NEVER {
                return OfState::Known(far[number]);
            }
            let nearer = |edge: &ClaimEdge| match edge.to {
                Target::Violation(_) => Some((edge.clone(), 0)),
                Target::State(to) if to == number as u16 => None,
                Target::State(to) => {
                    let far = far[usize::from(to)];
                    (far != NEVER).then(|| (edge.clone(), far + 1))
                }
            };
            let edges: Vec<(ClaimEdge, u32)> = state.edges.iter().filter_map(nearer).collect();
            let wanted = edges.iter().fold(0, |wanted, (edge, _)| wanted | edge.holds | edge.fails);
            OfState::Nearer { edges, wanted }
        });
        Estimate { states: states.collect() }
    }

    pub fn of(&self, executor: &mut dyn Executor, vector: &[u8]) -> u32 {
        let (system, claim_state) = split(vector);
        match &self.states[usize::from(claim_state)] {
            OfState::Known(far) => *far,
            OfState::Nearer { edges, wanted } => {
                // A condition without a value is a violation, which is found when the state is expanded.
                let Ok(held) = executor.conditions(system, *wanted) else { return 0 };
                let far = |(edge, far): &(ClaimEdge, u32)| far + u32::from(!edge.is_open(held));
                edges.iter().map(far).min().unwrap_or(NEVER)
            }
        }
    }
}
