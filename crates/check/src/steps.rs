//! What one step of a trace is.

use crate::names::{Named, read_by_name};

/// What counts as one step: for lengths, bounds on depth, and the cost of a directed search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// A statement.
    #[default]
    Statements,
    /// What statement merging of SPIN's verifier makes one step; for Promela only.
    Merged,
}

impl Named for Steps {
    const WHAT: &'static str = "kind of steps";
    const ALL: &'static [Steps] = &[Steps::Statements, Steps::Merged];

    fn name(&self) -> &'static str {
        match self {
            Steps::Statements => "statements",
            Steps::Merged => "merged",
        }
    }
}

read_by_name!(Steps);
