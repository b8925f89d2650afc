//! One graph a rule: what is stored, what is counted, what is an error, and how long its path is.

use super::{SEARCHES, all_errors, run, summary};
use crate::mock::Graph;
use crate::{Checks, FindingKind, SearchOptions};
use panoptes_exec::FaultKind;
use panoptes_model::{ProcId, StateId};
use panoptes_store::ExactStore;

/// Stored, transitions and error lengths must be as given in both searches.
fn check(graph: &Graph, options: &SearchOptions, expected: (u64, u64, &[usize])) {
    for (name, search) in SEARCHES {
        let outcome = run(search, graph, options);
        assert_eq!(summary(&outcome), (expected.0, expected.1, expected.2.to_vec()), "{name}");
        assert_eq!(outcome.complete, options.all_errors || outcome.errors.is_empty(), "{name}");
        assert_eq!(outcome.limits, [], "{name}");
    }
}

#[test]
fn a_diamond_is_joined() {
    let graph = Graph::default()
        .edge((0, None), (1, None))
        .edge((0, None), (2, None))
        .edge((1, None), (3, None))
        .edge((2, None), (3, None))
        .end(3);
    check(&graph, &SearchOptions::default(), (4, 5, &[]));
}

#[test]
fn a_single_state_counts_once() {
    check(&Graph::default().end(0), &SearchOptions::default(), (1, 1, &[]));
    check(&Graph::default(), &SearchOptions::default(), (1, 1, &[0]));
}

#[test]
fn transient_configurations_are_neither_stored_nor_counted() {
    // 0 -> (1) -> (2) -> 3, and 0 -> (2) -> 3: the transient (2) is passed through twice.
    let graph = Graph::default()
        .edge((0, None), (1, Some(0)))
        .edge((1, Some(0)), (2, Some(0)))
        .edge((2, Some(0)), (3, None))
        .edge((0, None), (2, Some(0)))
        .end(3);
    check(&graph, &SearchOptions::default(), (2, 3, &[]));
}

#[test]
fn a_process_that_cannot_go_on_lets_go_without_a_step() {
    // 0 -> (1), which blocks: 1 is a state, from which another process leads to 2.
    let graph = Graph::default().edge((0, None), (1, Some(0))).edge((1, None), (2, None)).end(2);
    check(&graph, &SearchOptions::default(), (3, 3, &[]));
    // The deadlock of the state let go has the length of the path to it.
    let graph = Graph::default().edge((0, None), (1, Some(0)));
    check(&graph, &SearchOptions::default(), (2, 2, &[1]));
}

#[test]
fn the_same_vector_with_and_without_control_is_one_state() {
    let graph = Graph::default().edge((0, None), (1, Some(0))).edge((0, None), (1, None)).end(1);
    check(&graph, &SearchOptions::default(), (2, 3, &[]));
}

#[test]
fn a_fault_is_an_error_one_step_further() {
    let graph = Graph::default()
        .edge((0, None), (1, None))
        .fault((1, None), (2, None), FaultKind::Assertion)
        .edge((2, None), (3, None))
        .end(3);
    check(&graph, &all_errors(), (4, 4, &[2]));
    for (_, search) in SEARCHES {
        let outcome = run(search, &graph, &SearchOptions::default());
        assert_eq!(summary(&outcome).2, [2]);
        assert_eq!(outcome.errors[0].fault.as_ref().unwrap().message, "edge 1");
    }
}

#[test]
fn a_fault_that_cuts_the_step_short_leads_nowhere() {
    let graph = Graph::default()
        .fault((0, None), (1, None), FaultKind::DivisionByZero)
        .edge((0, None), (2, None))
        .edge((1, None), (1, None))
        .end(2);
    check(&graph, &all_errors(), (2, 2, &[1]));
}

#[test]
fn a_fault_in_the_initial_state_is_an_error_without_steps() {
    let graph = Graph { initial_fault: true, ..Graph::default() };
    for (_, search) in SEARCHES {
        let outcome = run(search, &graph, &all_errors());
        assert_eq!(summary(&outcome), (0, 0, vec![0]));
        assert_eq!(outcome.errors[0].kind, FindingKind::Fault(FaultKind::DivisionByZero));
        assert!(!outcome.complete);
    }
}

#[test]
fn kinds_that_are_not_asked_for_are_no_errors() {
    let graph = Graph::default()
        .fault((0, None), (1, None), FaultKind::Assertion)
        .fault((0, None), (1, None), FaultKind::IndexOutOfRange)
        .edge((1, None), (2, None));
    let with = |checks| SearchOptions { checks, ..all_errors() };
    check(&graph, &with(Checks { deadlocks: true, assertions: true }), (3, 3, &[1, 1, 2]));
    check(&graph, &with(Checks { deadlocks: false, assertions: true }), (3, 3, &[1, 1]));
    check(&graph, &with(Checks { deadlocks: true, assertions: false }), (3, 3, &[1, 2]));
    check(&graph, &with(Checks { deadlocks: false, assertions: false }), (3, 3, &[1]));
    for (name, search) in SEARCHES {
        let outcome = run(search, &graph, &with(Checks { deadlocks: false, assertions: false }));
        assert_eq!(outcome.errors[0].kind, FindingKind::Fault(FaultKind::IndexOutOfRange), "{name}");
    }
}

#[test]
fn deadlocks_are_told_apart_by_where_processes_stand() {
    let graph = Graph::default()
        .edge((0, None), (1, None))
        .edge((0, None), (2, None))
        .edge((1, None), (2, None))
        .edge((0, None), (3, None));
    for (_, search) in SEARCHES {
        let outcome = run(search, &graph, &all_errors());
        assert_eq!(outcome.error_counts[&FindingKind::Deadlock], 2);
        let mut standing: Vec<_> = outcome.errors.iter().map(|error| error.standing.clone()).collect();
        standing.sort();
        assert_eq!(standing, [[(ProcId(0), StateId(2))], [(ProcId(0), StateId(3))]]);
    }
}

#[test]
fn breadth_first_prefers_a_near_deadlock_to_a_fault_of_the_same_level() {
    let graph = Graph::default().edge((0, None), (1, None)).edge((0, None), (2, None)).fault(
        (1, None),
        (3, None),
        FaultKind::Assertion,
    );
    let outcome = run(crate::bfs_by_steps::<ExactStore>, &graph, &SearchOptions::default());
    assert_eq!(outcome.errors.len(), 1);
    assert_eq!((outcome.errors[0].kind, outcome.errors[0].path.len()), (FindingKind::Deadlock, 1));
    assert_eq!(outcome.error_counts.values().sum::<u64>(), 1);
    // Depth first meets the assertion first.
    let outcome = run(crate::dfs::<ExactStore>, &graph, &SearchOptions::default());
    assert_eq!(outcome.errors[0].kind, FindingKind::Fault(FaultKind::Assertion));
}

#[test]
fn a_state_let_go_belongs_to_the_level_of_its_chain() {
    // 1 leads to 7 in a second step before the process that stands at 7 after one step lets go.
    let graph = Graph::default()
        .edge((0, None), (1, None))
        .edge((0, None), (7, Some(0)))
        .edge((1, None), (7, None))
        .edge((1, None), (1, None));
    assert_eq!(summary(&run(crate::bfs_by_steps::<ExactStore>, &graph, &all_errors())), (3, 5, vec![1]));
    assert_eq!(summary(&run(crate::dfs::<ExactStore>, &graph, &all_errors())), (3, 5, vec![2]));
}

#[test]
fn depth_first_follows_the_order_given() {
    // The deadlock under the first successor is found, though the second one's is nearer.
    let graph = Graph::default()
        .edge((0, None), (1, None))
        .edge((0, None), (9, None))
        .edge((1, None), (2, None))
        .edge((2, None), (3, None));
    let outcome = run(crate::dfs::<ExactStore>, &graph, &SearchOptions::default());
    let path: Vec<u32> = outcome.errors[0].path.iter().map(|step| step.transition.0).collect();
    assert_eq!(path, [0, 2, 3]);
    assert_eq!(summary(&outcome), (4, 4, vec![3]));
}

#[test]
fn depth_first_sees_the_faults_of_a_state_before_it_goes_on() {
    let graph = Graph::default()
        .edge((0, None), (1, None))
        .fault((0, None), (9, None), FaultKind::Assertion)
        .fault((1, None), (2, None), FaultKind::Monitor);
    let outcome = run(crate::dfs::<ExactStore>, &graph, &SearchOptions::default());
    assert_eq!(outcome.errors[0].kind, FindingKind::Fault(FaultKind::Assertion));
    assert_eq!(summary(&outcome), (1, 1, vec![1]));
}

#[test]
fn an_endless_transient_loop_is_given_up() {
    // Two loops through the same node: paths would be endless and ever more.
    let graph = Graph::default()
        .edge((0, None), (1, Some(0)))
        .edge((1, Some(0)), (2, Some(0)))
        .edge((1, Some(0)), (3, Some(0)))
        .edge((2, Some(0)), (1, Some(0)))
        .edge((3, Some(0)), (1, Some(0)))
        .edge((3, Some(0)), (4, None))
        .end(4);
    check(&graph, &SearchOptions::default(), (2, 2, &[]));
    for (_, search) in SEARCHES {
        assert_eq!(run(search, &graph, &SearchOptions::default()).statistics.endless_chains, 2);
    }
}

#[test]
fn a_long_transient_loop_is_given_up_too() {
    let mut graph = Graph::default().edge((0, None), (1, Some(0))).end(0);
    for node in 1..5000 {
        graph = graph.edge((node, Some(0)), (node + 1, Some(0)));
    }
    let graph = graph.edge((5000, Some(0)), (2000, Some(0)));
    check(&graph, &SearchOptions::default(), (1, 1, &[]));
}

#[test]
fn the_hidden_part_does_not_tell_states_apart() {
    let graph = Graph { hidden_bytes: 2, ..Graph::default() };
    let graph = graph.edge((0, None), (1, None)).edge((0, None), (1, None)).edge((1, None), (0, None));
    check(&graph, &SearchOptions::default(), (2, 4, &[]));
    for (_, search) in SEARCHES {
        assert_eq!(run(search, &graph, &SearchOptions::default()).statistics.vector_bytes, 7);
    }
}

#[test]
fn executed_transitions_are_noted() {
    let graph = Graph::default()
        .edge((0, None), (1, Some(0)))
        .edge((1, Some(0)), (2, None))
        .edge((7, None), (2, None))
        .fault((2, None), (0, None), FaultKind::BadChannel);
    for (_, search) in SEARCHES {
        let executed = run(search, &graph, &all_errors()).executed;
        assert_eq!(executed.iter().collect::<Vec<_>>(), [0, 1, 3]);
    }
}
