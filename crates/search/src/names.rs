//! What limits and errors are called in JSON, summaries and traces.

use crate::{FindingKind, Limit};
use panoptes_exec::FaultKind;

impl Limit {
    pub fn name(self) -> &'static str {
        match self {
            Limit::Depth => "depth",
            Limit::Memory => "memory",
            Limit::Time => "time",
            Limit::States => "states",
            Limit::Disk => "disk",
            Limit::Branching => "branching",
            Limit::Queues => "queue-limit",
            Limit::Timeouts => "timeouts",
            Limit::Folding => "fold",
            Limit::Bitstate => "bitstate",
            Limit::HashCompact => "hash-compact",
            Limit::DStep => "d-step",
            Limit::EndlessAtomic => "endless-atomic",
            Limit::Stopped => "interrupted",
            Limit::ProcessLost => "process-lost",
        }
    }
}

impl FindingKind {
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Deadlock => "deadlock",
            FindingKind::Fault(FaultKind::Assertion) => "assertion",
            FindingKind::Fault(FaultKind::Monitor) => "trace",
            FindingKind::Fault(FaultKind::Requirement | FaultKind::Unfulfilled) => "argos-assertion",
            FindingKind::Witness => "goal",
            FindingKind::Fault(FaultKind::Invariant) => "invariant",
            FindingKind::Fault(FaultKind::ClaimViolated) => "never-claim",
            FindingKind::Fault(FaultKind::AcceptanceCycle) => "acceptance-cycle",
            FindingKind::Fault(FaultKind::NonProgressCycle) => "non-progress-cycle",
            FindingKind::Fault(FaultKind::Stuck) => "stuck",
            FindingKind::Fault(FaultKind::UnspecifiedReception) => "unspecified-reception",
            FindingKind::Fault(_) => "runtime",
        }
    }

    /// Is it no error, but what was looked for?
    pub fn is_witness(self) -> bool {
        self == FindingKind::Witness
    }
}
