//! A pilot sample: a first look at the states of a model, before it is settled how they are stored.
//!
//! The first few thousand states that a search meets tell which bits of vectors vary, and how long vectors are. Where nobody chose a store,
//! the search goes on from there with the exact one. If a compressed one is likely to be better, it begins again with that: at once, or when the
//! states have turned out to be many. A compressed store is told what varies ([`panoptes_store::Varying`]), so where that was chosen the
//! search always begins again, unless the first look was all of it.

use panoptes_exec::{Chains, Executor, Successors, Wrapper};
use panoptes_search::{Finding, Limit, Observer, Outcome, Scope, SearchOptions, Statistics};
use panoptes_store::{ByteSet, StoreSettings, Varying};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// States of the first look. Computing them again costs a millisecond or two.
pub(crate) const STATES: u64 = 8192;

/// Vectors of so many bytes are long.
const LENGTH_LONG: u64 = 48;

/// An exact store of long vectors gives way to a compressed one when it takes so much. While it takes less it is faster: on six of seven public models
/// of long vectors that fit, by 5 to 130%.
const EXACT_BYTES_MAX: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };

/// What came of the search that was watched.
pub(crate) struct Sounding {
    pub outcome: Outcome,
    /// It was the whole search. Otherwise it is to begin again with a compressed store.
    pub is_whole: bool,
    /// The options for that: they tell the store what varies.
    pub again: SearchOptions,
}

/// Which store the search that is watched has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// The exact one. It may be the right one.
    Exact,
    /// The compressed one, which does not know yet what varies.
    Compressed,
}

/// Runs `search` on that store, and watches the vectors that it meets. It ends early if it is to begin again with a compressed store.
pub(crate) fn sound(
    first: First,
    options: &SearchOptions,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    search: impl FnOnce(&SearchOptions, &mut dyn Executor, &mut dyn Observer) -> Outcome,
) -> Sounding {
    let start = Instant::now();
    let wanted = options.states_max.unwrap_or(u64::MAX);
    let bounded = SearchOptions { states_max: Some(wanted.min(STATES)), ..options.clone() };
    let look = Look { sample: RefCell::default(), is_on: Cell::new(true) };
    let mut sampler = Sampler { hidden: executor.hidden_bytes(), inner: executor, look: &look };
    let mut watcher = Watcher {
        observer,
        look: &look,
        first,
        is_reduced: options.por,
        wanted,
        bound: wanted.min(STATES),
        is_settled: false,
        held: Vec::new(),
    };
    let outcome = search(&bounded, &mut sampler, &mut watcher);
    let is_whole = watcher.bound == wanted || !outcome.limits.contains(&Limit::States);
    if is_whole && !watcher.is_settled {
        outcome.errors.iter().for_each(|error| watcher.observer.error(error));
    }
    let time = options.time.map(|time| time.saturating_sub(start.elapsed()));
    let store = StoreSettings { varying: look.sample.borrow().varying(), ..options.store.clone() };
    Sounding { outcome, is_whole, again: SearchOptions { time, store, ..options.clone() } }
}

/// The vectors of the first look, and whether it still lasts.
struct Look {
    sample: RefCell<Sample>,
    is_on: Cell<bool>,
}

/// Of each length, how many vectors were met, and which values each byte had.
#[derive(Default)]
struct Sample {
    by_length: BTreeMap<usize, (u64, Vec<ByteSet>)>,
}

/// When a search on an exact store is to begin again with a compressed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    AtOnce,
    /// When it has stored so much that clearing new memory and waiting for it takes longer than finding equal parts.
    WhenLarge,
    Never,
}

impl Sample {
    fn add(&mut self, key: &[u8]) {
        let (count, values) =
            self.by_length.entry(key.len()).or_insert_with(|| (0, vec![ByteSet::default(); key.len()]));
        *count += 1;
        values.iter_mut().zip(key).for_each(|(values, byte)| values.insert(*byte));
    }

    /// Long vectors are better compressed if they are many. Those that are numbers are too, unless the search is reduced: then it asks
    /// which states are not expanded yet, and references to an exact store tell that by themselves.
    fn change(&self, is_reduced: bool) -> Change {
        let bytes: u64 = self.by_length.iter().map(|(length, (count, _))| *length as u64 * count).sum();
        let count: u64 = self.by_length.values().map(|(count, _)| count).sum();
        if !is_reduced && self.varying().is_some_and(|varying| varying.is_packable()) {
            return Change::AtOnce;
        }
        if bytes >= LENGTH_LONG * count { Change::WhenLarge } else { Change::Never }
    }

    /// Of vectors with the length that most have.
    fn varying(&self) -> Option<Varying> {
        let most = self.by_length.values().max_by_key(|(count, _)| *count);
        most.map(|(_, values)| Varying::new(values))
    }
}

/// An executor that looks at the states it reaches, as long as the first look lasts.
struct Sampler<'e> {
    inner: &'e mut dyn Executor,
    hidden: usize,
    look: &'e Look,
}

impl Wrapper for Sampler<'_> {
    fn inner(&self) -> &dyn Executor {
        self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Executor {
        self.inner
    }

    #[inline]
    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        self.inner.successors(state, control, out);
        if self.look.is_on.get() {
            let mut sample = self.look.sample.borrow_mut();
            for item in out.items.iter().filter(|item| item.is_state()) {
                sample.add(&out.state(item)[self.hidden..]);
            }
        }
    }

    #[inline]
    fn follow(&mut self, out: &mut Successors, chains: &mut Chains<'_>) -> bool {
        let is_done = self.inner.follow(out, chains);
        if self.look.is_on.get() {
            let mut sample = self.look.sample.borrow_mut();
            for end in out.ends.iter().filter(|_| is_done) {
                let vector = &out.bytes()[end.start as usize..][..end.bytes as usize];
                sample.add(&vector[self.hidden..]);
            }
        }
        is_done
    }
}

/// Settles how far the search goes. Errors are held back as long as it may begin again: those that are met again are told only once.
struct Watcher<'o> {
    observer: &'o mut dyn Observer,
    look: &'o Look,
    first: First,
    is_reduced: bool,
    /// The bound on states that was asked for, and the one that the search has now.
    wanted: u64,
    bound: u64,
    /// The search will not begin again.
    is_settled: bool,
    held: Vec<Finding>,
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        self.observer.progress(statistics)
    }

    fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        self.observer.stop_flag()
    }

    fn states_max(&mut self, bound: u64, statistics: &Statistics) -> Option<u64> {
        // A second search for a nearer error has a bound of its own.
        if self.first == First::Compressed || !self.look.is_on.get() || bound != self.bound {
            return None;
        }
        self.look.is_on.set(false);
        let bound = match self.look.sample.borrow().change(self.is_reduced) {
            Change::AtOnce => return None,
            Change::WhenLarge => (EXACT_BYTES_MAX as f64 / statistics.bytes_per_state.max(1.0)) as u64,
            Change::Never => u64::MAX,
        };
        self.bound = bound.min(self.wanted);
        if self.bound == self.wanted {
            self.is_settled = true;
            self.held.drain(..).for_each(|error| self.observer.error(&error));
        }
        (self.bound > statistics.stored).then_some(self.bound)
    }

    fn stage(&mut self, number: usize, count: usize, scope: &Scope) {
        self.observer.stage(number, count, scope);
    }

    fn error(&mut self, error: &Finding) {
        if self.is_settled {
            self.observer.error(error);
        } else {
            self.held.push(error.clone());
        }
    }
}
