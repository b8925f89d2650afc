//! A search with its states on disk does what the one in memory does, step by step.

use super::all_errors;
use super::random::{graphs, name};
use crate::mock::{Graph, Numbers};
use crate::{Finding, Limit, Outcome, SearchOptions, Statistics, bfs, bfs_by_steps, disk};
use panoptes_exec::{Executor, FaultKind};
use panoptes_model::Model;
use panoptes_store::{DiskBudget, DiskSpace, ExactStore};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything goes to files.
const SMALL: DiskBudget = DiskBudget { filter: 8, candidates: 100, recent: 60 };

fn dir(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("panoptes-search-{}-{name}", std::process::id()))
}

fn on_disk(
    dir: &Path,
    model: &Model,
    executor: &mut dyn Executor,
    options: &SearchOptions,
    by_steps: bool,
) -> Outcome {
    let space = DiskSpace::open(dir).expect("a directory");
    disk::search(model, executor, options, (space, Some(SMALL)), by_steps, &mut ())
}

fn is_empty(dir: &Path) -> bool {
    std::fs::read_dir(dir).expect("the directory").next().is_none()
}

/// All that is counted.
fn counts(outcome: &Outcome) -> [u64; 8] {
    let Statistics { stored, matched, transitions, expanded, generated, max_depth, .. } = outcome.statistics;
    let Statistics { vector_bytes, endless_chains, .. } = outcome.statistics;
    [stored, matched, transitions, expanded, generated, max_depth, vector_bytes as u64, endless_chains]
}

/// What must be equal. By steps, an error ends the search within a level. A state of that level which is also reached by a step from it
/// may then count as matched on disk and as stored in memory: see `disk.rs`.
fn comparable(outcome: &Outcome, by_steps: bool) -> [u64; 8] {
    let mut counts = counts(outcome);
    if by_steps && !outcome.complete {
        let [stored, matched, ..] = &mut counts;
        *stored += std::mem::take(matched);
    }
    counts
}

fn told(outcome: &Outcome) -> Vec<(String, usize, u64, String)> {
    let told = |error: &Finding| {
        let path: Vec<_> = error.path.iter().map(|step| step.transition.0).collect();
        (name(error), error.path.len(), error.count, format!("{path:?}"))
    };
    outcome.errors.iter().map(told).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    #[test]
    fn graphs_are_searched_in_the_same_way(graph in graphs()) {
        let dir = dir("graphs");
        let model = graph.model();
        for options in [all_errors(), SearchOptions::default()] {
            let run = |search: super::Search| search(&model, &mut graph.clone(), &options, &mut ());
            for (by_steps, memory) in [(false, run(bfs::<ExactStore>)), (true, run(bfs_by_steps::<ExactStore>))] {
                let disk = on_disk(&dir, &model, &mut graph.clone(), &options, by_steps);
                prop_assert_eq!(comparable(&disk, by_steps), comparable(&memory, by_steps), "{}", by_steps);
                prop_assert!(disk.statistics.stored <= memory.statistics.stored);
                prop_assert_eq!(told(&disk), told(&memory));
                prop_assert_eq!(&disk.error_counts, &memory.error_counts);
                // Up to an error, the one in memory takes several states at a time.
                prop_assert!(!options.all_errors || disk.executed == memory.executed);
                prop_assert_eq!((disk.complete, &disk.limits), (memory.complete, &memory.limits));
            }
        }
        prop_assert!(is_empty(&dir));
    }
}

/// A step leads from a transient configuration of the first level to state 2. The process of the other one lets go in state 2 too, so
/// that it is of the first level; but the deadlock in state 1 ends the search before that.
#[test]
fn a_state_of_the_last_level_may_count_as_matched() {
    let graph = Graph::default()
        .edge((0, None), (0, Some(1)))
        .edge((0, None), (1, None))
        .edge((0, None), (2, Some(0)))
        .edge((0, Some(1)), (2, None));
    let (dir, options) = (dir("last"), SearchOptions::default());
    let disk = on_disk(&dir, &graph.model(), &mut graph.clone(), &options, true);
    let memory = bfs_by_steps::<ExactStore>(&graph.model(), &mut graph.clone(), &options, &mut ());
    assert_eq!(told(&disk), told(&memory));
    assert_eq!(comparable(&disk, true), comparable(&memory, true));
    let stored_and_matched = |outcome: &Outcome| (outcome.statistics.stored, outcome.statistics.matched);
    assert_eq!((stored_and_matched(&disk), stored_and_matched(&memory)), ((2, 1), (3, 0)));
}

/// Each step goes right or down, or wraps around.
fn grid(side: u64) -> Numbers<impl Fn(u64) -> Vec<u64>> {
    Numbers(move |at| {
        let (x, y) = (at % side, at / side);
        vec![(x + 1) % side + y * side, x + (y + 1) % side * side]
    })
}

#[test]
fn a_path_is_read_back_from_the_disk() {
    let mut graph = Graph::default();
    for node in 0..300 {
        graph = graph.edge((node, None), (node + 1, None)).edge((node, None), (node / 2, None));
    }
    graph = graph.fault((300, None), (0, None), FaultKind::Assertion);
    let dir = dir("path");
    let options = SearchOptions::default();
    let disk = on_disk(&dir, &graph.model(), &mut graph.clone(), &options, false);
    let memory = bfs::<ExactStore>(&graph.model(), &mut graph.clone(), &options, &mut ());
    assert_eq!((told(&disk), counts(&disk)), (told(&memory), counts(&memory)));
    assert_eq!(disk.errors[0].path.len(), 301);
}

#[test]
fn a_full_disk_ends_the_search_with_what_it_has() {
    let (dir, options) = (dir("full"), SearchOptions::default());
    let space = DiskSpace::open(&dir).expect("a directory");
    space.set_quota(40_000);
    let place = (space, Some(SMALL));
    let outcome = disk::search(&Model::default(), &mut grid(300), &options, place, false, &mut ());
    assert_eq!((outcome.complete, &outcome.limits[..]), (false, &[Limit::Disk][..]));
    let Statistics { stored, matched, transitions, .. } = outcome.statistics;
    assert!(stored > 100 && transitions == stored + matched, "{:?}", outcome.statistics);
    assert!(matched <= stored, "what was not compared is not counted");
    assert!(is_empty(&dir));
}

#[test]
fn limits_are_kept() {
    let dir = dir("limits");
    let with = |options: &SearchOptions| {
        let mut grid = grid(3000);
        let place = (DiskSpace::open(&dir).expect("a directory"), None);
        disk::search(&Model::default(), &mut grid, options, place, false, &mut ())
    };
    let states = with(&SearchOptions { states_max: Some(5000), ..SearchOptions::default() });
    assert_eq!(states.limits, [Limit::States]);
    assert!((5000..5200).contains(&states.statistics.stored), "{}", states.statistics.stored);
    let time = with(&SearchOptions { time: Some(Duration::from_millis(30)), ..SearchOptions::default() });
    assert_eq!(time.limits, [Limit::Time]);
    let place = Path::new("/dev/null/no-directory");
    let none =
        crate::bfs_on_disk(&Model::default(), &mut grid(3), &SearchOptions::default(), place, false, &mut ());
    assert_eq!((none.complete, none.limits), (false, vec![Limit::Disk]));
}
