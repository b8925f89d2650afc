//! Any number of owners find what one worker finds.

use super::random::{graphs, name};
use super::{all_errors, summary};
use crate::mock::{Graph, Numbers};
use crate::{Finding, Letter, Limit, Outcome, Owner, SearchOptions, Team, bfs, bfs_by_owners};
use panoptes_exec::Executor;
use panoptes_model::Model;
use panoptes_store::{ExactStore, FingerprintStore, StateStore, TreeStore};
use proptest::prelude::*;
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

/// Owners in threads, which put letters into boxes and wait for each other after each round.
struct Threads {
    number: usize,
    shared: Arc<Shared>,
}

struct Shared {
    boxes: Vec<Mutex<Vec<Vec<u8>>>>,
    /// Who has something left to do in this round.
    busy: Vec<Mutex<bool>>,
    barrier: Barrier,
}

impl Threads {
    fn post(&self, letters: Vec<Letter>) {
        for Letter { to, bytes } in letters {
            self.shared.boxes[to].lock().unwrap().push(bytes);
        }
    }

    fn take(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.shared.boxes[self.number].lock().unwrap())
    }

    /// Waits for all; is anybody busy?
    fn meet(&self, is_busy: bool) -> bool {
        *self.shared.busy[self.number].lock().unwrap() = is_busy;
        self.shared.barrier.wait();
        let any = self.shared.busy.iter().any(|busy| *busy.lock().unwrap());
        self.shared.barrier.wait();
        any
    }
}

impl Team for Threads {
    fn number(&self) -> usize {
        self.number
    }

    fn count(&self) -> usize {
        self.shared.boxes.len()
    }

    fn search(&mut self, owner: &mut dyn Owner) {
        loop {
            let is_busy = owner.begin_level();
            let mut out = Vec::new();
            while is_busy && owner.expand_some(&mut out) {}
            owner.note_waited(Duration::ZERO, &mut out);
            self.post(out);
            let goes_on = self.meet(is_busy);
            self.take().iter().for_each(|letter| owner.receive(letter));
            self.shared.barrier.wait();
            if !goes_on {
                return;
            }
        }
    }

    fn end(&mut self) {}

    fn correspond(&mut self, letters: Vec<Letter>, answer: &mut dyn FnMut(&[u8]) -> Vec<Letter>) {
        let mut letters = letters;
        loop {
            let is_busy = !letters.is_empty();
            self.post(std::mem::take(&mut letters));
            if !self.meet(is_busy) {
                return;
            }
            letters = self.take().iter().flat_map(|letter| answer(letter)).collect();
            self.shared.barrier.wait();
        }
    }
}

/// The outcome of so many owners.
fn by<S: StateStore + Default, E: Executor>(
    count: usize,
    model: &Model,
    make: impl Fn() -> E + Sync,
    options: &SearchOptions,
) -> Outcome {
    let shared = Arc::new(Shared {
        boxes: (0..count).map(|_| Mutex::default()).collect(),
        busy: (0..count).map(|_| Mutex::default()).collect(),
        barrier: Barrier::new(count),
    });
    let run = |number: usize| {
        let mut team = Threads { number, shared: shared.clone() };
        bfs_by_owners::<S>(model, &mut make(), options, &mut (), &mut team)
    };
    let run = &run;
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..count).map(|number| scope.spawn(move || run(number))).collect();
        let outcome = run(0);
        others.into_iter().for_each(|other| assert!(other.join().unwrap().errors.is_empty()));
        outcome
    })
}

fn by_graph<S: StateStore + Default>(count: usize, graph: &Graph, options: &SearchOptions) -> Outcome {
    by::<S, Graph>(count, &graph.model(), || graph.clone(), options)
}

fn by_graph_in_each_store(count: usize, graph: &Graph, options: &SearchOptions) -> [Outcome; 3] {
    [
        by_graph::<ExactStore>(count, graph, options),
        by_graph::<TreeStore>(count, graph, options),
        by_graph::<FingerprintStore>(count, graph, options),
    ]
}

/// The names of the errors, sorted.
fn names(outcome: &Outcome) -> Vec<String> {
    let mut names: Vec<String> = outcome.errors.iter().map(name).collect();
    names.sort();
    names
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A chain is one step of the search, so which of two chains leads to a state, and how many steps the path to an
    /// error has, is left to chance. How many chains it has is not.
    #[test]
    fn owners_find_what_one_worker_finds(graph in graphs(), count in 1usize..5) {
        let all = all_errors();
        let alone = bfs::<ExactStore>(&graph.model(), &mut graph.clone(), &all, &mut ());
        for found in by_graph_in_each_store(count, &graph, &all) {
            prop_assert_eq!(found.owners.len(), count);
            let ((stored, transitions, _), (expected, of_these, _)) = (summary(&found), summary(&alone));
            prop_assert_eq!((stored, transitions), (expected, of_these));
            prop_assert_eq!(&found.error_counts, &alone.error_counts);
            prop_assert_eq!(&found.executed, &alone.executed);
            prop_assert_eq!(names(&found), names(&alone));
        }
        let first = SearchOptions::default();
        let chains = |outcome: &Outcome| {
            let steps = outcome.errors.first().map(|error| error.path.iter().map(|step| step.transition));
            steps.map(|steps| graph.chain_count(steps))
        };
        let alone = bfs::<ExactStore>(&graph.model(), &mut graph.clone(), &first, &mut ());
        for found in by_graph_in_each_store(count, &graph, &first) {
            prop_assert_eq!(found.errors.len(), alone.errors.len());
            prop_assert_eq!(chains(&found), chains(&alone));
        }
    }

    #[test]
    fn without_chains_paths_are_as_long(graph in graphs(), count in 1usize..5) {
        let plain = graph.without_chains();
        for options in [SearchOptions::default(), all_errors()] {
            let alone = bfs::<ExactStore>(&plain.model(), &mut plain.clone(), &options, &mut ());
            for found in by_graph_in_each_store(count, &plain, &options) {
                let length = |error: &Finding| (error.kind, error.length, error.path.len());
                let lengths = |outcome: &Outcome| outcome.errors.iter().map(length).collect::<Vec<_>>();
                prop_assert_eq!(lengths(&found), lengths(&alone));
                if options.all_errors {
                    prop_assert_eq!(summary(&found), summary(&alone));
                }
            }
        }
    }
}

#[test]
fn a_limit_of_one_ends_the_search_of_all() {
    let tree = || Numbers(|at: u64| (1..4).map(|child| at * 3 + child).collect());
    let options = SearchOptions { time: Some(Duration::from_millis(50)), ..SearchOptions::default() };
    let outcome = by::<ExactStore, _>(3, &Model::default(), tree, &options);
    assert_eq!((outcome.limits, outcome.complete), (vec![Limit::Time], false));
    assert!(outcome.owners.iter().all(|owner| owner.statistics.stored > 0 && owner.sent > 0));
}
