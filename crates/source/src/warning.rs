//! The warnings by name: what is legal, and hardly ever meant. Each can be turned off and on by its name.

/// One kind of warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Warning {
    AlwaysFalse,
    AlwaysTrue,
    AssignmentGuard,
    ClaimSideEffect,
    ConditionSent,
    ElseBesideMessage,
    EndlessFor,
    HashWarning,
    IndexOutOfRange,
    LabelBeforeFor,
    MacroRedefined,
    MissingFields,
    NoExecutingProcess,
    NumberTooLarge,
    PrintfArguments,
    RecordInitialiser,
    StdinChannel,
    StrayCommentEnd,
    StrayElse,
    UnreachableStatement,
    UnreachedAssertion,
    UnusedChannel,
    UnusedMessage,
    UnusedProcedure,
    UnusedProcess,
    VacuousAssertion,
    VacuousProperty,
    ValueTooLarge,
    WideBit,
}

use Warning::*;

impl Warning {
    /// All of them, in the order of their names.
    pub const ALL: &[Warning] = &[
        AlwaysFalse,
        AlwaysTrue,
        AssignmentGuard,
        ClaimSideEffect,
        ConditionSent,
        ElseBesideMessage,
        EndlessFor,
        HashWarning,
        IndexOutOfRange,
        LabelBeforeFor,
        MacroRedefined,
        MissingFields,
        NoExecutingProcess,
        NumberTooLarge,
        PrintfArguments,
        RecordInitialiser,
        StdinChannel,
        StrayCommentEnd,
        StrayElse,
        UnreachableStatement,
        UnreachedAssertion,
        UnusedChannel,
        UnusedMessage,
        UnusedProcedure,
        UnusedProcess,
        VacuousAssertion,
        VacuousProperty,
        ValueTooLarge,
        WideBit,
    ];

    /// The name as messages and options have it.
    pub fn name(self) -> &'static str {
        match self {
            AlwaysFalse => "always-false",
            AlwaysTrue => "always-true",
            AssignmentGuard => "assignment-guard",
            ClaimSideEffect => "claim-side-effect",
            ConditionSent => "condition-sent",
            ElseBesideMessage => "else-beside-message",
            EndlessFor => "endless-for",
            HashWarning => "hash-warning",
            IndexOutOfRange => "index-out-of-range",
            LabelBeforeFor => "label-before-for",
            MacroRedefined => "macro-redefined",
            MissingFields => "missing-fields",
            NoExecutingProcess => "no-executing-process",
            NumberTooLarge => "number-too-large",
            PrintfArguments => "printf-arguments",
            RecordInitialiser => "record-initialiser",
            StdinChannel => "stdin-channel",
            StrayCommentEnd => "stray-comment-end",
            StrayElse => "stray-else",
            UnreachableStatement => "unreachable-statement",
            UnreachedAssertion => "unreached-assertion",
            UnusedChannel => "unused-channel",
            UnusedMessage => "unused-message",
            UnusedProcedure => "unused-procedure",
            UnusedProcess => "unused-process",
            VacuousAssertion => "vacuous-assertion",
            VacuousProperty => "vacuous-property",
            ValueTooLarge => "value-too-large",
            WideBit => "wide-bit",
        }
    }

    pub fn named(name: &str) -> Option<Warning> {
        Warning::ALL.iter().copied().find(|warning| warning.name() == name)
    }
}

/// Which warnings are wanted: all, unless something else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Warnings(u64);

impl Default for Warnings {
    fn default() -> Warnings {
        Warnings::ALL
    }
}

impl Warnings {
    pub const ALL: Warnings = Warnings(u64::MAX);
    pub const NONE: Warnings = Warnings(0);

    pub fn with(self, warning: Warning) -> Warnings {
        Warnings(self.0 | 1 << warning as u64)
    }

    pub fn without(self, warning: Warning) -> Warnings {
        Warnings(self.0 & !(1 << warning as u64))
    }

    pub fn contains(self, warning: Warning) -> bool {
        self.0 & 1 << warning as u64 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_lead_back() {
        let names: Vec<&str> = Warning::ALL.iter().map(|warning| warning.name()).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        assert!(Warning::ALL.iter().all(|warning| Warning::named(warning.name()) == Some(*warning)));
        assert!(Warning::ALL.len() <= 64, "the set is one word");
    }

    #[test]
    fn a_set_of_warnings() {
        let without = Warnings::default().without(WideBit);
        assert!(without.contains(StdinChannel) && !without.contains(WideBit));
        let only = Warnings::NONE.with(WideBit);
        assert!(only.contains(WideBit) && !only.contains(StdinChannel));
    }
}
