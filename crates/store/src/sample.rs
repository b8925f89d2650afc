//! A random sample of the states that a search meets, by hash: what a store cannot tell of all states is told of these.
//!
//! A state belongs to the sample if its hash is below a threshold, so whoever meets it, in whatever order and however
//! often, chooses the same states. When the sample is full the threshold is halved. As long as it never was, the sample
//! is everything.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// States in a sample. One in a thousand of them, omitted, should be enough to judge by.
pub(crate) const LEN_MAX: usize = if cfg!(test) { 1 << 10 } else { 1 << 17 };

#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    threshold: u64,
    /// For each: was it stored, that is, not taken for another one when it was first met?
    states: HashMap<u64, bool, BuildHasherDefault<Itself>>,
}

/// The keys are hashes already. Those of a sample are all small, so the bits in the middle have to do for the highest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // The table goes by the low bits and by the highest seven.
        self.0 = self.0.rotate_left(5) ^ number ^ number << 37;
    }
}

impl Default for Sample {
    fn default() -> Sample {
        Sample { threshold: u64::MAX, states: HashMap::default() }
    }
}

impl Sample {
    /// A sample of every so many states (rounded to a power of two), to begin with. What is to be told has to be rare as long as there
    /// are fewer states than would fill the sample.
    pub(crate) fn of_every(states: f64) -> Sample {
        let halvings = states.max(1.0).log2().floor().min(62.0) as u32;
        Sample { threshold: u64::MAX >> halvings, ..Sample::default() }
    }

    /// A lookup found the state with this hash to be new or not. True if it was not, although it is met for the first time.
    #[inline]
    pub(crate) fn note(&mut self, hash: u64, is_new: bool) -> bool {
        hash <= self.threshold && self.note_sampled(hash, is_new)
    }

    #[cold]
    fn note_sampled(&mut self, hash: u64, is_new: bool) -> bool {
        let Entry::Vacant(entry) = self.states.entry(hash) else { return false };
        entry.insert(is_new);
        if self.states.len() > LEN_MAX {
            self.threshold /= 2;
            self.states.retain(|hash, _| *hash <= self.threshold);
        }
        !is_new
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
        self.states.len() as f64 * self.weight()
    }

    /// About how many states of `later` are stored that are not in this sample, or were not stored when it was taken.
    pub fn added_by(&self, later: &Sample) -> f64 {
        let threshold = self.threshold.min(later.threshold);
        let is_added = |hash: &u64| !self.states.get(hash).is_some_and(|is_stored| *is_stored);
        let stored = later.states.iter().filter(|(hash, is_stored)| **hash <= threshold && **is_stored);
        let count = stored.filter(|(hash, _)| is_added(hash)).count();
        count as f64 * (u64::MAX as f64 / threshold as f64).round()
    }

    /// The share of what `other` stored that is stored here too; none if `other` stored nothing that can be compared.
    pub fn share_of(&self, other: &Sample) -> Option<f64> {
        let threshold = self.threshold.min(other.threshold);
        let stored = other.states.iter().filter(|(hash, is_stored)| **hash <= threshold && **is_stored);
        let (mut common, mut count) = (0, 0);
        for (hash, _) in stored {
            count += 1;
            common += u32::from(self.states.get(hash).is_some_and(|is_stored| *is_stored));
        }
        (count > 0).then(|| f64::from(common) / f64::from(count))
    }

    /// Takes in what another search met.
    pub fn absorb(&mut self, other: &Sample) {
        self.threshold = self.threshold.min(other.threshold);
        self.states.retain(|hash, _| *hash <= self.threshold);
        for (hash, is_stored) in other.states.iter().filter(|(hash, _)| **hash <= self.threshold) {
            *self.states.entry(*hash).or_insert(false) |= is_stored;
        }
    }
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
        assert!(sample.states.len() <= LEN_MAX);
        assert!((sample.distinct() / 300_000.0 - 1.0).abs() < 0.15, "{}", sample.distinct());
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
}
