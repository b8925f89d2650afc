//! Bit-state hashing: of a state only a few bits in a large array are kept, at places that hashes of it choose.
//!
//! A state is taken for known if all its bits are set. They may have been set by others; then the state is *omitted*, and
//! with it all that only it leads to. So a search finds errors that are there but may miss some. Holzmann's supertrace (*On
//! Limits and Possibilities of Automated Protocol Analysis*, 1987) had one bit a state; more of them make omissions rarer
//! as long as the array is not crowded (a Bloom filter).
//!
//! The hash of a vector is computed once; the places come from it by multiplications with numbers that the seed chooses.
//! A reference is that hash: good enough to tell the states of a path apart, but no vector can be read back.
//!
//! How many states were omitted is reckoned while the array fills: with a share `s` of `k` bits set, a new state is omitted with
//! probability `p = s^k`, and each new state that is noticed stands for `p / (1 - p)` that were not. What is lost behind
//! omitted states the search may find out: of a sample ([`Sample`]) the store knows which ones were omitted.

//!
//! Several workers may share an array (`bits.rs`): the first one to set all of a state's bits has found it. Each counts and reckons for
//! itself, and adds that now and then to what all have. The sample is one, for what one worker meets another may have stored.

use crate::account::BitAccount;
use crate::bits;
use crate::hash::fold;
use crate::pages::Pages;
use crate::sample;
use crate::{
    BitLayout, Drafting, Flags, GrowthDue, ImageReader, ImageWriter, OutOfMemory, PathHooks, Prepared,
    ReadBack, Sample, SharedVisited, StateRef, StateStore, StoreAccount, StoreSettings, Visited, damaged,
    hash,
};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

const LINE_BITS: u64 = 512;
const WORD_BITS: u64 = 64;
const LINE_WORDS: usize = (LINE_BITS / WORD_BITS) as usize;
/// So many new states are reckoned with at a time in a large array; in a small one each by itself.
const RECKON_EVERY: u64 = 32;
const SMALL_BITS: u64 = 1 << 20;
/// What a compiler of native code takes, about.
const BESIDE_BYTES: u64 = 4 << 20;
/// While an omission is less likely than this, states that are met again are taken for known, and the sample is not asked.
const NEGLIGIBLE: f64 = 1e-6;
/// One of several workers tells that it has stored so many.
const COUNT_AFTER: u64 = 64;

#[derive(Debug)]
pub struct BitStore {
    settings: StoreSettings,
    budget_bytes: usize,
    /// Empty until the first state comes.
    words: Pages<u64>,
    /// The length of the array. In the plain layout some bits of the last word may be left over.
    bits: u64,
    /// An odd number for each hash: the high bits of its product with the hash of a vector say where the bit is.
    factors: Vec<u64>,
    stored: AtomicU64,
    bits_set: AtomicU64,
    /// The states that were omitted, about.
    omitted: Sum,
    /// Omissions happen.
    is_crowded: AtomicBool,
    sample: Mutex<Sample>,
    /// No hash above this is in the sample.
    sampled_below: AtomicU64,
    /// Several workers use it, or did.
    is_shared: bool,
}

/// A sum to which several workers add.
#[derive(Debug, Default)]
struct Sum(Mutex<f64>);

impl Sum {
    fn get(&self) -> f64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alone(&mut self) -> &mut f64 {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, more: f64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += more;
    }
}

/// What one of several workers has found, and not told yet.
#[derive(Debug, Default)]
pub struct Found {
    stored: u64,
    bits_set: u64,
    omitted: f64,
}

impl Default for BitStore {
    fn default() -> BitStore {
        let mut store = BitStore {
            settings: StoreSettings::default(),
            budget_bytes: usize::MAX,
            words: Pages::EMPTY,
            bits: 0,
            factors: Vec::new(),
            stored: AtomicU64::new(0),
            bits_set: AtomicU64::new(0),
            omitted: Sum::default(),
            is_crowded: AtomicBool::new(false),
            sample: Mutex::default(),
            sampled_below: AtomicU64::new(0),
            is_shared: false,
        };
        store.configure(&StoreSettings::default());
        store
    }
}

impl BitStore {
    /// The array that is taken when neither its length nor a budget is given: 128 MiB.
    pub const BITS_DEFAULT: u64 = 1 << 30;
    pub const HASHES_MAX: u32 = 16;

    /// The length of an array for a search that may take so many bytes. It needs some of them beside the array: a share for
    /// its path, and what the compiler takes when it starts.
    pub fn bits_within(bytes: u64) -> u64 {
        let beside = bytes / 4 + (bytes / 4).min(BESIDE_BYTES);
        (bytes - beside).saturating_mul(8)
    }

    /// The length of the array in bits.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    #[cold]
    fn allocate(&mut self) -> Result<(), OutOfMemory> {
        let within_budget = match self.budget_bytes {
            usize::MAX => BitStore::BITS_DEFAULT,
            bytes => BitStore::bits_within(bytes as u64),
        };
        let bits = self.settings.bits.unwrap_or(within_budget).max(1);
        let bits = match self.settings.bit_layout {
            BitLayout::Plain => bits,
            // Whole cache lines.
            BitLayout::Blocked => bits.div_ceil(LINE_BITS).saturating_mul(LINE_BITS),
        };
        let words = usize::try_from(bits.div_ceil(WORD_BITS)).map_err(|_| OutOfMemory)?;
        if words.saturating_mul(8) > self.budget_bytes {
            return Err(OutOfMemory);
        }
        self.words = Pages::zeroed(words)?;
        self.bits = bits;
        let mut sample = Sample::of_every(self.crowded_at() / sample::LEN_MAX as f64);
        sample.keep_within(self.budget_bytes);
        self.take_sample(sample);
        Ok(())
    }

    fn take_sample(&mut self, sample: Sample) {
        *self.sampled_below.get_mut() = sample.below();
        self.sample = Mutex::new(sample);
    }

    /// A lookup found the state with this hash to be new or not; see [`Sample::note`].
    #[inline]
    fn note(&mut self, hash: u64, is_new: bool) -> bool {
        if hash > *self.sampled_below.get_mut() {
            return false;
        }
        let sample = self.sample.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_omitted = sample.note(hash, is_new);
        *self.sampled_below.get_mut() = sample.below();
        is_omitted
    }

    /// The same where others do so too.
    fn note_shared(&self, hash: u64, is_new: bool) -> bool {
        if hash > self.sampled_below.load(Relaxed) {
            return false;
        }
        let mut sample = self.sample();
        let is_omitted = sample.note(hash, is_new);
        self.sampled_below.store(sample.below(), Relaxed);
        is_omitted
    }

    fn sample(&self) -> MutexGuard<'_, Sample> {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many states there are at least when omissions begin to happen. To sample more of them before would be of no use.
    fn crowded_at(&self) -> f64 {
        let count = self.factors.len() as f64;
        match self.settings.bit_layout {
            BitLayout::Plain => self.bits() as f64 * NEGLIGIBLE.powf(1.0 / count) / count,
            // Some lines are crowded from the beginning.
            BitLayout::Blocked => 0.0,
        }
    }

    /// A bit of the plain layout.
    #[inline]
    fn place(&self, hash: u64, factor: u64) -> (usize, u64) {
        let bit = scaled(hash.wrapping_mul(factor), self.bits());
        ((bit / WORD_BITS) as usize, 1 << (bit % WORD_BITS))
    }

    /// The first word of a state's line in the blocked layout.
    #[inline]
    fn line(&self, hash: u64) -> usize {
        scaled(hash.wrapping_mul(self.factors[0]), self.words.len() as u64 / LINE_WORDS as u64) as usize
            * LINE_WORDS
    }

    /// Calls `visit` for each place, in the blocked layout.
    #[inline]
    fn places_in_line(&self, hash: u64, line: usize, mut visit: impl FnMut(usize, u64)) {
        let mut choice = 0;
        for (number, factor) in self.factors.iter().enumerate() {
            // Nine bits a place: seven places a word.
            if number % 7 == 0 {
                choice = fold(hash, !*factor);
            }
            visit(line + (choice as usize & (LINE_WORDS - 1)), 1 << (choice >> 3 & 63));
            choice >>= 9;
        }
    }

    #[inline]
    fn is_known(&self, hash: u64) -> bool {
        let words = self.words.shared();
        match self.settings.bit_layout {
            BitLayout::Plain => self.factors.iter().all(|factor| {
                let (word, mask) = self.place(hash, *factor);
                words[word].load(Relaxed) & mask != 0
            }),
            BitLayout::Blocked => {
                let mut missing = 0;
                self.places_in_line(hash, self.line(hash), |word, mask| {
                    missing |= !words[word].load(Relaxed) & mask;
                });
                missing == 0
            }
        }
    }

    /// Calls `visit` for each place of a state's bits.
    #[inline]
    fn places(&self, hash: u64, mut visit: impl FnMut(usize, u64)) {
        match self.settings.bit_layout {
            BitLayout::Plain => self.factors.iter().for_each(|factor| {
                let (word, mask) = self.place(hash, *factor);
                visit(word, mask);
            }),
            BitLayout::Blocked => self.places_in_line(hash, self.line(hash), visit),
        }
    }

    /// Sets the bits of a state; how many were not set.
    #[inline]
    fn set(&mut self, hash: u64) -> u32 {
        let mut fresh = 0;
        let words = self.words.shared();
        self.places(hash, |word, mask| {
            let before = words[word].load(Relaxed);
            fresh += u32::from(before & mask == 0);
            words[word].store(before | mask, Relaxed);
        });
        fresh
    }

    /// The probability that a new state is omitted now. In the blocked layout, if it belongs to the line of `hash`.
    fn omission(&self, hash: u64) -> f64 {
        let (set, of) = match self.settings.bit_layout {
            BitLayout::Plain => (self.bits_set.load(Relaxed), self.bits()),
            BitLayout::Blocked => {
                let line = self.line(hash);
                let words = &self.words.shared()[line..line + LINE_WORDS];
                (words.iter().map(|word| u64::from(word.load(Relaxed).count_ones())).sum(), LINE_BITS)
            }
        };
        (set as f64 / of as f64).powi(self.factors.len() as i32)
    }

    /// Reckons with the states that were omitted before this new one came, of a worker that has stored so many.
    ///
    /// Blocked, lines differ: where `p` is large new states are rarely noticed, but each then stands for many, and the sum
    /// is right.
    #[inline]
    fn reckon(&self, hash: u64, stored: u64) -> f64 {
        let every = if self.bits < SMALL_BITS { 1 } else { RECKON_EVERY };
        if !stored.is_multiple_of(every) {
            return 0.0;
        }
        let omission = self.omission(hash);
        if omission > NEGLIGIBLE {
            self.is_crowded.store(true, Relaxed);
        }
        every as f64 * omission / (1.0 - omission)
    }

    /// The probability of an omission now, over the whole array.
    fn omission_now(&self) -> f64 {
        if self.words.len() == 0 {
            return 0.0;
        }
        match self.settings.bit_layout {
            BitLayout::Plain => self.omission(0),
            BitLayout::Blocked => {
                // A few thousand lines tell it as well as all of them.
                let lines = self.words.shared().chunks_exact(LINE_WORDS);
                let step = (lines.len() / 4096).max(1);
                let (mut sum, mut count) = (0.0, 0.0);
                for line in lines.step_by(step) {
                    let set: u32 = line.iter().map(|word| word.load(Relaxed).count_ones()).sum();
                    sum += (f64::from(set) / LINE_BITS as f64).powi(self.factors.len() as i32);
                    count += 1.0;
                }
                sum / count
            }
        }
    }
}

impl Visited for BitStore {
    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        if self.words.len() == 0 {
            self.allocate()?;
        }
        Ok(Prepared(hash(key)))
    }

    #[inline]
    fn prefetch(&self, Prepared(hash): Prepared) {
        match self.settings.bit_layout {
            BitLayout::Plain => {
                for factor in &self.factors {
                    self.words.prefetch(self.place(hash, *factor).0);
                }
            }
            BitLayout::Blocked => self.words.prefetch(self.line(hash)),
        }
        // Where others use it, the lock would cost more than this saves.
        if hash <= self.sampled_below.load(Relaxed)
            && !self.is_shared
            && let Ok(sample) = self.sample.try_lock()
        {
            sample.prefetch(hash);
        }
    }

    /// By its first bit alone: that is the first to come from memory, and rarely set for a new state.
    #[inline]
    fn may_hold(&self, Prepared(hash): Prepared) -> bool {
        match self.settings.bit_layout {
            BitLayout::Plain => {
                let (word, mask) = self.place(hash, self.factors[0]);
                self.words.shared()[word].load(Relaxed) & mask != 0
            }
            BitLayout::Blocked => self.is_known(hash),
        }
    }

    #[inline]
    fn insert(&mut self, Prepared(hash): Prepared, _: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        let is_new = !self.is_known(hash);
        if is_new {
            let stored = *self.stored.get_mut();
            let omitted = self.reckon(hash, stored);
            *self.omitted.alone() += omitted;
            *self.bits_set.get_mut() += u64::from(self.set(hash));
            *self.stored.get_mut() += 1;
            self.note(hash, true);
        }
        Ok((StateRef(hash), is_new))
    }

    #[inline]
    fn find(&self, Prepared(hash): Prepared, _: &[u8]) -> Option<StateRef> {
        self.is_known(hash).then_some(StateRef(hash))
    }
}

impl Drafting for BitStore {}

impl ReadBack for BitStore {
    const KEEPS_VECTORS: bool = false;

    fn read(&self, _: StateRef, _: &mut Vec<u8>) {
        unreachable!("a bit-state array has no vectors");
    }
}

impl PathHooks for BitStore {
    const HEARS_MET: bool = true;

    #[inline]
    fn met(&mut self, StateRef(hash): StateRef, _: u32) -> bool {
        *self.is_crowded.get_mut() && self.note(hash, false)
    }
}

impl StateStore for BitStore {
    const IS_FRUGAL: bool = true;

    fn configure(&mut self, settings: &StoreSettings) {
        assert_eq!(self.len(), 0, "a store is set up before it is used");
        let count = settings.hashes.clamp(1, BitStore::HASHES_MAX);
        self.settings = settings.clone();
        let factor = |number| hash(&[settings.seed, number].map(u64::to_le_bytes).concat()) | 1;
        self.factors = (0..u64::from(count)).map(factor).collect();
    }

    fn len(&self) -> usize {
        self.stored.load(Relaxed) as usize
    }

    fn bytes_in_use(&self) -> usize {
        self.words.bytes() + self.sample().heap_bytes()
    }

    fn set_budget(&mut self, budget_bytes: usize) {
        self.budget_bytes = budget_bytes;
    }

    const HAS_IMAGE: bool = true;

    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        image.list(self.factors.iter(), |image, factor| image.u64(*factor))?;
        image.u64(self.bits)?;
        image.u64(*self.stored.get_mut())?;
        image.u64(*self.bits_set.get_mut())?;
        image.f64(*self.omitted.alone())?;
        image.bool(*self.is_crowded.get_mut())?;
        self.sample().save(image)?;
        self.words.save(image)
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        if image.list(ImageReader::u64)? != self.factors {
            return Err(damaged("the bits of states are chosen in another way"));
        }
        self.bits = image.u64()?;
        *self.stored.get_mut() = image.u64()?;
        *self.bits_set.get_mut() = image.u64()?;
        *self.omitted.alone() = image.f64()?;
        *self.is_crowded.get_mut() = image.bool()?;
        self.take_sample(Sample::load(image)?);
        self.words = Pages::load(image)?;
        if self.words.len() as u64 != self.bits.div_ceil(WORD_BITS) {
            return Err(damaged("the array has another length"));
        }
        Ok(())
    }

    fn account(&self) -> StoreAccount {
        let (stored, omitted) = (self.stored.load(Relaxed), self.omitted.get());
        let omission = omitted / (stored as f64 + omitted).max(1.0);
        StoreAccount::Bitstate(BitAccount {
            bits: self.bits(),
            bits_set: self.bits_set.load(Relaxed),
            stored,
            hashes: self.factors.len() as u32,
            hash_factor: self.bits() as f64 / stored.max(1) as f64,
            omission_probability: self.omission_now(),
            omitted,
            // What lies behind omitted states only a search can know.
            coverage: 1.0 - omission,
            is_bound: true,
            sample: self.sample().clone(),
        })
    }
}

impl SharedVisited for BitStore {
    type Scratch = Found;

    #[inline]
    fn prepare_shared(&self, _: &mut Found, key: &[u8]) -> Result<Prepared, GrowthDue> {
        if self.words.len() == 0 { Err(GrowthDue) } else { Ok(Prepared(hash(key))) }
    }

    #[inline]
    fn insert_shared(
        &self,
        found: &mut Found,
        Prepared(hash): Prepared,
        _: &[u8],
    ) -> Result<(StateRef, bool), GrowthDue> {
        let (is_new, fresh) = bits::claim(self.words.shared(), |visit| self.places(hash, visit));
        found.bits_set += u64::from(fresh);
        if is_new {
            found.omitted += self.reckon(hash, found.stored);
            found.stored += 1;
            self.note_shared(hash, true);
            if found.stored == COUNT_AFTER {
                self.retire(found);
            }
        }
        Ok((StateRef(hash), is_new))
    }

    #[inline]
    fn met_shared(&self, _: &mut Found, StateRef(hash): StateRef) -> bool {
        self.is_crowded.load(Relaxed) && self.note_shared(hash, false)
    }

    fn share_among(&mut self, workers: usize) {
        self.is_shared = workers > 1;
    }

    fn retire(&self, found: &mut Found) {
        let Found { stored, bits_set, omitted } = std::mem::take(found);
        self.stored.fetch_add(stored, Relaxed);
        self.bits_set.fetch_add(bits_set, Relaxed);
        if omitted > 0.0 {
            self.omitted.add(omitted);
        }
    }

    fn make_room(&mut self, _: &[u8]) -> Result<(), OutOfMemory> {
        if self.words.len() == 0 { self.allocate() } else { Ok(()) }
    }
}

impl Flags for BitStore {}

/// A number below `end` for each value of `hash`, evenly.
#[inline]
fn scaled(hash: u64, end: u64) -> u64 {
    ((u128::from(hash) * u128::from(end)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(bits: u64, hashes: u32, bit_layout: BitLayout, seed: u64) -> BitStore {
        let mut store = BitStore::default();
        store.configure(&StoreSettings { bits: Some(bits), hashes, bit_layout, seed, ..Default::default() });
        store
    }

    fn insert(store: &mut BitStore, number: u64) -> bool {
        let prepared = store.prepare(&number.to_le_bytes()).unwrap();
        store.prefetch(prepared);
        let known = store.find(prepared, &[]).is_some();
        assert!(store.may_hold(prepared) || !known);
        let is_new = store.insert(prepared, &[]).unwrap().1;
        assert_eq!(known, !is_new);
        assert!(store.may_hold(prepared));
        is_new
    }

    fn account(store: &BitStore) -> BitAccount {
        match store.account() {
            StoreAccount::Bitstate(account) => account,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_put_in_is_known() {
        for layout in [BitLayout::Plain, BitLayout::Blocked] {
            for hashes in [1, 3, 7, 8, 16] {
                let mut store = store(1 << 20, hashes, layout, 0);
                for number in 0..10_000 {
                    insert(&mut store, number);
                    assert!(!insert(&mut store, number));
                }
                assert!(store.len() > 9_800);
            }
        }
    }

    /// The expectation of omissions is what happens, whatever the layout and the number of bits.
    #[test]
    fn omissions_are_as_many_as_reckoned() {
        for layout in [BitLayout::Plain, BitLayout::Blocked] {
            for hashes in [1, 2, 3, 5] {
                let mut store = store(1 << 20, hashes, layout, 1);
                let count = 100_000;
                let new = (0..count).filter(|number| insert(&mut store, *number)).count() as f64;
                let omitted = count as f64 - new;
                let account = account(&store);
                let tolerance = 5.0 * omitted.sqrt() + 3.0;
                assert!(
                    (omitted - account.omitted).abs() < tolerance,
                    "{layout:?} {hashes}: {omitted}, expected {}",
                    account.omitted
                );
                let fresh = 100_000;
                let hits = (count..count + fresh)
                    .filter(|number| {
                        let prepared = store.prepare(&number.to_le_bytes()).unwrap();
                        store.find(prepared, &[]).is_some()
                    })
                    .count() as f64;
                let expected = account.omission_probability * fresh as f64;
                assert!(
                    (hits - expected).abs() < 5.0 * expected.sqrt() + 0.03 * expected,
                    "{hits} {expected}"
                );
            }
        }
    }

    /// Before omissions begin, no more is sampled than will be kept when they do.
    #[test]
    fn the_sample_of_a_large_array_is_sparse() {
        let share = |bits, hashes, layout| {
            let mut store = store(bits, hashes, layout, 0);
            insert(&mut store, 1);
            let sampled = account(&store).sample.share();
            assert!(store.crowded_at() * sampled >= sample::LEN_MAX as f64 || sampled == 1.0);
            sampled
        };
        assert_eq!(share(1 << 16, 3, BitLayout::Plain), 1.0);
        assert!(share(1 << 26, 3, BitLayout::Plain) < 0.01);
        assert_eq!(share(1 << 26, 3, BitLayout::Blocked), 1.0);
    }

    #[test]
    fn other_seeds_omit_other_states() {
        let omitted = |seed| {
            let mut store = store(1 << 18, 3, BitLayout::Plain, seed);
            (0..30_000)
                .filter(|number| !insert(&mut store, *number))
                .collect::<std::collections::HashSet<_>>()
        };
        let (first, second) = (omitted(1), omitted(2));
        assert!(first.len() > 100 && second.len() > 100);
        let both = first.intersection(&second).count();
        assert!(both * 20 < first.len(), "{both} of {}", first.len());
    }

    #[test]
    fn the_array_is_as_long_as_asked_or_as_the_budget_allows() {
        let mut asked = store(1_000_000, 3, BitLayout::Plain, 0);
        insert(&mut asked, 1);
        assert!((1_000_000..1_000_512).contains(&asked.bits()));
        let mut within = BitStore::default();
        within.set_budget(1 << 20);
        insert(&mut within, 1);
        assert_eq!(within.bits(), 1 << 22, "half of a little");
        assert_eq!(
            BitStore::bits_within(64 << 20),
            44 << 23,
            "three quarters of more, but for what a compiler takes"
        );
        let mut beyond = store(1 << 24, 3, BitLayout::Plain, 0);
        beyond.set_budget(1 << 20);
        assert_eq!(beyond.prepare(&[1]), Err(OutOfMemory));
    }
}
