//! How large an automaton may become while it is built. The limits count work and not time, so that the same formula
//! always has the same automaton.

use crate::bdd::Bdds;

/// Operations on decision diagrams before an automaton is there: a few seconds.
const STEPS_MAX: usize = 30_000_000;

/// The limits of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// States of the automaton before it is reduced.
    pub states: usize,
    /// Its edges.
    pub edges: usize,
    /// Nodes of the decision diagrams that hold labels.
    pub nodes: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { states: 5_000, edges: 100_000, nodes: 2_000_000 }
    }
}

/// A formula whose automaton has more of something than the budget allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// More of what, in the plural.
    pub what: &'static str,
    pub limit: usize,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "its automaton becomes too large: more than {} {}", self.limit, self.what)
    }
}

impl std::error::Error for TooLarge {}

impl Budget {
    pub(crate) fn check(what: &'static str, count: usize, limit: usize) -> Result<(), TooLarge> {
        if count > limit { Err(TooLarge { what, limit }) } else { Ok(()) }
    }

    pub(crate) fn check_bdds(&self, bdds: &Bdds) -> Result<(), TooLarge> {
        Budget::check("steps", bdds.work() as usize, STEPS_MAX)?;
        match bdds.is_exhausted() {
            true => Err(TooLarge { what: "nodes of decision diagrams", limit: self.nodes }),
            false => Ok(()),
        }
    }
}
