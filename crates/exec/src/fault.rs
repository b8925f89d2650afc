//! What can go wrong inside a step.

use panoptes_source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// A false assertion. The step is still taken.
    Assertion,
    /// An event that the monitor forbids. The step is still taken.
    Monitor,
    /// An event that a requirement forbids. The step is still taken.
    Requirement,
    /// The step leaves the executions that are looked at; it is cut short. Never an error.
    OffPath,
    /// What is looked for has happened: no error, but what a search shows. The step is still taken.
    Goal,
    /// A message is left for a process that does not take it where it stands: nothing can move, or this process never
    /// will again. Of a state, not of a step.
    UnspecifiedReception,
    /// The system has ended, and a requirement has not. Of an end, not of a step.
    Unfulfilled,
    /// A condition that is looked for has become true: no error, but what a search shows. Of a state, as the next.
    Reached,
    /// An invariant does not hold. Of a state, not of a step: see [`crate::Executor::broken_invariants`].
    Invariant,
    /// A claim has reached its end, or a temporal property cannot hold any more. Of a state, not of a step.
    ClaimViolated,
    /// An execution goes for ever round a cycle that a claim or `accept` labels forbid. Of a cycle, not of a step.
    AcceptanceCycle,
    /// The same for a cycle without a `progress` label.
    NonProgressCycle,
    /// A process never moves again while others go round a cycle. Of a cycle, not of a step.
    Stuck,
    DivisionByZero,
    IndexOutOfRange,
    TooManyProcesses,
    TooManyChannels,
    BadChannel,
    /// A send or receive with another number of fields than the channel's messages have.
    FieldCount,
    /// A statement inside an indivisible block could not be taken.
    BlockedInBlock,
    /// An indivisible block that does not end, or takes more statements than [`crate::Patience`] allows. Never an error: what
    /// lies behind the step is not known.
    EndlessBlock,
    /// The executor was told to stop within the step. Never an error.
    Interrupted,
    BadPriority,
    /// Two steps at once in a process that promises there are none.
    Nondeterminism,
}

impl FaultKind {
    pub const ALL: [FaultKind; 24] = [
        FaultKind::Assertion,
        FaultKind::Monitor,
        FaultKind::Requirement,
        FaultKind::OffPath,
        FaultKind::Goal,
        FaultKind::UnspecifiedReception,
        FaultKind::Unfulfilled,
        FaultKind::Reached,
        FaultKind::Invariant,
        FaultKind::ClaimViolated,
        FaultKind::AcceptanceCycle,
        FaultKind::NonProgressCycle,
        FaultKind::Stuck,
        FaultKind::DivisionByZero,
        FaultKind::IndexOutOfRange,
        FaultKind::TooManyProcesses,
        FaultKind::TooManyChannels,
        FaultKind::BadChannel,
        FaultKind::FieldCount,
        FaultKind::BlockedInBlock,
        FaultKind::EndlessBlock,
        FaultKind::Interrupted,
        FaultKind::BadPriority,
        FaultKind::Nondeterminism,
    ];

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Assertion => "assertion",
            FaultKind::Monitor => "monitor",
            FaultKind::Requirement => "requirement",
            FaultKind::OffPath => "off-path",
            FaultKind::Goal => "goal",
            FaultKind::UnspecifiedReception => "unspecified-reception",
            FaultKind::Unfulfilled => "unfulfilled",
            FaultKind::Reached => "reached",
            FaultKind::Invariant => "invariant",
            FaultKind::ClaimViolated => "claim-violated",
            FaultKind::AcceptanceCycle => "acceptance-cycle",
            FaultKind::NonProgressCycle => "non-progress-cycle",
            FaultKind::Stuck => "stuck",
            FaultKind::DivisionByZero => "division-by-zero",
            FaultKind::IndexOutOfRange => "index-out-of-range",
            FaultKind::TooManyProcesses => "too-many-processes",
            FaultKind::TooManyChannels => "too-many-channels",
            FaultKind::BadChannel => "bad-channel",
            FaultKind::FieldCount => "field-count",
            FaultKind::BlockedInBlock => "blocked-in-block",
            FaultKind::EndlessBlock => "endless-block",
            FaultKind::Interrupted => "interrupted",
            FaultKind::BadPriority => "bad-priority",
            FaultKind::Nondeterminism => "nondeterminism",
        }
    }

    /// Does a step always go on to a successor state in spite of the fault?
    pub fn continues(self) -> bool {
        use FaultKind::{Assertion, Goal, Monitor, Nondeterminism, Requirement};
        matches!(self, Assertion | Monitor | Requirement | Goal | Nondeterminism)
    }

    /// Was the step given up, so that nobody knows where it leads? Such a fault makes a search partial; it is no error.
    pub fn is_limit(self) -> bool {
        matches!(self, FaultKind::EndlessBlock | FaultKind::Interrupted)
    }

    /// Is it a fault of a state, not of a step?
    pub fn is_of_state(self) -> bool {
        matches!(self, FaultKind::UnspecifiedReception | FaultKind::Unfulfilled | FaultKind::ClaimViolated)
    }

    /// Is it no error, but what was looked for?
    pub fn is_goal(self) -> bool {
        matches!(self, FaultKind::Goal | FaultKind::Reached)
    }

    /// Is it a fault of what [`crate::Executor::broken_invariants`] looks at?
    pub fn is_of_invariant(self) -> bool {
        matches!(self, FaultKind::Reached | FaultKind::Invariant)
    }

    /// Is it a fault of a cycle, not of a step?
    pub fn is_of_cycle(self) -> bool {
        matches!(self, FaultKind::AcceptanceCycle | FaultKind::NonProgressCycle | FaultKind::Stuck)
    }

    /// Does what went wrong count as not possible, so that its process may do something else, or be stuck?
    pub fn blocks(self) -> bool {
        self == FaultKind::BadChannel
    }
}

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
    pub span: Span,
}
