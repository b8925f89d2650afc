//! A random sample of the states that a search meets, by hash: what a store cannot tell of all states is told of these.
//!
//! A state belongs to the sample if its hash is below a threshold, so whoever meets it, in whatever order and however
//! often, chooses the same states. When the sample is full the threshold is halved. As long as it never was, the sample
//! is everything.

use crate::{ImageReader, ImageWriter, damaged, pages};
use std::io;

/// States in a sample. One in a thousand of them, omitted, should be enough to judge by.
pub(crate) const LEN_MAX: usize = if cfg!(test) { 1 << 10 } else { 1 << 18 };
/// A sample takes at most such a part of a store.
const BUDGET_SHARE: usize = 32;
const SLOTS_MIN: usize = 1 << 9;
/// The bit of an entry that tells whether the state was stored. (Hashes are told apart by the other 63.)
const STORED: u64 = 1;

#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    threshold: u64,
    /// A table with linear probing, at most half full, in which a hash stands where its share of the threshold says. Each entry
    /// also tells: was the state stored, that is, not taken for another one when it was first met? Zero is an empty slot.
    slots: Vec<u64>,
    len: usize,
    /// It holds no more.
    len_max: usize,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample { threshold: u64::MAX, slots: Vec::new(), len: 0, len_max: LEN_MAX }
    }
}

impl Sample {
    /// A sample of every so many states (rounded to a power of two), to begin with. What is to be told has to be rare as long as there
    /// are fewer states than would fill the sample.
    pub(crate) fn of_every(states: f64) -> Sample {
        let halvings = states.max(1.0).log2().floor().min(62.0) as u32;
        Sample { threshold: u64::MAX >> halvings, ..Sample::default() }
    }

    /// Sees to it that the sample is a small part of a budget, if it is still empty.
    pub(crate) fn keep_within(&mut self, budget_bytes: usize) {
        if self.slots.is_empty() {
            let share = budget_bytes / BUDGET_SHARE / (2 * size_of::<u64>());
            self.len_max = share.clamp(SLOTS_MIN, LEN_MAX);
        }
    }

    pub(crate) fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        image.u64(self.threshold)?;
        image.usize(self.len)?;
        image.usize(self.len_max)?;
        image.list(self.slots.iter(), |image, entry| image.u64(*entry))
    }

    pub(crate) fn load(image: &mut ImageReader) -> io::Result<Sample> {
        let (threshold, len, len_max) = (image.u64()?, image.usize()?, image.usize()?);
        let slots = image.list(ImageReader::u64)?;
        if threshold == 0 || len * 2 > slots.len() {
            return Err(damaged("a sample is too small"));
        }
        Ok(Sample { threshold, slots, len, len_max })
    }

    /// What this takes, and is about to take: while it is rebuilt, the table before and the one after it are there together.
    pub(crate) fn heap_bytes(&self) -> usize {
        let next = match self.len * 2 >= self.slots.len() / 8 * 7 {
            true => self.slots.len() * if self.len > self.len_max / 8 * 7 { 1 } else { 2 },
            false => 0,
        };
        (self.slots.len() + next) * size_of::<u64>()
    }

    /// Asks the memory system for what [`Self::note`] will look at.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        if hash <= self.threshold {
            pages::prefetch(self.slots.as_ptr().wrapping_add(self.slot_of(hash)));
        }
    }

    /// A lookup found the state with this hash to be new or not. True if it was not, although it is met for the first time.
    #[inline]
    pub(crate) fn note(&mut self, hash: u64, is_new: bool) -> bool {
        hash <= self.threshold && self.note_sampled(hash, is_new)
    }

    fn note_sampled(&mut self, hash: u64, is_new: bool) -> bool {
        if self.slots.is_empty() {
            self.rebuild(SLOTS_MIN);
        }
        match self.probe(hash) {
            Ok(slot) => {
                // Of several workers another one may have met it before the one that stored it came here.
                self.slots[slot] |= if is_new { STORED } else { 0 };
                false
            }
            Err(slot) => {
                self.put(slot, hash, is_new);
                !is_new
            }
        }
    }

    /// No hash above this is in the sample.
    pub(crate) fn below(&self) -> u64 {
        self.threshold
    }

    /// The slot of a state, or else the empty one where it belongs. There are slots.
    #[inline]
    fn probe(&self, hash: u64) -> Result<usize, usize> {
        let key = key_of(hash);
        let mut slot = self.slot_of(hash);
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                entry if entry & !STORED == key => return Ok(slot),
                _ => slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 },
            }
        }
    }

    #[inline]
    fn slot_of(&self, hash: u64) -> usize {
        let share = hash << self.threshold.leading_zeros();
        ((u128::from(share) * self.slots.len() as u128) >> 64) as usize
    }

    /// Fills an empty slot, and makes room for the next state.
    fn put(&mut self, slot: usize, hash: u64, is_stored: bool) {
        self.slots[slot] = key_of(hash) | if is_stored { STORED } else { 0 };
        self.len += 1;
        if self.len * 2 > self.slots.len() {
            if self.len > self.len_max {
                self.threshold /= 2;
                self.rebuild(self.slots.len());
            } else {
                self.rebuild(self.slots.len() * 2);
            }
        }
    }

    /// Moves the states within the threshold to a new table.
    #[cold]
    fn rebuild(&mut self, slots: usize) {
        let before = std::mem::replace(&mut self.slots, vec![0; slots]);
        self.len = 0;
        for entry in before {
            if entry != 0
                && entry & !STORED <= self.threshold
                && let Err(slot) = self.probe(entry & !STORED)
            {
                self.slots[slot] = entry;
                self.len += 1;
            }
        }
    }

    /// The states, and whether they were stored.
    fn states(&self) -> impl Iterator<Item = (u64, bool)> {
        self.slots.iter().filter(|entry| **entry != 0).map(|entry| (entry & !STORED, entry & STORED != 0))
    }

    /// Is the state in the sample, and stored?
    pub fn is_stored(&self, hash: u64) -> bool {
        !self.slots.is_empty() && self.probe(hash).is_ok_and(|slot| self.slots[slot] & STORED != 0)
    }

    /// Does the sample know what happened to the state?
    pub fn is_sampled(&self, hash: u64) -> bool {
        hash <= self.threshold
    }

    /// The share of all states that is in the sample.
    pub fn share(&self) -> f64 {
        1.0 / self.weight()
    }

    /// How many states each one of the sample stands for.
    fn weight(&self) -> f64 {
        (u64::MAX as f64 / self.threshold as f64).round()
    }

    /// About how many different states were met; exact while they are few.
    pub fn distinct(&self) -> f64 {
        self.len as f64 * self.weight()
    }

    /// About how many states of `later` are stored that are not in this sample, or were not stored when it was taken.
    pub fn added_by(&self, later: &Sample) -> f64 {
        let threshold = self.threshold.min(later.threshold);
        let stored = later.states().filter(|(hash, is_stored)| *hash <= threshold && *is_stored);
        let count = stored.filter(|(hash, _)| !self.is_stored(*hash)).count();
        count as f64 * (u64::MAX as f64 / threshold as f64).round()
    }

    /// The share of what `other` stored that is stored here too; none if `other` stored nothing that can be compared.
    pub fn share_of(&self, other: &Sample) -> Option<f64> {
        let threshold = self.threshold.min(other.threshold);
        let stored = other.states().filter(|(hash, is_stored)| *hash <= threshold && *is_stored);
        let (mut common, mut count) = (0, 0);
        for (hash, _) in stored {
            count += 1;
            common += u32::from(self.is_stored(hash));
        }
        (count > 0).then(|| f64::from(common) / f64::from(count))
    }

    /// Takes in what another search met.
    pub fn absorb(&mut self, other: &Sample) {
        self.threshold = self.threshold.min(other.threshold);
        self.rebuild(self.slots.len().max(SLOTS_MIN));
        for (hash, is_stored) in other.states() {
            // It may become less on the way.
            if hash <= self.threshold {
                match self.probe(hash) {
                    Ok(slot) => self.slots[slot] |= if is_stored { STORED } else { 0 },
                    Err(slot) => self.put(slot, hash, is_stored),
                }
            }
        }
    }
}

/// A hash as it stands in the table; never zero.
#[inline]
fn key_of(hash: u64) -> u64 {
    (hash & !STORED).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    fn note_all(sample: &mut Sample, numbers: std::ops::Range<u64>) {
        for number in numbers {
            assert!(!sample.note(hash(&number.to_le_bytes()), true));
        }
    }

    #[test]
    fn few_states_are_counted_exactly_and_many_nearly() {
        let mut sample = Sample::default();
        note_all(&mut sample, 0..1000);
        note_all(&mut sample, 0..1000);
        assert_eq!(sample.distinct(), 1000.0);
        note_all(&mut sample, 0..300_000);
        assert!(sample.len <= LEN_MAX && sample.len == sample.states().count());
        assert!((sample.distinct() / 300_000.0 - 1.0).abs() < 0.15, "{}", sample.distinct());
    }

    #[test]
    fn a_sparse_sample_counts_as_well_and_can_be_compared() {
        let mut sparse = Sample::of_every(20.0);
        assert_eq!(sparse.share(), 1.0 / 16.0);
        note_all(&mut sparse, 0..10_000);
        assert!((sparse.distinct() / 10_000.0 - 1.0).abs() < 0.2, "{}", sparse.distinct());
        let mut all = Sample::default();
        note_all(&mut all, 0..1000);
        assert_eq!((sparse.added_by(&all), sparse.share_of(&all)), (0.0, Some(1.0)));
        all.absorb(&sparse);
        assert_eq!((all.share(), all.distinct()), (sparse.share(), sparse.distinct()));
    }

    #[test]
    fn what_a_later_sample_adds_is_found() {
        let (mut first, mut second) = (Sample::default(), Sample::default());
        note_all(&mut first, 0..100_000);
        note_all(&mut second, 0..200_000);
        let added = first.added_by(&second);
        assert!((added / 100_000.0 - 1.0).abs() < 0.25, "{added}");
        assert_eq!(second.added_by(&first), 0.0);
        first.absorb(&second);
        assert_eq!(first.added_by(&second), 0.0);
        // A state that was met but omitted is added by a search that stores it.
        assert_eq!(first.share_of(&second), Some(1.0));
        let mut omitting = Sample::default();
        assert!(omitting.note(7, false) && !omitting.note(7, false));
        let mut storing = Sample::default();
        storing.note(7, true);
        assert_eq!(omitting.added_by(&storing), 1.0);
        assert_eq!((omitting.share_of(&storing), storing.share_of(&omitting)), (Some(0.0), None));
        omitting.absorb(&storing);
        assert_eq!(omitting.added_by(&storing), 0.0);
    }

    #[test]
    fn a_sample_keeps_to_its_part_of_a_budget() {
        let mut sample = Sample::default();
        sample.keep_within(32 * 16 * 700);
        for number in 0..20_000u64 {
            let (before, counted) = (sample.slots.len(), sample.heap_bytes());
            sample.note(crate::hash(&number.to_le_bytes()), true);
            // Two tables when it was rebuilt.
            let is_larger = sample.slots.len() > before && before > 0;
            assert!(!is_larger || counted >= (before + sample.slots.len()) * 8, "{number}: {counted}");
            assert!(sample.slots.len() <= 2048, "{}", sample.slots.len());
        }
        let before = sample.len_max;
        sample.keep_within(usize::MAX);
        assert_eq!((sample.len_max, before), (700, 700), "it stays what it is");
        assert!((0.9..1.1).contains(&(sample.distinct() / 20_000.0)), "{}", sample.distinct());
    }
}
