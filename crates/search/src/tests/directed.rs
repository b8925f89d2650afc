//! Directed searches with estimates that are right, wrong or none, on random graphs and on some made by hand.

use super::random::{expected, graphs, name};
use super::{all_errors, summary};
use crate::mock::Graph;
use crate::{HeuristicChoice, HeuristicKind, Limit, Merit, Outcome, SearchOptions, directed, iddfs};
use panoptes_exec::FaultKind;
use panoptes_model::{BinaryOp, Estimate, Expr, Place, Region, ScalarType};
use panoptes_store::{BitStore, ExactStore, FingerprintStore, StateStore, TreeStore};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// An estimate that means nothing: the number of a graph's node, modulo `modulus`.
fn estimate(graph: &Graph, modulus: i32) -> Option<HeuristicChoice> {
    // The number of processes, the type and the priority come first.
    let offset = graph.hidden_bytes as u32 + 3;
    let place = Place {
        region: Region::Global,
        offset,
        ty: ScalarType::BYTE,
        indices: Vec::new(),
        name: String::new(),
    };
    let expr = Expr::binary(BinaryOp::Rem, Expr::load(place), Expr::Const(modulus));
    let value = Estimate::Value { value: expr, text: String::new() };
    Some(HeuristicChoice { kind: HeuristicKind::User(Box::new(value)), admissible: false })
}

fn run<S: StateStore + Default>(graph: &Graph, options: &SearchOptions, merit: Merit) -> Outcome {
    directed::<S>(&graph.model(), &mut graph.clone(), options, merit, &mut ())
}

const MERITS: [Merit; 5] = [
    Merit::BEST_FIRST,
    Merit::ASTAR,
    Merit::Weighted { steps: 1, estimate: 0 },
    Merit::Weighted { steps: 1, estimate: 3 },
    Merit::Beam { width: usize::MAX },
];

fn found(outcome: &Outcome) -> BTreeMap<String, usize> {
    outcome.errors.iter().map(|error| (name(error), error.path.len())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_estimates_everything_is_found(graph in graphs(), modulus in 1i32..6) {
        let expected = expected(&graph, 200);
        let options = SearchOptions { heuristic: estimate(&graph, modulus), ..all_errors() };
        for merit in MERITS {
            for outcome in [
                run::<ExactStore>(&graph, &options, merit),
                run::<TreeStore>(&graph, &options, merit),
                run::<FingerprintStore>(&graph, &options, merit),
            ] {
                let (stored, transitions, _) = summary(&outcome);
                prop_assert_eq!(stored, expected.stored.len() as u64, "{:?}", merit);
                prop_assert_eq!(transitions, expected.transitions, "{:?}", merit);
                prop_assert!(outcome.statistics.expanded >= outcome.statistics.stored);
                let found = found(&outcome);
                if matches!(merit, Merit::Weighted { steps: 1, .. }) {
                    // In the end every state was expanded at the end of a shortest way.
                    prop_assert_eq!(&found, &expected.errors, "{:?}", merit);
                }
                prop_assert!(found.keys().eq(expected.errors.keys()), "{:?}", merit);
            }
        }
    }

    #[test]
    fn within_a_bound_everything_is_found(graph in graphs(), modulus in 1i32..6, depth in 0u64..8) {
        let expected = expected(&graph, depth as usize);
        let options =
            SearchOptions { heuristic: estimate(&graph, modulus), depth_max: Some(depth), ..all_errors() };
        for merit in MERITS {
            let outcome = run::<ExactStore>(&graph, &options, merit);
            prop_assert_eq!(&found(&outcome), &expected.errors, "{:?}", merit);
            prop_assert_eq!(summary(&outcome).0, expected.stored.len() as u64);
        }
    }

    #[test]
    fn the_first_error_is_a_nearest_one_where_that_is_promised(graph in graphs()) {
        let expected = expected(&graph, 200);
        let nearest = expected.errors.values().min().copied();
        let options = SearchOptions { heuristic: estimate(&graph, 1), ..SearchOptions::default() };
        for merit in [Merit::ASTAR, Merit::Weighted { steps: 1, estimate: 0 }] {
            let outcome = run::<ExactStore>(&graph, &options, merit);
            prop_assert_eq!(outcome.errors.first().map(|error| error.path.len()), nearest);
            prop_assert_eq!(outcome.complete, nearest.is_none());
        }
        for outcome in [
            run::<ExactStore>(&graph, &options, Merit::BEST_FIRST),
            run::<BitStore>(&graph, &options, Merit::ASTAR),
        ] {
            prop_assert_eq!(outcome.errors.is_empty(), nearest.is_none());
        }
        // Depth first with the same estimates: what they cut comes back with a larger bound.
        let options = SearchOptions { heuristic: estimate(&graph, 3), ..SearchOptions::default() };
        let deepening = iddfs::<ExactStore>(&graph.model(), &mut graph.clone(), &options, &mut ());
        prop_assert_eq!(deepening.errors.is_empty(), nearest.is_none());
    }
}

/// A long way over nodes that seem near, a short one over one that does not, and behind where they meet an error.
fn detour() -> Graph {
    let mut graph = Graph::default().edge((0, None), (5, None)).edge((0, None), (7, None));
    for (from, to) in [(5, 10), (10, 15), (15, 20), (7, 20), (20, 21)] {
        graph = graph.edge((from, None), (to, None));
    }
    graph.fault((21, None), (22, None), FaultKind::Assertion).end(22)
}

#[test]
fn a_state_is_opened_again_when_a_shorter_way_is_found() {
    let graph = detour();
    let options = SearchOptions { heuristic: estimate(&graph, 5), ..SearchOptions::default() };
    let greedy = run::<ExactStore>(&graph, &options, Merit::BEST_FIRST);
    assert_eq!((greedy.errors[0].path.len(), greedy.statistics.reopened), (6, 0));
    let merit = Merit::Weighted { steps: 1, estimate: 3 };
    let all = run::<ExactStore>(&graph, &SearchOptions { all_errors: true, ..options.clone() }, merit);
    assert_eq!((all.errors[0].path.len(), all.errors[0].count), (4, 1));
    assert_eq!((all.statistics.reopened, all.statistics.expanded, all.statistics.stored), (1, 9, 8));
    let astar = run::<ExactStore>(&graph, &options, Merit::ASTAR);
    assert_eq!(astar.errors[0].path.len(), 4);
    let estimates = astar.statistics.estimates.expect("a heuristic was asked");
    assert_eq!((estimates.initial, estimates.min, estimates.max), (0, 0, 2));
}

/// Estimates that somebody takes for lower bounds and that are none: debug builds notice.
#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the heuristic is not consistent: from 3 to 0 in 1 steps")]
fn a_heuristic_that_is_not_consistent_is_noticed() {
    let graph = Graph::default().edge((0, None), (3, None)).edge((3, None), (5, None)).end(5);
    let choice = estimate(&graph, 5).map(|choice| HeuristicChoice { admissible: true, ..choice });
    run::<ExactStore>(&graph, &SearchOptions { heuristic: choice, ..SearchOptions::default() }, Merit::ASTAR);
}

#[test]
fn a_beam_says_what_it_cut() {
    let graph = detour();
    let options = SearchOptions {
        heuristic: estimate(&graph, 5),
        checks: crate::Checks { deadlocks: true, assertions: false },
        ..SearchOptions::default()
    };
    let narrow = run::<ExactStore>(&graph, &options, Merit::Beam { width: 1 });
    assert_eq!((narrow.complete, &narrow.limits[..]), (false, &[Limit::Branching][..]));
    let wide = run::<ExactStore>(&graph, &options, Merit::Beam { width: 2 });
    assert_eq!((wide.complete, &wide.limits[..]), (true, &[][..]));
}
