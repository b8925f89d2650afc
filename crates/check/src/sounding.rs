//! A first look at the states of a model, before its compressed store is made.
//!
//! The search is made once with a bound of a few thousand states. If that is all of them, it is the search that was wanted. Otherwise the states
//! that it met tell which bits of vectors vary, and the search begins again with a store that knows them ([`panoptes_store::Varying`]).

use panoptes_exec::{Chains, Condition, Executor, Fault, Patience, Replay, Successors, Waiting};
use panoptes_search::{Finding, Limit, Observer, Outcome, Scope, SearchOptions, Statistics};
use panoptes_store::{ByteSet, StoreSettings, Varying};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// States of the first search. Computing them again costs a millisecond or two.
pub(crate) const STATES: u64 = 8192;

/// Vectors of so many bytes are long.
const LENGTH_LONG: u64 = 48;

/// What a first search says about the model.
pub(crate) enum Sounding {
    /// It was the whole search.
    Whole(Outcome),
    /// There is more to search: the options to do it with, and what was seen.
    More(SearchOptions, Sample),
}

/// Runs `search` with a bound on states, and watches the vectors that it meets.
pub(crate) fn sound(
    options: &SearchOptions,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    search: impl FnOnce(&SearchOptions, &mut dyn Executor, &mut dyn Observer) -> Outcome,
) -> Sounding {
    let start = Instant::now();
    let is_short = options.states_max.is_some_and(|states| states <= STATES);
    let bounded = SearchOptions {
        states_max: Some(options.states_max.unwrap_or(STATES).min(STATES)),
        ..options.clone()
    };
    let mut sampler = Sampler { hidden: executor.hidden_bytes(), inner: executor, sample: Sample::default() };
    let mut quiet = Quiet { observer };
    let outcome = search(&bounded, &mut sampler, &mut quiet);
    let sample = sampler.sample;
    if is_short || !outcome.limits.contains(&Limit::States) {
        outcome.errors.iter().for_each(|error| observer.error(error));
        return Sounding::Whole(outcome);
    }
    let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
    let store = StoreSettings { varying: sample.varying(), ..options.store.clone() };
    Sounding::More(SearchOptions { time, store, ..options.clone() }, sample)
}

/// Of each length, how many vectors were met, and which values each byte had.
#[derive(Default)]
pub(crate) struct Sample {
    by_length: BTreeMap<usize, (u64, Vec<ByteSet>)>,
}

impl Sample {
    fn add(&mut self, key: &[u8]) {
        let (count, values) =
            self.by_length.entry(key.len()).or_insert_with(|| (0, vec![ByteSet::default(); key.len()]));
        *count += 1;
        values.iter_mut().zip(key).for_each(|(values, byte)| values.insert(*byte));
    }

    /// Is a compressed store likely to be faster than an exact one? It is where vectors are long: clearing new memory and waiting for it
    /// takes longer than finding equal parts. It is also where vectors are numbers, unless the search is reduced: then the search asks
    /// which states are not expanded yet, and references to an exact store tell that by themselves.
    pub fn is_better_compressed(&self, is_reduced: bool) -> bool {
        let bytes: u64 = self.by_length.iter().map(|(length, (count, _))| *length as u64 * count).sum();
        let count: u64 = self.by_length.values().map(|(count, _)| count).sum();
        let is_packable = || self.varying().is_some_and(|varying| varying.is_packable());
        bytes >= LENGTH_LONG * count || !is_reduced && is_packable()
    }

    /// Of vectors with the length that most have.
    fn varying(&self) -> Option<Varying> {
        let most = self.by_length.values().max_by_key(|(count, _)| *count);
        most.map(|(_, values)| Varying::new(values))
    }
}

/// An executor that looks at the states it reaches.
struct Sampler<'e> {
    inner: &'e mut dyn Executor,
    hidden: usize,
    sample: Sample,
}

impl Executor for Sampler<'_> {
    fn initial(&self) -> Result<Vec<u8>, Fault> {
        self.inner.initial()
    }

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        self.inner.successors(state, control, out);
        for item in out.items.iter().filter(|item| item.is_state()) {
            self.sample.add(&out.state(item)[self.hidden..]);
        }
    }

    fn follow(&mut self, out: &mut Successors, chains: &Chains<'_>) -> bool {
        let is_done = self.inner.follow(out, chains);
        for end in out.ends.iter().filter(|_| is_done) {
            self.sample.add(&out.state(&out.items[end.item as usize])[self.hidden..]);
        }
        is_done
    }

    fn broken_invariants(&mut self, state: &[u8], out: &mut Vec<Fault>) {
        self.inner.broken_invariants(state, out);
    }

    fn set_conditions(&mut self, conditions: &[Condition]) {
        self.inner.set_conditions(conditions);
    }

    fn conditions(&mut self, state: &[u8], wanted: u64) -> Result<u64, Fault> {
        self.inner.conditions(state, wanted)
    }

    fn waiting(&mut self, state: &[u8]) -> Vec<Waiting> {
        self.inner.waiting(state)
    }

    fn replay(&mut self, state: &[u8], control: Option<u8>, item: usize) -> Option<Replay> {
        self.inner.replay(state, control, item)
    }

    fn set_patience(&mut self, patience: &Patience) {
        self.inner.set_patience(patience);
    }

    fn hidden_bytes(&self) -> usize {
        self.inner.hidden_bytes()
    }
}

/// Passes on all but errors: those that the whole search meets again are told only once.
struct Quiet<'o> {
    observer: &'o mut dyn Observer,
}

impl Observer for Quiet<'_> {
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        self.observer.progress(statistics)
    }

    fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        self.observer.stop_flag()
    }

    fn stage(&mut self, number: usize, count: usize, scope: &Scope) {
        self.observer.stage(number, count, scope);
    }

    fn error(&mut self, _: &Finding) {}
}
