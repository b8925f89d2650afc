//! Random graphs against a search that is too simple to be wrong.

use super::{ALL_SEARCHES, DEEPENING, SEARCHES, all_errors, run, summary};
use crate::mock::{Config, Graph};
use crate::{Finding, SearchOptions};
use panoptes_exec::FaultKind;
use panoptes_store::ExactStore;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};

/// What must be found: states, lookups, and the shortest length for each distinct error.
#[derive(Default)]
pub(super) struct Expected {
    pub stored: HashSet<u16>,
    pub transitions: u64,
    pub errors: BTreeMap<String, usize>,
}

/// Walks every state once, and every transient path from it, step by step in breadth.
pub(super) fn expected(graph: &Graph, depth_max: usize) -> Expected {
    let mut expected = Expected::default();
    let mut frontier_now: Vec<Vec<Config>> = vec![vec![(0, None)]];
    expected.transitions = 1;
    expected.stored.insert(0);
    // A frontier of paths by steps; a path here is the chain since the last state.
    for depth in 0..=depth_max {
        // Who cannot go on lets go without a step: those states belong to this depth, so they come first.
        let blocked = |chain: &Vec<Config>| {
            let at = chain.last().unwrap();
            at.1.is_some() && !graph.edges.contains_key(at)
        };
        let (let_go, mut frontier) = frontier_now.into_iter().partition::<Vec<_>, _>(blocked);
        for chain in let_go {
            let node = chain.last().unwrap().0;
            expected.transitions += 1;
            if expected.stored.insert(node) {
                frontier.push(vec![(node, None)]);
            }
        }
        let mut next: Vec<Vec<Config>> = Vec::new();
        for chain in frontier {
            let at = *chain.last().unwrap();
            let edges = graph.edges.get(&at).cloned().unwrap_or_default();
            if edges.is_empty() && !graph.ends.contains(&at.0) {
                expected.errors.entry(format!("deadlock {}", at.0)).or_insert(depth);
            }
            if depth == depth_max {
                continue;
            }
            for edge in edges {
                if edge.fault.is_some() {
                    let length =
                        expected.errors.entry(format!("edge {}", edge.transition)).or_insert(depth + 1);
                    *length = (*length).min(depth + 1);
                }
                if edge.fault.is_some_and(|kind| !kind.continues()) {
                    continue;
                }
                if edge.to.1.is_none() {
                    expected.transitions += 1;
                    if expected.stored.insert(edge.to.0) {
                        next.push(vec![edge.to]);
                    }
                } else if !chain.contains(&edge.to) {
                    let mut longer = chain.clone();
                    longer.push(edge.to);
                    next.push(longer);
                }
            }
        }
        frontier_now = next;
    }
    expected
}

pub(super) fn name(error: &Finding) -> String {
    match &error.fault {
        Some(fault) => fault.message.clone(),
        None => format!("deadlock {}", error.standing[0].1.0),
    }
}

pub(super) fn graphs() -> impl Strategy<Value = Graph> {
    let control = || prop_oneof![3 => Just(None), 1 => Just(Some(0u8)), 1 => Just(Some(1u8))];
    let fault = prop_oneof![
        12 => Just(None),
        1 => Just(Some(FaultKind::Assertion)),
        1 => Just(Some(FaultKind::DivisionByZero))
    ];
    let edge = ((0u16..10, control()), (0u16..10, control()), fault);
    let parts = (prop::collection::vec(edge, 0..26), prop::collection::vec(0u16..10, 0..6), 0usize..3);
    parts.prop_map(|(edges, ends, hidden_bytes)| {
        let mut graph = Graph { ends, hidden_bytes, ..Graph::default() };
        for (from, to, fault) in edges {
            graph = match fault {
                None => graph.edge(from, to),
                Some(kind) => graph.fault(from, to, kind),
            };
        }
        graph
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn counts_and_errors_are_those_of_the_simple_search(graph in graphs()) {
        let expected = expected(&graph, 200);
        for (search_name, search) in ALL_SEARCHES.into_iter().chain([DEEPENING]) {
            let outcome = run(search, &graph, &all_errors());
            let (stored, transitions, _) = summary(&outcome);
            prop_assert!(outcome.complete);
            prop_assert_eq!(stored, expected.stored.len() as u64, "{}", search_name);
            prop_assert_eq!(transitions, expected.transitions, "{}", search_name);
            let mut found: BTreeMap<String, usize> =
                outcome.errors.iter().map(|error| (name(error), error.path.len())).collect();
            prop_assert_eq!(found.keys().collect::<Vec<_>>(), expected.errors.keys().collect::<Vec<_>>());
            if search_name == "bfs" {
                prop_assert_eq!(&found, &expected.errors);
            }
            found.retain(|error, length| *length < expected.errors[error]);
            prop_assert!(found.is_empty());
        }
    }

    #[test]
    fn the_first_error_is_a_nearest_one(graph in graphs()) {
        let expected = expected(&graph, 200);
        let outcome = run(crate::bfs_by_steps::<ExactStore>, &graph, &SearchOptions::default());
        let found = outcome.errors.first().map(|error| error.path.len());
        prop_assert_eq!(found, expected.errors.values().min().copied());
        let outcome = run(crate::iddfs::<ExactStore>, &graph, &SearchOptions::default());
        let found = outcome.errors.first().map(|error| error.path.len());
        prop_assert_eq!(found, expected.errors.values().min().copied());
        let outcome = run(crate::bfs::<ExactStore>, &graph, &SearchOptions::default());
        prop_assert_eq!(outcome.errors.is_empty(), expected.errors.is_empty());
        let has_chains = graph.edges.values().flatten().any(|edge| edge.to.1.is_some());
        if !has_chains {
            let found = outcome.errors.first().map(|error| error.path.len());
            prop_assert_eq!(found, expected.errors.values().min().copied());
        }
    }

    #[test]
    fn a_bounded_search_is_right(graph in graphs(), depth_max in 0usize..12) {
        let expected = expected(&graph, depth_max);
        for (search_name, search) in SEARCHES {
            let options = SearchOptions { depth_max: Some(depth_max as u64), ..all_errors() };
            let outcome = run(search, &graph, &options);
            let (stored, transitions, _) = summary(&outcome);
            prop_assert_eq!(stored, expected.stored.len() as u64, "{}", search_name);
            let found: BTreeMap<String, usize> =
                outcome.errors.iter().map(|error| (name(error), error.path.len())).collect();
            prop_assert!(found.values().all(|length| *length <= depth_max));
            if search_name == "bfs" {
                prop_assert_eq!(&found, &expected.errors);
            }
            prop_assert_eq!(found.keys().collect::<Vec<_>>(), expected.errors.keys().collect::<Vec<_>>());
            if outcome.complete {
                let unbounded = run(search, &graph, &all_errors());
                prop_assert_eq!((stored, transitions), (summary(&unbounded).0, summary(&unbounded).1));
                prop_assert_eq!(outcome.executed, unbounded.executed);
            }
        }
    }

    /// Every path that is given can be walked, and ends in the error that it is given for.
    #[test]
    fn paths_are_paths(graph in graphs()) {
        for (_, search) in ALL_SEARCHES.into_iter().chain([DEEPENING]) {
            for error in run(search, &graph, &all_errors()).errors {
                let mut at: Config = (0, None);
                for step in error.path.iter() {
                    let edge = |at| {
                        let edges = graph.edges.get(&at).into_iter().flatten();
                        edges.clone().find(|edge| edge.transition == step.transition.0).cloned()
                    };
                    // A process that cannot go on lets go without a step.
                    let blocked = at.1.is_some() && !graph.edges.contains_key(&at);
                    at = edge(if blocked { (at.0, None) } else { at }).expect("the step is possible").to;
                }
                match &error.fault {
                    Some(fault) => {
                        let last = error.path.iter().last().expect("a faulty step").transition.0;
                        prop_assert_eq!(&fault.message, &format!("edge {last}"));
                    }
                    None => prop_assert!(!graph.edges.contains_key(&at) && !graph.ends.contains(&at.0)),
                }
            }
        }
    }
}
