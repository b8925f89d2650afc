//! Why a search ends before everything is seen.

use crate::Limit;
use panoptes_store::OutOfMemory;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The first error, and no more are asked for.
    Error,
    Limit(Limit),
    /// It is to be written down, and goes on then.
    Pause,
    /// The depth bound cut a path where the search assumed that it would not.
    Cut,
    /// The search is large enough for others to join, who begin anew.
    Shared,
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Stop {
        Stop::Limit(Limit::Memory)
    }
}
