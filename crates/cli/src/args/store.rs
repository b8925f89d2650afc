//! How visited states are remembered: the options, and which of them go together.

use super::{help, values};
use crate::failure::usage;
use clap::Args;
use panoptes_check::{BitArray, BitLayout, CacheSize, Hashing, Replacement, StoreSpec};

#[derive(Debug, Args)]
pub struct StoreArgs {
    #[arg(
        long,
        value_name = "STORE",
        default_value_t,
        help = help::stores(),
        long_help = help::stores_long(),
        help_heading = "Store"
    )]
    pub store: StoreSpec,

    /// The length of the bit-state array: 1G is 2^30 bits, 128 MiB [default: most of --memory, or 1G]
    #[arg(long, value_name = "SIZE", value_parser = values::bits, allow_negative_numbers = true, help_heading = "Store")]
    pub bits: Option<u64>,

    /// How many bits of the array stand for a state [default: 3, or one at a place of its own if the array has a place for
    /// every state that there could be]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=16), allow_negative_numbers = true, help_heading = "Store")]
    pub hashes: Option<u32>,

    /// Where the bits of a state are: plain (anywhere), blocked (in one cache line) [default: plain]
    #[arg(long, value_name = "LAYOUT", value_parser = values::choice::<BitLayout>(), help_heading = "Store")]
    pub bit_layout: Option<BitLayout>,

    /// Repeat a bit-state search P times, each time with other bits [default: 1]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=1000), allow_negative_numbers = true, help_heading = "Store")]
    pub passes: Option<u32>,

    /// Which state a full cache forgets [default: round-robin, then largest-class if it makes too much work twice]
    #[arg(long, value_name = "RULE", value_parser = values::choice::<Replacement>(), help_heading = "Store")]
    pub replace: Option<Replacement>,

    /// Store only states in which a process is at the head of a loop or at a label (depth first)
    #[arg(long, help_heading = "Store")]
    pub loop_states: bool,
}

impl StoreArgs {
    /// The store with what the other options say of it; fails for those that it does not know.
    pub fn spec(&self) -> anyhow::Result<StoreSpec> {
        let mut store = self.store;
        if let StoreSpec::Bitstate(array) = &mut store {
            *array = BitArray { bits: self.bits, hashing: self.hashing() };
        } else if let Some(option) = self.option_of_arrays() {
            return Err(usage(format!("`{option}` goes with `--store bitstate` only")));
        }
        match &mut store {
            StoreSpec::Cache(cache) => *cache = CacheSize { replacement: self.replace, ..*cache },
            _ if self.replace.is_some() => {
                return Err(usage("`--replace` goes with a cache only: add `--store cache:N`"));
            }
            _ => {}
        }
        Ok(store)
    }

    /// None if no option makes sense only where the places of bits come from hashes.
    fn hashing(&self) -> Option<Hashing> {
        let usual = Hashing::DEFAULT;
        let is_asked = self.hashes.is_some() || self.bit_layout.is_some() || self.passes.is_some();
        is_asked.then(|| Hashing {
            hashes: self.hashes.unwrap_or(usual.hashes),
            layout: self.bit_layout.unwrap_or(usual.layout),
            passes: self.passes.unwrap_or(usual.passes),
        })
    }

    fn option_of_arrays(&self) -> Option<&'static str> {
        let given = [
            ("--bits", self.bits.is_some()),
            ("--hashes", self.hashes.is_some()),
            ("--bit-layout", self.bit_layout.is_some()),
            ("--passes", self.passes.is_some()),
        ];
        given.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option)
    }
}
