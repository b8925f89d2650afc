//! How visited states are remembered, and what each way of it can be told.

use crate::names::Named;
use crate::{NameError, listed};
use panoptes_store::{BitLayout, Replacement, StoreSettings};
use std::fmt;
use std::str::FromStr;

/// The visited set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreSpec {
    /// Whichever of the next two is faster for the model at hand, as far as a first look at its states can tell.
    #[default]
    Auto,
    /// Every vector whole.
    Exact,
    /// Vectors as trees with shared parts: less memory, some more time.
    Compressed,
    /// A fingerprint of 64 bits for each state.
    HashCompact,
    /// A few bits for each state.
    Bitstate(BitArray),
    /// Every vector whole, but not of every state at once. Depth first only.
    Cache(CacheSize),
    /// Every vector whole, in files in this directory. Breadth first only.
    Disk(&'static str),
}

/// The array of a bit-state search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitArray {
    /// Its length. None takes most of the memory that is allowed, or [`panoptes_store::BitStore::BITS_DEFAULT`].
    pub bits: Option<u64>,
    /// None gives each state a bit of its own where the array has enough of them, so that nothing is omitted, and hashes as
    /// usual where it has not.
    pub hashing: Option<Hashing>,
}

/// How bits are chosen for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashing {
    /// Bits that stand for a state.
    pub hashes: u32,
    pub layout: BitLayout,
    /// How often the search is made, each time with other bits.
    pub passes: u32,
}

impl Hashing {
    pub const DEFAULT: Hashing = Hashing { hashes: 3, layout: BitLayout::Plain, passes: 1 };
}

impl Default for Hashing {
    fn default() -> Hashing {
        Hashing::DEFAULT
    }
}

/// What a state-space cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSize {
    /// States beside those of the current path; at least one.
    pub states: usize,
    /// Which state a full cache forgets; none leaves it to the store.
    pub replacement: Option<Replacement>,
}

impl CacheSize {
    pub const DEFAULT: CacheSize = CacheSize { states: 1_000_000, replacement: None };
}

impl Default for CacheSize {
    fn default() -> CacheSize {
        CacheSize::DEFAULT
    }
}

impl Named for StoreSpec {
    const WHAT: &'static str = "store";
    const ALL: &'static [StoreSpec] = &[
        StoreSpec::Auto,
        StoreSpec::Exact,
        StoreSpec::Compressed,
        StoreSpec::HashCompact,
        StoreSpec::Bitstate(BitArray { bits: None, hashing: None }),
        StoreSpec::Cache(CacheSize::DEFAULT),
        StoreSpec::Disk(""),
    ];

    fn name(&self) -> &'static str {
        match self {
            StoreSpec::Auto => "auto",
            StoreSpec::Exact => "exact",
            StoreSpec::Compressed => "compressed",
            StoreSpec::HashCompact => "hash-compact",
            StoreSpec::Bitstate(_) => "bitstate",
            StoreSpec::Cache(_) => "cache",
            StoreSpec::Disk(_) => "disk",
        }
    }

    fn spelling(&self) -> &'static str {
        match self {
            StoreSpec::Cache(_) => "cache:N",
            StoreSpec::Disk(_) => "disk:DIR",
            _ => self.name(),
        }
    }
}

impl StoreSpec {
    /// With files in that directory. Its name is kept for as long as the program runs, so that settings can be copied.
    pub fn on_disk(dir: &str) -> StoreSpec {
        StoreSpec::Disk(Box::leak(dir.into()))
    }

    /// What it keeps, for a list in which each follows the name of its store.
    pub fn help(&self) -> &'static str {
        match self {
            StoreSpec::Auto => "is exact or compressed, whichever is faster",
            StoreSpec::Exact => "keeps every state whole",
            StoreSpec::Compressed => "too (often under 10 bytes a state)",
            StoreSpec::HashCompact => "64 bits of each (and may confuse two)",
            StoreSpec::Bitstate(_) => "a few bits (and confuses some)",
            StoreSpec::Cache(_) => "keeps N states at a time and searches the others again",
            StoreSpec::Disk(_) => "keeps every state in files in DIR",
        }
    }

    /// Are states only recognised, and cannot be read back?
    pub fn forgets_vectors(&self) -> bool {
        matches!(self, StoreSpec::HashCompact | StoreSpec::Bitstate(_))
    }

    /// How often a search with this store is made.
    pub(crate) fn passes(&self) -> u32 {
        match self {
            StoreSpec::Bitstate(BitArray { hashing: Some(hashing), .. }) => hashing.passes,
            _ => 1,
        }
    }

    /// The same for the store itself.
    pub(crate) fn settings(&self, seed: u64) -> StoreSettings {
        let (array, cache) = match *self {
            StoreSpec::Bitstate(array) => (array, CacheSize::DEFAULT),
            StoreSpec::Cache(cache) => (BitArray::default(), cache),
            _ => (BitArray::default(), CacheSize::DEFAULT),
        };
        let Hashing { hashes, layout, .. } = array.hashing.unwrap_or_default();
        StoreSettings {
            bits: array.bits,
            hashes,
            bit_layout: layout,
            seed,
            cache_states: cache.states,
            replacement: cache.replacement,
            digits: None,
            varying: None,
        }
    }

    /// The options by which `panoptes check` uses this store.
    pub fn arguments(&self) -> Vec<String> {
        let mut words = vec!["--store".to_string(), self.to_string()];
        let mut add = |option: &str, value: String| words.extend([option.to_string(), value]);
        if let StoreSpec::Bitstate(array) = self {
            if let Some(bits) = array.bits {
                add("--bits", bits.to_string());
            }
            if let Some(Hashing { hashes, layout, passes }) = array.hashing {
                add("--hashes", hashes.to_string());
                if layout != Hashing::DEFAULT.layout {
                    add("--bit-layout", layout.name().to_string());
                }
                if passes != Hashing::DEFAULT.passes {
                    add("--passes", passes.to_string());
                }
            }
        }
        if let StoreSpec::Cache(CacheSize { replacement: Some(rule), .. }) = self {
            add("--replace", rule.name().to_string());
        }
        words
    }
}

/// As the command line spells it: `exact`, `cache:560000`.
impl fmt::Display for StoreSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreSpec::Cache(cache) => write!(f, "{}:{}", self.name(), cache.states),
            StoreSpec::Disk(dir) => write!(f, "{}:{dir}", self.name()),
            _ => f.pad(self.name()),
        }
    }
}

impl FromStr for StoreSpec {
    type Err = NameError;

    fn from_str(given: &str) -> Result<StoreSpec, NameError> {
        let (name, parameter) = match given.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (given, None),
        };
        let known = StoreSpec::ALL.iter().find(|store| store.name() == name).copied();
        match (known, parameter) {
            (None, _) => {
                Err(NameError(format!("there is no store `{given}`; there is {}", listed::<StoreSpec>())))
            }
            (Some(StoreSpec::Cache(usual)), parameter) => {
                let is_number =
                    |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let states = parameter.filter(is_number).and_then(|text| text.parse().ok());
                match states.filter(|states| *states > 0) {
                    Some(states) => Ok(StoreSpec::Cache(CacheSize { states, ..usual })),
                    None => Err(NameError(format!(
                        "`--store {given}` does not say how many states the cache holds, one or more: \
                         `--store cache:1000000`"
                    ))),
                }
            }
            (Some(StoreSpec::Disk(_)), parameter) => match parameter.filter(|dir| !dir.is_empty()) {
                Some(dir) => Ok(StoreSpec::on_disk(dir)),
                None => Err(NameError(format!(
                    "`--store {given}` does not say in which directory its files are to be: `--store disk:DIR`"
                ))),
            },
            (Some(_), Some(_)) => {
                Err(NameError(format!("the store `{name}` takes no number: `--store {name}`")))
            }
            (Some(store), None) => Ok(store),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_read_as_it_is_written() {
        for text in ["auto", "exact", "compressed", "hash-compact", "bitstate", "cache:560000", "disk:a:b"] {
            assert_eq!(text.parse::<StoreSpec>().map(|store| store.to_string()).as_deref(), Ok(text));
        }
        for (text, says) in [
            ("attic", "there is auto, exact, compressed, hash-compact, bitstate, cache:N, disk:DIR"),
            ("cache", "does not say how many states"),
            ("cache:0", "one or more"),
            ("cache:+5", "one or more"),
            ("exact:5", "takes no number"),
            ("disk", "in which directory"),
            ("disk:", "in which directory"),
        ] {
            assert!(text.parse::<StoreSpec>().is_err_and(|error| error.to_string().contains(says)), "{text}");
        }
    }

    #[test]
    fn what_is_not_usual_is_among_the_arguments() {
        let hashing = Some(Hashing { layout: BitLayout::Blocked, ..Hashing::DEFAULT });
        let store = StoreSpec::Bitstate(BitArray { bits: Some(64), hashing });
        let words = "--store bitstate --bits 64 --hashes 3 --bit-layout blocked";
        assert_eq!(store.arguments().join(" "), words);
        let cache = CacheSize { states: 5, replacement: Some(Replacement::OldestFirst) };
        assert_eq!(StoreSpec::Cache(cache).arguments().join(" "), "--store cache:5 --replace oldest-first");
    }

    #[test]
    fn usual_settings_are_those_of_the_stores() {
        assert_eq!(StoreSpec::default().settings(0), StoreSettings::default());
    }
}
