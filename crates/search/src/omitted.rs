//! How much a bit-state search missed: a look at what lies behind some of the states that it omitted.
//!
//! A state is missing if it was taken for another one (*omitted*), or if only missing states lead to it. How many were
//! omitted the store reckons from its bits. The store also keeps the hashes of a sample of all states met ([`panoptes_store::Sample`]),
//! so of the omitted ones in that sample it knows what happened, and the search keeps their vectors. When the search is over,
//! it goes on from each of them: what is reached and has not all its bits set is certainly missing. That is done for each by
//! itself, so that states behind several omitted ones are known and not counted twice.
//!
//! An error that is met there is as real as any other, and is reported.
//!
//! Where the array is crowded, so much lies behind an omitted state, or behind several, that this comes to no end. Then all that
//! can be told is a bound.

use crate::expander::Origin;
use crate::expansion::{Expansion, Task};
use crate::judge::{Judge, Position};
use crate::labels::Branch;
use crate::saved::saved;
use crate::stop::Stop;
use crate::visited::Visited;
use crate::worker::Worker;
use panoptes_exec::Ending;
use panoptes_store::{BitAccount, StateRef, StateStore};
use std::collections::{HashMap, HashSet};

/// Omitted states that are looked behind.
const LEN_MAX: usize = if cfg!(test) { 1 << 8 } else { 1 << 10 };
/// States computed behind them: one for each so many of the search, or this many.
const SHARE_OF_SEARCH: u64 = 16;
const COUNT_MIN: u64 = 20_000;
/// The share of all states by which an estimate may be uncertain and still be called one.
const DOUBT_MAX: f64 = 0.005;
/// If less than this share of what lies behind omitted states was found, the rest is guesswork.
const FOUND_MIN: f64 = 0.8;

/// How many branches are kept in all for the paths to omitted states, 8 bytes each.
const BRANCHES_MAX: usize = 1 << 22;

/// A sample of the omitted states, by hash.
#[derive(Debug)]
pub(crate) struct Omitted {
    threshold: u64,
    states: Vec<OmittedState>,
    /// The paths to them, and to others that are no longer kept.
    paths: Paths,
}

#[derive(Debug)]
struct OmittedState {
    hash: u64,
    vector: Vec<u8>,
    /// How many steps lead there.
    depth: u32,
    /// Which of the paths leads there, if it is kept.
    path: Option<usize>,
}

/// Paths, each as what it does not share with the one before: those of a depth-first search may be long and differ only in
/// their ends.
#[derive(Debug, Default)]
struct Paths {
    forks: Vec<Fork>,
    branch_count: usize,
}

/// A path that begins like the one before.
#[derive(Debug)]
pub(crate) struct Fork {
    /// How many branches they have in common.
    pub shared: usize,
    pub branches: Vec<Branch>,
}

/// A state to look at behind an omitted one.
struct Untried {
    vector: Vec<u8>,
    node: usize,
    /// It was not found behind another one before.
    is_first: bool,
}

/// How a state behind an omitted one was reached: from which node, by which branch, and after how many steps in all. The omitted
/// state itself is the first node.
struct Node {
    parent: usize,
    branch: Branch,
    depth: u32,
}

saved!(Omitted { threshold, states, paths });
saved!(OmittedState { hash, vector, depth, path });
saved!(Paths { forks, branch_count });
saved!(Fork { shared, branches });

impl Default for Omitted {
    fn default() -> Omitted {
        Omitted { threshold: u64::MAX, states: Vec::new(), paths: Paths::default() }
    }
}

impl Omitted {
    /// `fork` is told how many branches there is room for.
    #[cold]
    pub fn note(
        &mut self,
        state: StateRef,
        vector: &[u8],
        depth: u32,
        fork: impl FnOnce(usize) -> Option<Fork>,
    ) {
        let hash = state.bits();
        if hash > self.threshold {
            return;
        }
        let path = fork(BRANCHES_MAX - self.paths.branch_count).map(|fork| self.paths.push(fork));
        self.states.push(OmittedState { hash, vector: vector.to_vec(), depth, path });
        if self.states.len() > LEN_MAX {
            self.threshold /= 2;
            self.states.retain(|state| state.hash <= self.threshold);
        }
    }

    /// Adds what another worker noted, which has ended.
    pub fn absorb(&mut self, other: Omitted) {
        self.threshold = self.threshold.min(other.threshold);
        let before = self.paths.forks.len();
        let Omitted { states, paths, .. } = other;
        // The first path of each worker is told whole.
        debug_assert!(paths.forks.first().is_none_or(|fork| fork.shared == 0));
        paths.forks.into_iter().for_each(|fork| _ = self.paths.push(fork));
        let states = states.into_iter();
        self.states
            .extend(states.map(|state| OmittedState { path: state.path.map(|path| before + path), ..state }));
        self.states.retain(|state| state.hash <= self.threshold);
        while self.states.len() > LEN_MAX {
            self.threshold /= 2;
            self.states.retain(|state| state.hash <= self.threshold);
        }
    }

    pub fn heap_bytes(&self) -> usize {
        let vector_bytes = self.states.first().map_or(0, |state| state.vector.len());
        self.paths.branch_count * size_of::<Branch>()
            + self.paths.forks.len() * size_of::<Fork>()
            + self.states.len() * (size_of::<OmittedState>() + vector_bytes)
    }
}

impl Paths {
    fn push(&mut self, fork: Fork) -> usize {
        self.branch_count += fork.branches.len();
        self.forks.push(fork);
        self.forks.len() - 1
    }

    fn branches(&self, path: usize) -> Vec<Branch> {
        let mut end = self.forks[path].shared + self.forks[path].branches.len();
        let mut branches = vec![Branch::default(); end];
        for fork in self.forks[..=path].iter().rev() {
            if fork.shared < end {
                branches[fork.shared..end].copy_from_slice(&fork.branches[..end - fork.shared]);
                end = fork.shared;
            }
        }
        branches
    }
}

/// What was found behind omitted states.
#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    /// How many were looked behind.
    omitted: f64,
    /// The states behind each of them, added up, and the squares of these numbers.
    sum: f64,
    squares: f64,
    /// Pairs of them with a state behind both, for each such state.
    pairs: f64,
    /// Different states behind them.
    distinct: f64,
}

/// After a search that went to its end: replaces the bound in its account by an estimate, if that can be had, and judges what
/// is met on the way.
pub(crate) fn look_behind<'w, S: StateStore>(
    visited: &mut Visited<S>,
    judge: &mut Judge<'w>,
    worker: &mut Worker<'w>,
    account: &mut BitAccount,
    own_bytes: usize,
) {
    let Omitted { states: mut omitted, paths, .. } = std::mem::take(&mut visited.omitted);
    // Of several workers one may have met a state just when another one stored it.
    let is_omitted = |hash| account.sample.is_sampled(hash) && !account.sample.is_stored(hash);
    omitted.retain(|state| is_omitted(state.hash));
    let states_left = COUNT_MIN.max(worker.tally.statistics.stored / SHARE_OF_SEARCH);
    let mut look = Look { visited, judge, worker, paths, own_bytes, states_left, met: HashMap::new() };
    let mut behind = Behind::default();
    // It may take too long, or end at an error.
    let is_whole =
        omitted.iter().try_for_each(|state| look.behind(state).map(|count| behind.add(count))).is_ok();
    behind.distinct = look.met.len() as f64;
    behind.pairs = look.met.values().map(|count| f64::from(*count) * f64::from(count - 1) / 2.0).sum();
    behind.conclude(account, is_whole);
}

/// A look behind omitted states, one after the other.
struct Look<'l, 'w, S> {
    visited: &'l mut Visited<S>,
    judge: &'l mut Judge<'w>,
    worker: &'l mut Worker<'w>,
    paths: Paths,
    /// What the search took beside the visited set.
    own_bytes: usize,
    states_left: u64,
    /// By hash, behind how many of them a state was met.
    met: HashMap<u64, u32>,
}

impl<S: StateStore> Look<'_, '_, S> {
    /// How many states there are behind one.
    fn behind(&mut self, omitted: &OmittedState) -> Result<usize, Stop> {
        let mut own = HashSet::new();
        let mut nodes = vec![Node { parent: 0, branch: Branch::default(), depth: omitted.depth }];
        let mut untried = vec![Untried { vector: omitted.vector.clone(), node: 0, is_first: true }];
        let mut expansion = Expansion::default();
        while let Some(Untried { vector, node, is_first }) = untried.pop() {
            self.states_left = self.states_left.checked_sub(1).ok_or(Stop::Cut)?;
            self.worker.look_at_limits(self.visited, &mut self.judge.findings, || self.own_bytes)?;
            let from = Origin { vector: &vector, control: None };
            self.worker.expand(from, Task::default(), self.visited, &mut expansion)?;
            if is_first && let Some(path) = omitted.path {
                let branches = || path_behind(self.paths.branches(path), &nodes, node);
                let depth = nodes[node].depth as usize;
                let at = Position { vector: &vector, depth, branches: &branches, has_shown: &|_| false };
                let farthest = expansion.faults.iter().map(|faulty| faulty.steps.len()).max();
                let farthest = farthest.or((expansion.ending == Ending::Deadlock).then_some(0));
                farthest.into_iter().for_each(|steps| self.worker.tally.note_depth(depth + steps));
                self.judge.judge(&at, &expansion)?;
            }
            self.visited.prepare_all(&mut expansion)?;
            for reached in &expansion.reached {
                let vector = expansion.vector(reached);
                if self.visited.find(reached.prepared, vector).is_none() && own.insert(reached.prepared.0) {
                    let times = self.met.entry(reached.prepared.0).or_default();
                    *times += 1;
                    let depth = nodes[node].depth + reached.steps;
                    nodes.push(Node { parent: node, branch: reached.branch, depth });
                    let (node, is_first) = (nodes.len() - 1, *times == 1);
                    untried.push(Untried { vector: vector.to_vec(), node, is_first });
                }
            }
        }
        Ok(own.len())
    }
}

/// The branches to an omitted state, and on to a node behind it.
fn path_behind(mut branches: Vec<Branch>, nodes: &[Node], mut node: usize) -> Vec<Branch> {
    let start = branches.len();
    while node != 0 {
        branches.push(nodes[node].branch);
        node = nodes[node].parent;
    }
    branches[start..].reverse();
    branches
}

impl Behind {
    /// One more omitted state was looked behind.
    fn add(&mut self, count: usize) {
        self.omitted += 1.0;
        self.sum += count as f64;
        self.squares += (count as f64).powi(2);
    }

    fn conclude(&self, account: &mut BitAccount, is_whole: bool) {
        let stored = account.stored as f64;
        let coverage = |unreached: f64| stored / (stored + account.omitted + unreached).max(1.0);
        // This much is certain: the states behind are missing, and the others are expected to be.
        account.coverage = coverage(self.distinct);
        // If a sample should have had some and has none, nobody looked.
        let expected = account.omitted * account.sample.share();
        if !is_whole || (self.omitted == 0.0 && expected > 8.0) {
            return;
        }
        if self.sum == 0.0 {
            account.is_bound = false;
            return;
        }
        let mean = self.sum / self.omitted;
        // Some of the states behind an omitted one have all their bits set, too; they hide what is behind them.
        let odds = account.omission_probability / (1.0 - account.omission_probability);
        let found = (1.0 - odds * mean).max(0.1);
        let most = account.omitted * mean * (1.0 + odds) / found;
        // That counts a state once for each omitted state that it is behind. Pairs are in the sample with the square of the
        // probability of one.
        let sampled = (self.omitted / account.omitted).min(1.0);
        let times = 1.0 + 2.0 * self.pairs / (self.sum * sampled);
        let least = (most / times).max(self.distinct);
        let variance = (self.squares / self.omitted - mean * mean).max(0.0);
        let deviation = account.omitted * (variance / self.omitted).sqrt() / (found * times);
        let estimate = coverage(least);
        let doubt = (estimate - coverage(most)).max(estimate - coverage(least + 2.0 * deviation));
        account.is_bound = doubt > DOUBT_MAX || found < FOUND_MIN;
        account.coverage = match account.is_bound {
            true => coverage(((least - 2.0 * deviation) * found).max(self.distinct)),
            false => estimate,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_put_together_from_what_they_share() {
        let branch = |step| Branch { step, end: 0 };
        let mut paths = Paths::default();
        let steps: [&[u32]; 5] = [&[1, 2, 3, 4], &[1, 2, 3, 5, 6], &[1, 7], &[1, 7, 8], &[9]];
        for (shared, path) in [0, 3, 1, 2, 0].into_iter().zip(steps) {
            paths.push(Fork { shared, branches: path[shared..].iter().copied().map(branch).collect() });
        }
        for (index, path) in steps.into_iter().enumerate() {
            assert_eq!(paths.branches(index), path.iter().copied().map(branch).collect::<Vec<_>>());
        }
    }

    fn account(stored: u64, omission_probability: f64) -> BitAccount {
        BitAccount {
            bits: 1 << 20,
            bits_set: 1000,
            stored,
            hashes: 2,
            hash_factor: 1.0,
            omission_probability,
            omitted: 20.0,
            coverage: 0.0,
            is_bound: true,
            sample: panoptes_store::Sample::default(),
        }
    }

    /// Ten of twenty omitted states were looked behind; five states lie behind each, more or less.
    const BEHIND: Behind = Behind { omitted: 10.0, sum: 50.0, squares: 300.0, pairs: 2.0, distinct: 20.0 };

    fn concluded(behind: Behind, stored: u64, omission_probability: f64, is_whole: bool) -> (f64, bool) {
        let mut account = account(stored, omission_probability);
        behind.conclude(&mut account, is_whole);
        (account.coverage, account.is_bound)
    }

    fn assert_close((coverage, is_bound): (f64, bool), expected: (f64, bool)) {
        assert!((coverage - expected.0).abs() < 1e-9, "{coverage} in place of {}", expected.0);
        assert_eq!(is_bound, expected.1);
    }

    /// What is expected was computed by hand. With a probability of 0.02 the odds are 1/49, so of the states behind
    /// 1 - 5/49 = 44/49 were found, and 20 * 5 * (50/49) / (44/49) = 113.6 lie there at most. The sample has half of the
    /// omitted states, so 2 pairs mean that each state was counted 1 + 2 * 2 / (50 / 2) = 1.16 times.
    #[test]
    fn what_lies_behind_all_omitted_states_is_estimated() {
        let missing = 5000.0 / 44.0 / 1.16;
        assert_close(concluded(BEHIND, 100_000, 0.02, true), (1e5 / (1e5 + 20.0 + missing), false));
        // Among a thousand states that is too uncertain: the deviation is 20 * sqrt((30 - 25) / 10) / (44 / 49) / 1.16.
        let deviation = 20.0 * 0.5f64.sqrt() * 49.0 / 44.0 / 1.16;
        let least = (missing - 2.0 * deviation) * 44.0 / 49.0;
        assert_close(concluded(BEHIND, 1000, 0.02, true), (1000.0 / (1000.0 + 20.0 + least), true));
        // So it is when much remained hidden: with odds of 1/9, 4/9 were found.
        let missing = 20.0 * 5.0 * (10.0 / 9.0) / (4.0 / 9.0) / 1.16;
        let deviation = 20.0 * 0.5f64.sqrt() * 9.0 / 4.0 / 1.16;
        let least = (missing - 2.0 * deviation) * 4.0 / 9.0;
        assert_close(concluded(BEHIND, 100_000, 0.1, true), (1e5 / (1e5 + 20.0 + least), true));
    }

    #[test]
    fn without_enough_to_go_by_there_is_a_bound() {
        let certain = |distinct: f64| 1000.0 / (1000.0 + 20.0 + distinct);
        // The look behind was given up.
        assert_close(concluded(BEHIND, 1000, 0.02, false), (certain(20.0), true));
        // Twenty states should have been in the sample, and none is.
        assert_close(concluded(Behind::default(), 1000, 0.02, true), (certain(0.0), true));
        // Nothing lies behind any.
        let nothing = Behind { omitted: 10.0, ..Behind::default() };
        assert_close(concluded(nothing, 1000, 0.02, true), (certain(0.0), false));
        // It is never less than what was found.
        let many = Behind { distinct: 500.0, ..BEHIND };
        assert_close(concluded(many, 1000, 0.02, true), (certain(500.0), true));
    }
}
