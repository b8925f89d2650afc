//! A search that is written down and goes on, in this process or another, finds what one finds that is left alone.

use super::crew::{by, by_graph_with, grid};
use super::random::graphs;
use super::{all_errors, summary};
use crate::mock::Graph;
use crate::{Limit, Observer, Outcome, SearchOptions, bfs, dfs, disk};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::{
    BitStore, DiskBudget, DiskSpace, ExactStore, FingerprintStore, ImageReader, ImageWriter, SharedVisited,
    TreeStore,
};
use proptest::prelude::*;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps what is written down, and gives what there is to go on from.
#[derive(Default)]
struct Keeper {
    from: Option<Vec<u8>>,
    is_always_due: bool,
    writing: Memory,
    kept: Vec<Vec<u8>>,
    resumed: Option<io::Result<()>>,
}

impl Observer for Keeper {
    fn keeps_checkpoints(&self) -> bool {
        true
    }

    fn is_checkpoint_due(&mut self) -> bool {
        self.is_always_due
    }

    fn begin_checkpoint(&mut self) -> Option<ImageWriter> {
        self.writing = Memory::default();
        ImageWriter::new(Box::new(self.writing.clone())).ok()
    }

    fn end_checkpoint(&mut self, how: io::Result<ImageWriter>) {
        how.and_then(ImageWriter::finish).expect("memory can be written to");
        self.kept.push(std::mem::take(&mut self.writing.0.lock().unwrap()));
    }

    fn saved(&mut self) -> Option<ImageReader> {
        self.from.take().map(|image| ImageReader::new(Box::new(Cursor::new(image))).expect("it begins well"))
    }

    fn resumed(&mut self, how: io::Result<()>) {
        self.resumed = Some(how);
    }
}

type Run<'r> = dyn Fn(&SearchOptions, &mut dyn Observer) -> Outcome + 'r;

/// Runs a search again and again from where it was, each time with a few more states allowed.
fn in_pieces(run: &Run<'_>, options: &SearchOptions, more: u64) -> Outcome {
    let mut from = None;
    for states_max in (0..).step_by(more as usize) {
        let mut keeper = Keeper { from, ..Keeper::default() };
        let outcome = run(&SearchOptions { states_max: Some(states_max), ..options.clone() }, &mut keeper);
        assert!(!matches!(keeper.resumed, Some(Err(_))), "{:?}", keeper.resumed);
        if !outcome.limits.contains(&Limit::States) {
            return outcome;
        }
        from = keeper.kept.pop();
        assert!(from.is_some(), "it is written down when a limit is met");
    }
    unreachable!("some number of states is enough")
}

/// What is the same however often a search stopped.
fn told(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    let errors: Vec<_> = outcome.errors.iter().map(|error| (error.clone(), error.path.len())).collect();
    let statistics = outcome.statistics;
    let counts = (statistics.expanded, statistics.generated, statistics.max_depth, statistics.endless_chains);
    (
        summary(outcome),
        counts,
        errors,
        outcome.error_counts.clone(),
        outcome.executed.clone(),
        outcome.complete,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn graphs_are_searched_in_pieces(graph in graphs(), more in 1u64..9) {
        let model = graph.model();
        let searches: [(&str, super::Search); 7] = [
            ("bfs exact", bfs::<ExactStore>),
            ("bfs compressed", bfs::<TreeStore>),
            ("bfs fingerprints", bfs::<FingerprintStore>),
            ("bfs bits", bfs::<BitStore>),
            ("dfs exact", dfs::<ExactStore>),
            ("dfs fingerprints", dfs::<FingerprintStore>),
            ("dfs bits", dfs::<BitStore>),
        ];
        for (name, search) in searches {
            for options in [all_errors(), SearchOptions::default()] {
                let mut options = options;
                options.store.bits = Some(1 << 16);
                let run = |options: &SearchOptions, observer: &mut dyn Observer| {
                    search(&model, &mut graph.clone(), options, observer)
                };
                let whole = run(&options, &mut ());
                prop_assert_eq!(told(&in_pieces(&run, &options, more)), told(&whole), "{}", name);
            }
        }
    }

    #[test]
    fn graphs_are_searched_on_disk_in_pieces(graph in graphs(), more in 1u64..9) {
        let dir = std::env::temp_dir().join(format!("panoptes-pieces-{}", std::process::id()));
        let model = graph.model();
        for options in [all_errors(), SearchOptions::default()] {
            for budget in [
                DiskBudget { filter: 8, candidates: 100, recent: 60 },
                DiskBudget { filter: 1 << 12, candidates: 1 << 20, recent: 1 << 20 },
            ] {
                let run = |options: &SearchOptions, observer: &mut dyn Observer| {
                    let space = DiskSpace::open(&dir).expect("a directory");
                    disk::search(&model, &mut graph.clone(), options, (space, Some(budget)), false, observer)
                };
                let whole = run(&options, &mut ());
                prop_assert_eq!(told(&in_pieces(&run, &options, more)), told(&whole));
            }
        }
        let _ = std::fs::remove_dir(&dir);
    }

    #[test]
    fn workers_search_in_pieces(graph in graphs(), more in 1u64..9) {
        let graph = Graph { hidden_bytes: 0, ..graph };
        fn check<S: SharedVisited + Default>(graph: &Graph, more: u64) -> (Outcome, Outcome) {
            let run = |options: &SearchOptions, observer: &mut dyn Observer| {
                by_graph_with::<S>(2, graph, options, observer)
            };
            (run(&all_errors(), &mut ()), in_pieces(&run, &all_errors(), more))
        }
        for (whole, pieces) in [
            check::<ExactStore>(&graph, more),
            check::<TreeStore>(&graph, more),
            check::<FingerprintStore>(&graph, more),
        ] {
            let (stored, transitions, _) = summary(&whole);
            let (stored_again, transitions_again, _) = summary(&pieces);
            prop_assert_eq!((stored, transitions), (stored_again, transitions_again));
            prop_assert_eq!(&whole.error_counts, &pieces.error_counts);
            prop_assert_eq!(whole.statistics.expanded, pieces.statistics.expanded);
            prop_assert_eq!(whole.complete, pieces.complete);
        }
    }
}

fn of_grid(threads: usize, options: &SearchOptions, observer: &mut dyn Observer) -> Outcome {
    by::<ExactStore, _>(threads, &Model::default(), || grid(150), options, observer)
}

/// Written down again and again, it goes on; and from each of these others can go on, with more or fewer workers.
#[test]
fn from_each_checkpoint_the_end_is_the_same() {
    for threads in [1, 2] {
        let mut keeper = Keeper { is_always_due: true, ..Keeper::default() };
        let whole = of_grid(threads, &SearchOptions::default(), &mut keeper);
        assert_eq!(summary(&whole), (22_500, 45_001, vec![]));
        assert!(keeper.kept.len() > 2, "{}", keeper.kept.len());
        for image in keeper.kept.iter().take(6) {
            for threads in [1, 2] {
                let mut keeper = Keeper { from: Some(image.clone()), ..Keeper::default() };
                let outcome = of_grid(threads, &SearchOptions::default(), &mut keeper);
                assert!(matches!(keeper.resumed, Some(Ok(()))));
                assert_eq!(summary(&outcome), summary(&whole));
                assert_eq!(outcome.statistics.max_depth, whole.statistics.max_depth);
                assert_eq!(outcome.statistics.expanded, whole.statistics.expanded);
            }
        }
    }
}

/// The same with states on disk, whatever memory there is from then on.
#[test]
fn from_each_checkpoint_on_disk_the_end_is_the_same() {
    let dir = std::env::temp_dir().join(format!("panoptes-disk-checkpoints-{}", std::process::id()));
    let run = |bytes: usize, observer: &mut dyn Observer| {
        let budget = DiskBudget { filter: bytes, candidates: bytes, recent: bytes };
        let space = (DiskSpace::open(&dir).expect("a directory"), Some(budget));
        disk::search(&Model::default(), &mut grid(150), &SearchOptions::default(), space, false, observer)
    };
    let mut keeper = Keeper { is_always_due: true, ..Keeper::default() };
    let whole = run(3000, &mut keeper);
    assert_eq!(summary(&whole), (22_500, 45_001, vec![]));
    assert!(keeper.kept.len() > 2, "{}", keeper.kept.len());
    for image in keeper.kept.iter().take(6) {
        for bytes in [500, 3000, 1 << 20] {
            let mut keeper = Keeper { from: Some(image.clone()), ..Keeper::default() };
            let outcome = run(bytes, &mut keeper);
            assert!(matches!(keeper.resumed, Some(Ok(()))));
            assert_eq!(summary(&outcome), summary(&whole));
            assert_eq!(outcome.statistics.max_depth, whole.statistics.max_depth);
            assert_eq!(outcome.statistics.expanded, whole.statistics.expanded);
        }
    }
    std::fs::remove_dir(&dir).expect("it is empty");
}

/// Memory ends somewhere among the successors of a state; nothing is forgotten or counted twice.
#[test]
fn a_search_goes_on_where_memory_ended() {
    fn check<S: SharedVisited + Default>(name: &str) {
        for threads in [1, 2] {
            let run = |options: &SearchOptions, observer: &mut dyn Observer| {
                by::<S, _>(threads, &Model::default(), || grid(150), options, observer)
            };
            let (mut from, mut pieces) = (None::<Vec<u8>>, 0);
            for bytes in (100_000..).step_by(300_000) {
                let mut keeper = Keeper { from: from.clone(), ..Keeper::default() };
                let options = SearchOptions { memory_bytes: Some(bytes), ..SearchOptions::default() };
                let outcome = run(&options, &mut keeper);
                if let Some(Err(error)) = keeper.resumed {
                    assert!(error.to_string().contains("--memory"), "{error}");
                    continue;
                }
                if outcome.complete || !outcome.limits.contains(&Limit::Memory) {
                    assert_eq!(summary(&outcome), (22_500, 45_001, vec![]), "{name}, {threads}");
                    assert_eq!(outcome.statistics.expanded, 22_500);
                    break;
                }
                pieces += 1;
                from = keeper.kept.pop();
            }
            assert!(pieces > 0, "{name}");
        }
    }
    check::<ExactStore>("exact");
    check::<TreeStore>("compressed");
    check::<FingerprintStore>("fingerprints");
}

/// What was written by one search is nothing for another.
#[test]
fn what_does_not_fit_is_refused() {
    let options = SearchOptions { states_max: Some(100), ..SearchOptions::default() };
    let mut keeper = Keeper::default();
    bfs::<ExactStore>(&Model::default(), &mut grid(20), &options, &mut keeper);
    let image = keeper.kept.pop().expect("it was written down");
    let says = |run: &Run<'_>, options: &SearchOptions| {
        let mut keeper = Keeper { from: Some(image.clone()), ..Keeper::default() };
        let outcome = run(options, &mut keeper);
        assert!(!outcome.complete && keeper.kept.is_empty());
        keeper.resumed.expect("it was read").expect_err("it is refused").to_string()
    };
    fn with<'r>(search: super::Search, model: &'r Model) -> Box<Run<'r>> {
        Box::new(move |options, observer| {
            search(model, &mut grid(20) as &mut dyn Executor, options, observer)
        })
    }
    let (model, plain) = (Model::default(), SearchOptions::default());
    assert!(says(&*with(bfs::<TreeStore>, &model), &plain).contains("another kind"));
    assert!(says(&*with(dfs::<ExactStore>, &model), &plain).contains("another kind"));
    let other = Model { name: "other".into(), ..Model::default() };
    assert!(says(&*with(bfs::<ExactStore>, &other), &plain).contains("another model"));
    let little = SearchOptions { memory_bytes: Some(10), ..plain };
    assert!(says(&*with(bfs::<ExactStore>, &model), &little).contains("--memory"));
}
