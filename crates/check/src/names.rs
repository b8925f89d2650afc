//! Choices that name themselves: each name stands once, beside its type, and the command line, JSON, summaries and the
//! command lines of swarm jobs all take it from there.

use crate::Language;
use panoptes_argos::{EndStates, Timeouts};
use panoptes_source::did_you_mean;
use panoptes_store::{BitLayout, Replacement};
use std::fmt;

/// A type whose values are chosen by name.
pub trait Named: Clone + 'static {
    /// What a message calls such a choice: `strategy`.
    const WHAT: &'static str;
    /// Every choice, in the order in which they are listed; those that take parameters with the usual ones.
    const ALL: &'static [Self];
    /// Names that are reserved for what this version does not have.
    const LATER: &'static [&'static str] = &[];

    fn name(&self) -> &'static str;

    /// How the choice is written in a list; differs from its name if it needs a parameter.
    fn spelling(&self) -> &'static str {
        self.name()
    }
}

/// The choice with that name.
pub fn named<T: Named>(given: &str) -> Result<T, NameError> {
    let found = T::ALL.iter().find(|choice| choice.name() == given);
    found.cloned().ok_or_else(|| NameError::unknown::<T>(given))
}

/// `auto, dfs, bfs`.
pub fn listed<T: Named>() -> String {
    T::ALL.iter().map(T::spelling).collect::<Vec<_>>().join(", ")
}

/// A text that names no choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError(pub(crate) String);

impl NameError {
    /// There is no such name, or not yet. What stands behind a colon is a parameter: `weighted:2`.
    pub(crate) fn unknown<T: Named>(given: &str) -> NameError {
        let name = given.split(':').next().unwrap_or(given);
        let what = T::WHAT;
        if T::LATER.contains(&name) {
            return NameError(format!("the {what} `{given}` is not available in this version"));
        }
        let names = T::ALL.iter().map(T::name);
        let hint = did_you_mean(name, names).unwrap_or_else(|| format!("there is {}", listed::<T>()));
        NameError(format!("there is no {what} `{given}`; {hint}"))
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NameError {}

/// Writes and reads a type by its names.
macro_rules! read_by_name {
    ($($type:ty),*) => {$(
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::Named::name(self))
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::NameError;

            fn from_str(given: &str) -> Result<$type, $crate::NameError> {
                $crate::named(given)
            }
        }
    )*};
}
pub(crate) use read_by_name;

impl Named for Language {
    const WHAT: &'static str = "language";
    const ALL: &'static [Language] = &[Language::Promela, Language::Argos];

    fn name(&self) -> &'static str {
        match self {
            Language::Promela => "promela",
            Language::Argos => "argos",
        }
    }
}

impl Named for Timeouts {
    const WHAT: &'static str = "time for timeouts";
    const ALL: &'static [Timeouts] = &[Timeouts::Free, Timeouts::LockOnly];

    fn name(&self) -> &'static str {
        match self {
            Timeouts::Free => "free",
            Timeouts::LockOnly => "lock-only",
        }
    }
}

impl Named for EndStates {
    const WHAT: &'static str = "kind of end states";
    const ALL: &'static [EndStates] = &[EndStates::Rest, EndStates::Strict];

    fn name(&self) -> &'static str {
        match self {
            EndStates::Rest => "rest",
            EndStates::Strict => "strict",
        }
    }
}

impl Named for BitLayout {
    const WHAT: &'static str = "layout";
    const ALL: &'static [BitLayout] = &[BitLayout::Plain, BitLayout::Blocked];

    fn name(&self) -> &'static str {
        match self {
            BitLayout::Plain => "plain",
            BitLayout::Blocked => "blocked",
        }
    }
}

impl Named for Replacement {
    const WHAT: &'static str = "rule";
    const ALL: &'static [Replacement] = &Replacement::ALL;

    fn name(&self) -> &'static str {
        Replacement::name(*self)
    }
}

read_by_name!(Language);
