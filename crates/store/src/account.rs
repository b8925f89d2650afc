//! What a store that forgets or confuses states can tell about that.

use crate::{DiskAccount, Replacement, Sample};

/// How far the answers of a store can be trusted, and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum StoreAccount {
    /// Every state is known for what it is.
    #[default]
    Exact,
    Bitstate(BitAccount),
    Direct(DirectAccount),
    HashCompact(FingerprintAccount),
    Cache(CacheAccount),
    /// Every state is known for what it is.
    Disk(DiskAccount),
}

#[derive(Clone, Debug, PartialEq)]
pub struct BitAccount {
    /// The length of the array.
    pub bits: u64,
    pub bits_set: u64,
    /// States noticed as new.
    pub stored: u64,
    pub hashes: u32,
    /// Bits of the array for each state stored.
    pub hash_factor: f64,
    /// How likely one more new state would be taken for a known one.
    pub omission_probability: f64,
    /// How many states were taken for known ones so far: the expectation.
    pub omitted: f64,
    /// The share of what can be reached that is stored: an estimate or, if it is a bound, not more than that.
    pub coverage: f64,
    pub is_bound: bool,
    pub sample: Sample,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectAccount {
    /// The length of the array: how many states there could be.
    pub bits: u64,
    pub stored: u64,
    /// Lookups of states that have no bit of their own; there should be none.
    pub misfits: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FingerprintAccount {
    /// How likely it is that any state was taken for another.
    pub collision_probability: f64,
    /// How many were: the expectation.
    pub omitted: f64,
    /// The share of what can be reached that is stored: an estimate.
    pub coverage: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheAccount {
    pub capacity: usize,
    /// The rule that the search began with.
    pub replacement: Replacement,
    /// How many states had been created when [`Replacement::LargestClass`] took over; none if it did not.
    pub gave_way_at: Option<u64>,
    /// States that were forgotten.
    pub replaced: u64,
    /// States that were put into the cache, those that had been there before counted again.
    pub created: u64,
    /// How many of them were different: exact while they are few, later an estimate.
    pub distinct: u64,
    /// Whether `distinct` is an estimate.
    pub is_estimate: bool,
    /// The most states held at once, those of the path included.
    pub held_max: usize,
}

impl StoreAccount {
    /// Is every state that the store says it knows really known?
    pub fn is_exact(&self) -> bool {
        match self {
            StoreAccount::Exact | StoreAccount::Cache(_) | StoreAccount::Disk(_) => true,
            StoreAccount::Direct(account) => account.misfits == 0,
            StoreAccount::Bitstate(_) | StoreAccount::HashCompact(_) => false,
        }
    }
}

impl CacheAccount {
    /// States that were created once more, for each one that there is.
    pub fn double_work(&self) -> f64 {
        (self.created as f64 / self.distinct.max(1) as f64 - 1.0).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_work_is_what_was_created_once_more() {
        let double_work = |created, distinct| {
            let account = CacheAccount {
                capacity: 10,
                replacement: Replacement::RoundRobin,
                gave_way_at: None,
                replaced: 0,
                created,
                distinct,
                is_estimate: false,
                held_max: 10,
            };
            account.double_work()
        };
        assert_eq!(double_work(300, 200), 0.5);
        assert_eq!(double_work(900, 200), 3.5);
        assert_eq!(double_work(200, 200), 0.0);
        assert_eq!(double_work(199, 200), 0.0, "distinct may be an estimate");
        assert_eq!(double_work(0, 0), 0.0);
    }
}
