//! How far a state of the product is from the places where violations are: the first states of parts of the claim with accepted
//! cycles, and those in which the claim comes to its end.
//!
//! It is counted in steps of the product, and never too many: each edge of the claim takes a step, and an edge whose label does not hold yet
//! takes as many more as the label is away from holding, by the lower bound of the formula heuristic. Where a step of the product may be
//! several steps of processes, that is one at least.

use super::claim::{Claim, ClaimEdge, Target};
use super::home::distances;
use super::parts::{Class, Parts};
use super::product::split;
use crate::heuristic::look::Frames;
use crate::heuristic::term::{Conjunction, Measure, Term, Terms};
use panoptes_exec::{Condition, Executor};
use panoptes_model::Model;

pub(super) struct Estimate<'c> {
    model: &'c Model,
    states: Vec<OfState<'c>>,
    /// A step of the product is one of a process.
    steps_are_single: bool,
    frames: Frames,
}

/// What is known of a state of the claim.
enum OfState<'c> {
    /// It is there, or will never be: nothing needs to be asked.
    Known(u32),
    /// The edges that lead nearer, with how far it is from there, and the conditions that they ask for.
    Nearer { edges: Vec<Nearer<'c>>, wanted: u64 },
}

/// An edge that leads nearer.
struct Nearer<'c> {
    edge: ClaimEdge,
    far: u32,
    label: Term<'c>,
}

/// Nothing accepted can be reached. (Steps may still go wrong there, so it is looked at in the end.)
const NEVER: u32 = u32::MAX;

impl<'c> Estimate<'c> {
    pub fn new(model: &'c Model, claim: &'c Claim, parts: &Parts) -> Estimate<'c> {
        let ends = |edge: &ClaimEdge| matches!(edge.to, Target::Violation(_));
        let is_goal = |state: usize| {
            parts.class(state as u16) != Class::Never || claim.states[state].edges.iter().any(ends)
        };
        let far = distances(claim, is_goal);
        let states = claim.states.iter().enumerate().map(|(number, state)| {
            if parts.class(number as u16) != Class::Never || far[number] == NEVER {
                return OfState::Known(far[number]);
            }
            let nearer = |edge: &ClaimEdge| {
                let far = match edge.to {
                    Target::Violation(_) => 0,
                    Target::State(to) if to == number as u16 => return None,
                    Target::State(to) => far[usize::from(to)].checked_add(1)?,
                };
                Some(Nearer { edge: edge.clone(), far, label: label(model, claim, edge) })
            };
            let edges: Vec<Nearer<'_>> = state.edges.iter().filter_map(nearer).collect();
            let asked = |nearer: &Nearer<'_>| nearer.edge.holds | nearer.edge.fails;
            let wanted = edges.iter().fold(0, |wanted, nearer| wanted | asked(nearer));
            OfState::Nearer { edges, wanted }
        });
        let steps_are_single = !model.has_chains();
        Estimate { model, states: states.collect(), steps_are_single, frames: Frames::default() }
    }

    pub fn of(&mut self, executor: &mut dyn Executor, vector: &[u8]) -> u32 {
        let (system, claim_state) = split(vector);
        match &self.states[usize::from(claim_state)] {
            OfState::Known(far) => *far,
            OfState::Nearer { edges, wanted } => {
                // A condition without a value is a violation, which is found when the state is expanded.
                let Ok(held) = executor.conditions(system, *wanted) else { return 0 };
                let look = self.frames.look(self.model, system);
                let far = |nearer: &Nearer<'_>| match nearer.edge.is_open(held) {
                    true => nearer.far,
                    false if self.steps_are_single => {
                        nearer.far.saturating_add(nearer.label.estimate(look, 0, Conjunction::Max).max(1))
                    }
                    false => nearer.far.saturating_add(1),
                };
                edges.iter().map(far).min().unwrap_or(NEVER)
            }
        }
    }
}

/// What the label of an edge asks for, as something to be measured.
fn label<'c>(model: &'c Model, claim: &'c Claim, edge: &ClaimEdge) -> Term<'c> {
    let terms = Terms { model, measure: Measure::LOWER_BOUND, process: None };
    let asked = claim.conditions.iter().enumerate().filter_map(|(number, condition)| {
        let bit = 1u64 << number;
        let is_asked = (edge.holds | edge.fails) & bit != 0;
        match condition {
            Condition::Holds(expr, _) if is_asked => Some(terms.term(expr, edge.holds & bit != 0)),
            _ => None,
        }
    });
    Term::All(asked.collect())
}
