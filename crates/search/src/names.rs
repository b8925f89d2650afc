//! What limits and errors are called in JSON, summaries and traces.

use crate::{ErrorKind, Limit};
use panoptes_exec::FaultKind;

impl Limit {
    pub fn name(self) -> &'static str {
        match self {
            Limit::Depth => "depth",
            Limit::Memory => "memory",
            Limit::Time => "time",
            Limit::States => "states",
            Limit::Branching => "branching",
            Limit::Queues => "queue-limit",
            Limit::Timeouts => "timeouts",
            Limit::Folding => "fold",
            Limit::Bitstate => "bitstate",
            Limit::HashCompact => "hash-compact",
            Limit::DStep => "d-step",
            Limit::Stopped => "interrupted",
        }
    }
}

impl ErrorKind {
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Deadlock => "deadlock",
            ErrorKind::Fault(FaultKind::Assertion) => "assertion",
            ErrorKind::Fault(FaultKind::Monitor) => "trace",
            ErrorKind::Fault(FaultKind::Requirement | FaultKind::Unfulfilled) => "argos-assertion",
            ErrorKind::Fault(FaultKind::Goal) => "goal",
            ErrorKind::Fault(FaultKind::Invariant) => "invariant",
            ErrorKind::Fault(FaultKind::UnspecifiedReception) => "unspecified-reception",
            ErrorKind::Fault(_) => "runtime",
        }
    }

    /// Is it no error, but what was looked for?
    pub fn is_goal(self) -> bool {
        self == ErrorKind::Fault(FaultKind::Goal)
    }
}
