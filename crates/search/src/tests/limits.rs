//! Bounds keep what was found and say that the search is not complete.

use super::{ALL_SEARCHES, SEARCHES, all_errors, run, summary};
use crate::mock::{Graph, Numbers};
use crate::{FindingKind, Limit, Observer, QueueLimited, SearchOptions, Statistics, bfs_by_steps, dfs};
use panoptes_exec::{Executor, Fault, FaultKind, Replay, Step, Successors};
use panoptes_model::{Channel, Model, TransId};
use panoptes_source::Span;
use panoptes_store::ExactStore;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// A grid of `side` by `side`: each step goes right or down, or wraps around.
fn grid(side: u64) -> Numbers<impl Fn(u64) -> Vec<u64>> {
    Numbers(move |at| {
        let (x, y) = (at % side, at / side);
        vec![(x + 1) % side + y * side, x + (y + 1) % side * side]
    })
}

#[test]
fn a_grid_has_the_counts_of_a_grid() {
    for (name, search) in SEARCHES {
        let outcome = search(&Model::default(), &mut grid(300), &SearchOptions::default(), &mut ());
        assert_eq!(summary(&outcome), (90_000, 180_001, vec![]), "{name}");
        assert_eq!((outcome.statistics.expanded, outcome.statistics.generated), (90_000, 180_000));
        assert!(outcome.complete);
        let depth = match name {
            "bfs" | "astar" => 598,
            "dfs" => 89_999,
            // It goes on from the last one found where all seem equally near.
            _ => continue,
        };
        assert_eq!(outcome.statistics.max_depth, depth, "{name}");
    }
}

#[test]
fn a_path_of_two_million_steps_is_no_trouble() {
    let line = |at| if at < 2_000_000 { vec![at + 1, at] } else { vec![] };
    for (name, search) in SEARCHES {
        let outcome = search(&Model::default(), &mut Numbers(line), &SearchOptions::default(), &mut ());
        assert_eq!(summary(&outcome), (2_000_001, 4_000_001, vec![]), "{name}");
        assert_eq!(outcome.statistics.max_depth, 2_000_000, "{name}");
    }
}

#[test]
fn the_memory_bound_ends_a_search_cleanly() {
    for (name, search) in ALL_SEARCHES {
        let options = SearchOptions { memory_bytes: Some(3_000_000), ..SearchOptions::default() };
        let outcome = search(&Model::default(), &mut grid(3000), &options, &mut ());
        assert_eq!(outcome.limits, [Limit::Memory], "{name}");
        assert!(!outcome.complete);
        assert!(outcome.statistics.stored > 20_000, "{name}: {:?}", outcome.statistics);
        let used = outcome.statistics.store_bytes + outcome.statistics.search_bytes;
        assert!(used < 3_600_000, "{name}: {used}");
    }
}

#[test]
fn the_time_bound_ends_a_search() {
    for (_, search) in SEARCHES {
        let options = SearchOptions { time: Some(Duration::from_millis(20)), ..SearchOptions::default() };
        let endless = Numbers(|at| vec![at + 1, at + 2]);
        let outcome = search(&Model::default(), &mut { endless }, &options, &mut ());
        assert_eq!(outcome.limits, [Limit::Time]);
        assert!(outcome.statistics.stored > 0 && !outcome.complete);
    }
}

/// One endless chain: every configuration is another one.
struct EndlessChain;

impl Executor for EndlessChain {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        Ok(0u64.to_le_bytes().to_vec())
    }

    fn successors(&mut self, state: &[u8], _: Option<u8>, out: &mut Successors) {
        out.clear();
        let next = u64::from_le_bytes(state.try_into().expect("eight bytes")) + 1;
        let step = Step { pid: 0, transition: TransId(0), partner: None };
        out.push(step, Some(0), Some(&next.to_le_bytes()), None);
    }

    fn replay(&mut self, _: &[u8], _: Option<u8>, _: usize) -> Option<Replay> {
        None
    }

    fn hidden_bytes(&self) -> usize {
        0
    }
}

#[test]
fn limits_are_looked_at_within_a_chain() {
    let memory = SearchOptions { memory_bytes: Some(3_000_000), ..SearchOptions::default() };
    let time = SearchOptions { time: Some(Duration::from_millis(20)), ..SearchOptions::default() };
    for (options, limit) in [(memory, Limit::Memory), (time, Limit::Time)] {
        for (name, search) in ALL_SEARCHES {
            let outcome = search(&Model::default(), &mut EndlessChain, &options, &mut ());
            assert_eq!(outcome.limits, [limit], "{name}");
            assert!(!outcome.complete);
        }
    }
}

#[test]
fn an_observer_sees_the_search_and_may_end_it() {
    struct StopAtThird(Vec<Statistics>);
    impl Observer for StopAtThird {
        fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
            self.0.push(*statistics);
            if self.0.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    for (_, search) in SEARCHES {
        let mut observer = StopAtThird(Vec::new());
        let outcome = search(&Model::default(), &mut grid(1000), &SearchOptions::default(), &mut observer);
        assert_eq!(outcome.limits, [Limit::Stopped]);
        assert!(observer.0[0].expanded < observer.0[1].expanded);
        assert!(observer.0.iter().all(|seen| seen.stored > 0 && seen.store_bytes > 0));
    }
}

#[test]
fn an_observer_hears_of_each_distinct_error_once() {
    struct Listen(Vec<FindingKind>);
    impl Observer for Listen {
        fn error(&mut self, error: &crate::Finding) {
            self.0.push(error.kind);
        }
    }
    let graph = Graph::default()
        .fault((0, None), (1, None), FaultKind::Assertion)
        .edge((0, None), (1, None))
        .edge((1, None), (2, None));
    for (_, search) in SEARCHES {
        let mut listen = Listen(Vec::new());
        search(&graph.model(), &mut graph.clone(), &all_errors(), &mut listen);
        assert_eq!(listen.0, [FindingKind::Fault(FaultKind::Assertion), FindingKind::Deadlock]);
    }
}

/// 0 leads to 3 by 1 and 2, and at once; an error lies two steps behind 3.
fn detour() -> Graph {
    Graph::default()
        .edge((0, None), (1, None))
        .edge((0, None), (3, None))
        .edge((1, None), (2, None))
        .edge((2, None), (3, None))
        .edge((3, None), (4, None))
        .fault((4, None), (5, None), FaultKind::Assertion)
        .end(5)
}

#[test]
fn a_bounded_search_finds_all_that_lies_within_the_bound() {
    for (name, search) in SEARCHES {
        for (depth, stored, errors, complete) in [
            (0, 1, vec![], false),
            (1, 3, vec![], false),
            (2, 5, vec![], false),
            (3, 6, vec![3], true),
            (4, 6, vec![3], true),
        ] {
            let options = SearchOptions { depth_max: Some(depth), ..all_errors() };
            let outcome = run(search, &detour(), &options);
            let (found_stored, transitions, found_errors) = summary(&outcome);
            assert_eq!((found_stored, &found_errors), (stored, &errors), "{name} to {depth}");
            assert_eq!(outcome.complete, complete, "{name} to {depth}");
            assert_eq!(outcome.limits, if complete { vec![] } else { vec![Limit::Depth] });
            if complete {
                assert_eq!(transitions, 7, "{name} to {depth}");
            }
        }
    }
}

#[test]
fn a_bound_that_cuts_nothing_changes_nothing() {
    let options = SearchOptions { depth_max: Some(60), ..SearchOptions::default() };
    // No state of the grid is further than 58 steps, but depth first goes 899 deep.
    let model = Model::default();
    for (name, search) in SEARCHES {
        let outcome = search(&model, &mut grid(30), &options, &mut ());
        assert_eq!(summary(&outcome), (900, 1801, vec![]), "{name}");
        assert!(outcome.complete && outcome.statistics.max_depth <= 60, "{name}");
    }
    let shallow = SearchOptions { depth_max: Some(57), ..SearchOptions::default() };
    assert_eq!(bfs_by_steps::<ExactStore>(&model, &mut grid(30), &shallow, &mut ()).statistics.stored, 899);
    assert_eq!(dfs::<ExactStore>(&model, &mut grid(30), &shallow, &mut ()).statistics.stored, 899);
}

#[test]
fn a_deadlock_at_the_bound_is_found() {
    let graph = Graph::default().edge((0, None), (1, None));
    for (_, search) in SEARCHES {
        let options = SearchOptions { depth_max: Some(1), ..SearchOptions::default() };
        assert_eq!(summary(&run(search, &graph, &options)).2, [1]);
        let options = SearchOptions { depth_max: Some(0), ..SearchOptions::default() };
        assert_eq!(summary(&run(search, &graph, &options)).2, Vec::<usize>::new());
    }
}

#[test]
fn of_many_distinct_errors_only_so_many_are_kept() {
    let graph =
        (0..50).fold(Graph::default(), |graph, n| graph.fault((0, None), (n, None), FaultKind::BadChannel));
    for (_, search) in SEARCHES {
        let outcome = run(search, &graph, &SearchOptions { errors_max: 10, ..all_errors() });
        assert_eq!(outcome.errors.len(), 10);
        assert_eq!(outcome.error_counts[&FindingKind::Fault(FaultKind::BadChannel)], 50);
    }
}

/// Once in 4096 expansions, and ten times a second if that is more. What a depth-first search computes again (a lot in
/// tests) counts too.
#[test]
fn an_observer_is_not_called_all_the_time() {
    struct Count(u128);
    impl Observer for Count {
        fn progress(&mut self, _: &Statistics) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
    }
    for (name, search) in ALL_SEARCHES {
        let (mut calls, start) = (Count(0), Instant::now());
        search(&Model::default(), &mut grid(300), &SearchOptions::default(), &mut calls);
        let most = 3 * 90_000 / 4096 + 2 + start.elapsed().as_millis() / 100;
        assert!((20..=most).contains(&calls.0), "{name}: {} of {most}", calls.0);
    }
}

/// A state with many successors: the level they make takes most of the memory.
#[test]
fn a_wide_level_is_counted() {
    const WIDTH: u64 = 100_000;
    let star = |at: u64| if at == 0 { (1..=WIDTH).collect() } else { vec![] };
    for (name, search) in ALL_SEARCHES {
        let outcome = search(&Model::default(), &mut Numbers(star), &SearchOptions::default(), &mut ());
        assert_eq!(summary(&outcome), (WIDTH + 1, WIDTH + 1, vec![]), "{name}");
        let bytes = outcome.statistics.search_bytes as u64;
        assert!((16 * WIDTH..200 * WIDTH).contains(&bytes), "{name}: {bytes}");
    }
}

/// In place of a channel's length stands the number of the node, so that nodes above two are beyond the limit.
#[test]
fn a_queue_limit_cuts_states_and_leaves_faults() {
    let graph = Graph::default()
        .edge((0, None), (1, None))
        .edge((0, None), (3, None))
        .fault((1, None), (0, None), FaultKind::DivisionByZero)
        .edge((1, None), (2, None))
        .edge((2, None), (4, None))
        .end(3);
    let mut model = graph.model();
    model.channels.push(Channel {
        name: "c".to_string(),
        capacity: 5,
        fields: Vec::new(),
        displays: Vec::new(),
        offset: 3,
        receiver: None,
        span: Span::default(),
    });
    for (name, search) in ALL_SEARCHES {
        let mut executor = graph.clone();
        let mut limited = QueueLimited::new(&model, &mut executor, 2);
        let outcome = search(&model, &mut limited, &all_errors(), &mut ());
        let kinds: Vec<FindingKind> = outcome.errors.iter().map(|error| error.kind).collect();
        assert_eq!(kinds, [FindingKind::Fault(FaultKind::DivisionByZero)], "{name}");
        assert_eq!(outcome.statistics.stored, 3, "{name}");
        assert!(limited.is_cut(), "{name}");
    }
}
