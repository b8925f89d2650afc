//! How visited states are remembered: the options, and which of them go together.

use super::values;
use crate::failure::usage;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use panoptes_check::{BitLayout, Replacement, StoreKind, StoreSettings};

#[derive(Debug, Args)]
pub struct StoreArgs {
    /// How visited states are remembered: exact, compressed, hash-compact, bitstate, cache:N
    ///
    /// exact keeps every state whole, compressed too (often under 10 bytes a state), hash-compact 64 bits of each (and may
    /// confuse two), bitstate a few bits (and confuses some), cache:N keeps N states at a time and searches the others
    /// again
    #[arg(long, value_name = "STORE", default_value = "exact", help_heading = "Store")]
    pub store: String,

    /// The length of the bit-state array: 1G is 2^30 bits, 128 MiB [default: most of --memory, or 1G]
    #[arg(long, value_name = "SIZE", value_parser = values::bits, allow_negative_numbers = true, help_heading = "Store")]
    pub bits: Option<u64>,

    /// How many bits of the array stand for a state [default: 3, or one at a place of its own if the array has a place for
    /// every state that there could be]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=16), allow_negative_numbers = true, help_heading = "Store")]
    pub hashes: Option<u32>,

    /// Where the bits of a state are: plain (anywhere), blocked (in one cache line) [default: plain]
    #[arg(long, value_name = "LAYOUT", value_enum, help_heading = "Store")]
    pub bit_layout: Option<LayoutName>,

    /// Repeat a bit-state search P times, each time with other bits [default: 1]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=1000), allow_negative_numbers = true, help_heading = "Store")]
    pub passes: Option<u32>,

    /// Which state a full cache forgets [default: round-robin, then largest-class if it makes too much work twice]
    #[arg(long, value_name = "RULE", value_parser = replacements(), help_heading = "Store")]
    pub replace: Option<Replacement>,

    /// Store only states in which a process is at the head of a loop or at a label (depth first)
    #[arg(long, help_heading = "Store")]
    pub loop_states: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    Plain,
    Blocked,
}

/// The rules by their names.
fn replacements() -> impl TypedValueParser<Value = Replacement> {
    let named = |name: String| Replacement::ALL.into_iter().find(|rule| rule.name() == name);
    PossibleValuesParser::new(Replacement::ALL.map(Replacement::name))
        .map(move |name| named(name).expect("only these names are possible"))
}

/// What else was asked for, as far as it matters to a store.
pub struct Beside {
    pub is_bfs: bool,
    pub shortest: bool,
    pub depth: bool,
    pub memory: Option<u64>,
}

impl StoreArgs {
    /// Fails where options do not go together; says what would.
    pub fn refuse_contradictions(&self, beside: &Beside) -> anyhow::Result<()> {
        let (kind, _) = self.parsed()?;
        let bit_options = [
            ("--bits", self.bits.is_some()),
            ("--hashes", self.hashes.is_some()),
            ("--bit-layout", self.bit_layout.is_some()),
            ("--passes", self.passes.is_some()),
        ];
        if kind != StoreKind::Bitstate
            && let Some((option, _)) = bit_options.iter().find(|(_, given)| *given)
        {
            return Err(usage(format!("`{option}` goes with `--store bitstate` only")));
        }
        if kind != StoreKind::Cache && self.replace.is_some() {
            return Err(usage("`--replace` goes with a cache only: add `--store cache:N`"));
        }
        let depth_first = match kind {
            StoreKind::Cache => Some(format!("`--store {}`", self.store)),
            _ => self.loop_states.then(|| "`--loop-states`".to_string()),
        };
        if let Some(what) = depth_first
            && (beside.is_bfs || beside.shortest)
        {
            let option = if beside.shortest { "--shortest" } else { "--search bfs" };
            return Err(usage(format!(
                "{what} needs the path of a depth-first search: use `--search dfs` in place of `{option}`"
            )));
        }
        if kind.forgets_vectors() && beside.shortest {
            return Err(usage(format!(
                "`--store {}` may miss states, so no error that it finds is known to be a nearest one: use \
                 `--store exact` or `--store compressed` with `--shortest`",
                self.store
            )));
        }
        if kind.forgets_vectors() && beside.is_bfs && beside.depth {
            return Err(usage(format!(
                "a breadth-first search with `--depth` reads states back, which `--store {}` cannot: use \
                 `--search dfs`, or `--store exact` or `--store compressed`",
                self.store
            )));
        }
        if let (Some(bits), Some(memory)) = (self.bits, beside.memory)
            && bits.div_ceil(8) > memory
        {
            return Err(usage(format!(
                "an array of {bits} bits does not fit into `--memory {memory}`: ask for {} bits or less, or leave \
                 `--bits` out",
                memory.saturating_mul(6)
            )));
        }
        Ok(())
    }

    /// Whether a check with this store goes depth first unless another search is asked for.
    pub fn is_depth_first(&self) -> anyhow::Result<bool> {
        let (kind, _) = self.parsed()?;
        Ok(self.loop_states || kind == StoreKind::Cache || kind.forgets_vectors())
    }

    /// Is there an option that makes sense only if places in a bit array come from hashes?
    pub fn asks_for_hashing(&self) -> bool {
        self.hashes.is_some() || self.bit_layout.is_some() || self.passes.is_some()
    }

    pub fn kind(&self) -> StoreKind {
        self.parsed().map_or(StoreKind::Exact, |(kind, _)| kind)
    }

    pub fn settings(&self, seed: u64) -> StoreSettings {
        let default = StoreSettings::default();
        let states = self.parsed().ok().and_then(|(_, states)| states);
        StoreSettings {
            bits: self.bits,
            hashes: self.hashes.unwrap_or(default.hashes),
            bit_layout: match self.bit_layout {
                Some(LayoutName::Blocked) => BitLayout::Blocked,
                Some(LayoutName::Plain) => BitLayout::Plain,
                None => default.bit_layout,
            },
            seed,
            cache_states: states.unwrap_or(default.cache_states),
            replacement: self.replace,
            digits: None,
        }
    }

    /// The store, and for a cache how many states it holds.
    fn parsed(&self) -> anyhow::Result<(StoreKind, Option<usize>)> {
        let (name, parameter) = match self.store.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (self.store.as_str(), None),
        };
        let kind = match name {
            "exact" => StoreKind::Exact,
            "compressed" => StoreKind::Compressed,
            "hash-compact" => StoreKind::HashCompact,
            "bitstate" => StoreKind::Bitstate,
            "cache" => StoreKind::Cache,
            _ => {
                return Err(usage(format!(
                    "there is no store `{}`; there is exact, compressed, hash-compact, bitstate, cache:N",
                    self.store
                )));
            }
        };
        if kind != StoreKind::Cache {
            return match parameter {
                None => Ok((kind, None)),
                Some(_) => Err(usage(format!("the store `{name}` takes no number: `--store {name}`"))),
            };
        }
        let number = parameter.and_then(|text| values::number(text).ok()).filter(|number| *number > 0);
        match number.and_then(|number| usize::try_from(number).ok()) {
            Some(number) => Ok((kind, Some(number))),
            None => Err(usage(format!(
                "`--store {}` does not say how many states the cache holds, one or more: `--store cache:1000000`",
                self.store
            ))),
        }
    }
}
