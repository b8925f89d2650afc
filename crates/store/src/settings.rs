//! How a store is made that can be made in more than one way.

use crate::{Digits, Varying};

/// What a user may choose. Each store takes what concerns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// Bits of the bit-state array; none takes most of the budget, or [`crate::BitStore::BITS_DEFAULT`].
    pub bits: Option<u64>,
    /// Bits that stand for one state, from 1 to [`crate::BitStore::HASHES_MAX`].
    pub hashes: u32,
    pub bit_layout: BitLayout,
    /// Different seeds choose unrelated bits for the same state.
    pub seed: u64,
    /// States that a cache keeps beside those of the current path; at least one.
    pub cache_states: usize,
    /// None begins with [`Replacement::RoundRobin`] and goes over to [`Replacement::LargestClass`] if too much is done twice.
    pub replacement: Option<Replacement>,
    /// The bytes of keys, for a [`crate::DirectStore`].
    pub digits: Option<Digits>,
    /// Which bits of keys vary, for a [`crate::TreeStore`].
    pub varying: Option<Varying>,
}

/// Where in the array the bits of one state are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BitLayout {
    /// Anywhere: each in a cache line of its own.
    #[default]
    Plain,
    /// All in one cache line.
    Blocked,
}

/// Which state a full cache forgets. Those of the current path are never forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// One that was met most often so far.
    MostVisited,
    /// One that was met least often so far.
    LeastVisited,
    /// One of those that were met the same number of times as most others were.
    LargestClass,
    /// Whichever is next in a circle that new ones join anywhere.
    RoundRobin,
    /// The one that the path left first.
    OldestFirst,
    /// One that was last met far from the initial state.
    SmallestSubtree,
}

impl Default for StoreSettings {
    fn default() -> StoreSettings {
        StoreSettings {
            bits: None,
            hashes: 3,
            bit_layout: BitLayout::default(),
            seed: 0,
            cache_states: 1_000_000,
            replacement: None,
            digits: None,
            varying: None,
        }
    }
}

impl Replacement {
    pub const ALL: [Replacement; 6] = [
        Replacement::MostVisited,
        Replacement::LeastVisited,
        Replacement::LargestClass,
        Replacement::RoundRobin,
        Replacement::OldestFirst,
        Replacement::SmallestSubtree,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Replacement::MostVisited => "most-visited",
            Replacement::LeastVisited => "least-visited",
            Replacement::LargestClass => "largest-class",
            Replacement::RoundRobin => "round-robin",
            Replacement::OldestFirst => "oldest-first",
            Replacement::SmallestSubtree => "smallest-subtree",
        }
    }
}
