//! How much a bit-state search missed: a look at what lies behind some of the states that it omitted.
//!
//! A state is missing if it was taken for another one (*omitted*), or if only missing states lead to it. How many were
//! omitted the store reckons from its bits. The store also keeps the hashes of a sample of all states met ([`panoptes_store::Sample`]),
//! so of the omitted ones in that sample it knows what happened, and the search keeps their vectors. When the search is over,
//! it goes on from each of them: what is reached and has not all its bits set is certainly missing. That is done for each by
//! itself, so that states behind several omitted ones are known and not counted twice.
//!
//! Where the array is crowded, so much lies behind an omitted state, or behind several, that this comes to no end. Then all that
//! can be told is a bound.

use crate::context::{Context, Stop};
use crate::expansion::Expansion;
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

/// A sample of the omitted states, by hash.
#[derive(Debug)]
pub(crate) struct Omitted {
    threshold: u64,
    states: Vec<(u64, Vec<u8>)>,
}

impl Default for Omitted {
    fn default() -> Omitted {
        Omitted { threshold: u64::MAX, states: Vec::new() }
    }
}

impl Omitted {
    #[cold]
    pub fn note(&mut self, StateRef(hash): StateRef, vector: &[u8]) {
        if hash > self.threshold {
            return;
        }
        self.states.push((hash, vector.to_vec()));
        if self.states.len() > LEN_MAX {
            self.threshold /= 2;
            self.states.retain(|(hash, _)| *hash <= self.threshold);
        }
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

impl<S: StateStore + Default> Context<'_, S> {
    /// Replaces the bound in the account of a search that went to its end by an estimate, if that can be had.
    pub(crate) fn estimate_coverage(&mut self, account: &mut BitAccount) {
        let is_plain = !self.options.loop_states && self.guide.is_none() && self.options.depth_max.is_none();
        let omitted = std::mem::take(&mut self.omitted);
        let mut states = omitted.states;
        states.retain(|(hash, _)| account.sample.is_sampled(*hash));
        if is_plain {
            let (behind, is_whole) = self.look_behind(&states);
            behind.conclude(account, is_whole);
        }
    }

    /// False if it takes too long.
    fn look_behind(&mut self, omitted: &[(u64, Vec<u8>)]) -> (Behind, bool) {
        let mut left = COUNT_MIN.max(self.statistics.stored / SHARE_OF_SEARCH);
        let mut behind = Behind::default();
        let mut met: HashMap<u64, u32> = HashMap::new();
        let mut is_whole = true;
        for (_, vector) in omitted {
            match self.look_behind_one(vector, &mut left, &mut met) {
                Ok(count) => {
                    behind.omitted += 1.0;
                    behind.sum += count as f64;
                    behind.squares += (count as f64).powi(2);
                }
                Err(_) => {
                    is_whole = false;
                    break;
                }
            }
        }
        behind.distinct = met.len() as f64;
        behind.pairs = met.values().map(|count| f64::from(*count) * f64::from(count - 1) / 2.0).sum();
        (behind, is_whole)
    }

    fn look_behind_one(
        &mut self,
        vector: &[u8],
        left: &mut u64,
        met: &mut HashMap<u64, u32>,
    ) -> Result<usize, Stop> {
        let mut own = HashSet::new();
        let mut untried = vec![vector.to_vec()];
        let mut expansion = Expansion::default();
        let nowhere = StateRef(u64::MAX);
        while let Some(vector) = untried.pop() {
            *left = left.checked_sub(1).ok_or(Stop::Cut)?;
            let search_bytes = self.statistics.search_bytes;
            let end = self.expand(nowhere, &vector, usize::MAX, &mut expansion, || search_bytes);
            self.leave_selection(nowhere);
            end?;
            self.prepare_all(&mut expansion)?;
            for reached in &expansion.reached {
                let vector = expansion.vector(reached);
                if self.find(reached.prepared, vector).is_none() && own.insert(reached.prepared.0) {
                    *met.entry(reached.prepared.0).or_default() += 1;
                    untried.push(vector.to_vec());
                }
            }
        }
        Ok(own.len())
    }
}

impl Behind {
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
