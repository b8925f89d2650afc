//! A claim as an automaton over words.

use panoptes_ltl::{Automaton, Cube, Edge, Marks, StateId};
use panoptes_search::{Claim, Target};

/// Violations that a finite execution shows are part of it, as a state that accepts everything, or they are not.
pub(super) fn automaton(claim: &Claim, with_violations: bool) -> Automaton {
    let sink = StateId(claim.states.len() as u32);
    let edges = claim.states.iter().map(|state| {
        let edges = state.edges.iter().filter_map(|edge| {
            let target = match edge.to {
                Target::State(to) => StateId(to.into()),
                Target::Violation(_) if with_violations => sink,
                Target::Violation(_) => return None,
            };
            let label = Cube { positive: edge.holds, negative: edge.fails };
            Some(Edge { label, marks: Marks(edge.sets), target })
        });
        edges.collect()
    });
    let mut edges: Vec<Vec<Edge>> = edges.collect();
    if with_violations {
        let all = if claim.set_count >= 64 { u64::MAX } else { (1 << claim.set_count) - 1 };
        edges.push(vec![Edge { label: Cube::ANY, marks: Marks(all), target: sink }]);
    }
    Automaton::new(claim.conditions.len() as u32, claim.set_count, StateId(0), edges)
}
