//! What a check does when its memory is full: it ends, or begins again with a store that takes less memory.
//!
//! The search begins anew, so nothing of the first one has to fit into memory beside the second: what was taken is given back first. The
//! second search is that of a check which was asked for with that store from the start, and its answer means what it means there.

use crate::names::Named;
use crate::run::search_states;
use crate::{CheckSettings, Contradiction, Loaded, NameError, StoreSpec, Strategy, Verdict, listed};
use panoptes_search::{Limit, Observer};
use std::fmt;
use std::str::FromStr;
use std::time::Instant;

/// What is done when memory is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFull {
    /// The check ends, with what was found so far.
    #[default]
    Stop,
    HashCompact,
    Bitstate,
    /// With files in that directory.
    Disk(&'static str),
}

impl OnFull {
    /// Where files are if nobody says where: the directory in which the check runs. (That for temporary files is often in memory.)
    pub const DIR_DEFAULT: &'static str = ".";

    /// The store that is taken then.
    pub fn store(self) -> Option<StoreSpec> {
        match self {
            OnFull::Stop => None,
            OnFull::HashCompact => Some(StoreSpec::HashCompact),
            OnFull::Bitstate => Some(StoreSpec::Bitstate(Default::default())),
            OnFull::Disk(dir) => Some(StoreSpec::Disk(dir)),
        }
    }
}

impl Named for OnFull {
    const WHAT: &'static str = "choice for a full memory";
    const ALL: &'static [OnFull] =
        &[OnFull::Stop, OnFull::HashCompact, OnFull::Bitstate, OnFull::Disk(OnFull::DIR_DEFAULT)];

    fn name(&self) -> &'static str {
        match self {
            OnFull::Stop => "stop",
            OnFull::HashCompact => "hash-compact",
            OnFull::Bitstate => "bitstate",
            OnFull::Disk(_) => "disk",
        }
    }

    fn spelling(&self) -> &'static str {
        if let OnFull::Disk(_) = self { "disk[:DIR]" } else { self.name() }
    }
}

/// As the command line spells it.
impl fmt::Display for OnFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OnFull::Disk(dir) if *dir != OnFull::DIR_DEFAULT => write!(f, "{}:{dir}", self.name()),
            _ => f.pad(self.name()),
        }
    }
}

impl FromStr for OnFull {
    type Err = NameError;

    fn from_str(given: &str) -> Result<OnFull, NameError> {
        match given.split_once(':') {
            Some(("disk", dir)) if !dir.is_empty() => Ok(OnFull::Disk(Box::leak(dir.into()))),
            _ => OnFull::ALL.iter().find(|choice| choice.name() == given).copied().ok_or_else(|| {
                NameError(format!("there is no {} `{given}`; there is {}", OnFull::WHAT, listed::<OnFull>()))
            }),
        }
    }
}

/// A search whose memory was full, and the one that came in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The store of the first.
    pub store: StoreSpec,
    /// How many states it had stored.
    pub stored: u64,
}

impl CheckSettings {
    /// The settings of the search that is made when memory is full.
    fn after_full(&self) -> Option<CheckSettings> {
        let store = self.on_full.store()?;
        Some(CheckSettings { store, on_full: OnFull::Stop, ..self.clone() })
    }

    /// Fails if the search cannot begin again with the store that is asked for.
    pub(crate) fn refuse_unfit_on_full(&self) -> Result<(), Contradiction> {
        let Some(after) = self.after_full() else { return Ok(()) };
        let (strategy, store) = self.chosen();
        let is_plain = matches!(strategy, Strategy::Bfs { .. } | Strategy::Dfs { .. } | Strategy::Cycles(_));
        let is_of_all = matches!(store, StoreSpec::Auto | StoreSpec::Exact | StoreSpec::Compressed);
        let what = if self.together {
            Some("`--cluster` and `--hosts`".to_string())
        } else if self.checkpoints {
            Some("`--checkpoint` (which writes a search down that needs more memory)".to_string())
        } else if !self.property.is_safety() {
            Some("a search for cycles".to_string())
        } else if !is_plain {
            Some(format!("`--search {strategy}`"))
        } else if !is_of_all {
            Some(format!("`--store {store}`"))
        } else {
            None
        };
        if let Some(what) = what {
            return Err(Contradiction::NotOnFull { on_full: self.on_full, what });
        }
        let refused = after.refuse_contradictions();
        refused.map_err(|why| Contradiction::AfterFull { on_full: self.on_full, why: Box::new(why) })
    }
}

/// Begins again if memory ended the search and that is asked for.
pub(crate) fn begin_again(
    loaded: &Loaded,
    settings: &CheckSettings,
    first: Verdict,
    start: Instant,
    observer: &mut dyn Observer,
) -> Verdict {
    let outcome = &first.outcome;
    let is_due = outcome.limits.contains(&Limit::Memory) && !outcome.limits.contains(&Limit::Stopped);
    let is_open = outcome.errors.is_empty() || settings.all_errors;
    let Some(after) = settings.after_full().filter(|_| is_due && is_open) else { return first };
    let limits = settings.limits.since(start);
    if limits.time.is_some_and(|left| left.is_zero()) {
        return first;
    }
    let filled = Filled { store: first.store, stored: outcome.statistics.stored };
    let mut second = search_states(loaded, &CheckSettings { limits, ..after.clone() }, observer);
    let is_full = |verdict: &Verdict| {
        verdict.limits.contains(&Limit::Memory) && !verdict.limits.contains(&Limit::Stopped)
    };
    if is_full(&second) && settings.strategy == Strategy::Auto && second.strategy != Strategy::BFS {
        // Its path was too long: by levels there is none.
        let limits = settings.limits.since(start);
        let by_levels = CheckSettings { strategy: Strategy::BFS, limits, ..after };
        let third = search_states(loaded, &by_levels, observer);
        if !is_full(&third) || third.outcome.statistics.stored > second.outcome.statistics.stored {
            second = third;
        }
    }
    if second.outcome.statistics.expanded == 0 {
        // There was no room even for that.
        return first;
    }
    // What was found is found again, unless the second search ended before it came there.
    for error in first.outcome.errors {
        if !second.outcome.errors.iter().any(|known| known.is_same(&error)) {
            *second.outcome.error_counts.entry(error.kind).or_default() += error.count;
            second.outcome.errors.push(error);
        }
    }
    Verdict { filled: Some(filled), ..second }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn choices_are_read_as_they_are_written() {
        for text in ["stop", "hash-compact", "bitstate", "disk", "disk:/var/a:b"] {
            assert_eq!(text.parse::<OnFull>().map(|choice| choice.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "exact", "disk:", "stop:3", "bitstate:4"] {
            let says = text.parse::<OnFull>().unwrap_err().to_string();
            assert!(says.ends_with("there is stop, hash-compact, bitstate, disk[:DIR]"), "{says}");
        }
    }

    #[test]
    fn what_cannot_begin_again_is_refused_before() {
        let plain = CheckSettings { on_full: OnFull::Disk("."), ..CheckSettings::default() };
        let refused = |settings: CheckSettings| settings.refuse_contradictions().unwrap_err().to_string();
        assert!(plain.refuse_contradictions().is_ok());
        for store in [StoreSpec::Exact, StoreSpec::Compressed] {
            assert!(CheckSettings { store, ..plain.clone() }.refuse_contradictions().is_ok());
        }
        let says = refused(CheckSettings { store: StoreSpec::HashCompact, ..plain.clone() });
        assert!(says.contains("`--store hash-compact`"), "{says}");
        let says = refused(CheckSettings { strategy: Strategy::DFS, ..plain.clone() });
        assert!(says.contains("--search dfs"), "{says}");
        assert!(refused(CheckSettings { checkpoints: true, ..plain.clone() }).contains("--checkpoint"));
        assert!(refused(CheckSettings { limits: Limits::of_depth(3), ..plain.clone() }).contains("--depth"));
        let shortest =
            CheckSettings { strategy: Strategy::SHORTEST, on_full: OnFull::HashCompact, ..plain.clone() };
        assert!(refused(shortest).contains("--shortest"));
        let dfs = CheckSettings { strategy: Strategy::DFS, on_full: OnFull::Bitstate, ..plain };
        assert!(dfs.refuse_contradictions().is_ok());
    }
}
