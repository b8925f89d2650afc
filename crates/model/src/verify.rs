//! Is a model well formed? Each rule has a name and a sentence; front ends promise that no model of theirs breaks one,
//! and executors rely on it.
//!
//! Indices come first: while one of them leads nowhere, the other rules are not asked.

mod automata;
mod code;
mod ids;
mod layout;
mod places;
mod sites;
#[cfg(test)]
mod tests;
mod waiting;

use crate::Model;
use std::fmt::{self, Display, Formatter};

/// Every rule: its name and what it says.
pub const RULES: &[(&str, &str)] = &[
    ("id-range", "Every id of a process, state, transition, block or enumeration leads to one."),
    ("initial-state", "Every process has an initial state among its states."),
    ("block-node", "A block's entry and its steps' next nodes are among its nodes."),
    ("block-nesting", "No block runs itself, directly or through others."),
    ("numbers-fit", "Process types, initial processes and global channels fit their one-byte numbers."),
    (
        "header",
        "Process count, last process and monitor follow the hidden part in this order, and frames come after.",
    ),
    (
        "frame-bytes",
        "A frame has room for its fixed bytes, which are the same for all process types and hold what they must.",
    ),
    ("scalar-bits", "A type has 1 to 32 bits."),
    (
        "variable-bounds",
        "A variable has at least one value and lies inside its region, behind the fixed bytes.",
    ),
    ("params", "Parameters are the first variables of their process."),
    ("channel-bounds", "A channel lies inside its region, and says for each field how it is shown."),
    ("channel-overlap", "A channel's bytes are its own: no variable and no other channel stands there."),
    ("place-bounds", "All that a place can reach lies inside its region, behind the fixed bytes."),
    ("place-index", "A subscript has at least one value, and its values do not reach into each other."),
    ("local-place", "Where no process executes (global initial values, formulas) nothing local is named."),
    ("remote-place", "A remote place is local to a process of kind process."),
    ("state-number", "Control states of one process have different numbers."),
    ("transition-listed", "A transition is listed once, in the state it comes from, and nowhere else."),
    (
        "exit-last",
        "Exit is the last action of exactly the transitions that lead nowhere, and stands nowhere else.",
    ),
    (
        "escape-order",
        "In a state, escapes come before ordinary steps, and those of one escape stand together.",
    ),
    ("otherwise-blocks", "A step that is taken otherwise neither sends nor receives."),
    ("predicate-first", "A send, receive, block or exit is the first action of its transition."),
    (
        "init-actions",
        "Initial values are assignments; global ones may also be messages for global channels with slots.",
    ),
    ("initial-processes", "The initial processes are of kind process."),
    ("spawn-args", "A spawn starts a process of kind process, with one argument a parameter."),
    ("spawn-place", "A spawn is an action, or stands in the value of an assignment."),
    ("at-state", "A control state that an expression asks for by number exists."),
    ("last-pid", "The vector keeps the last process if the model asks for it."),
    ("block-rendezvous", "Inside a block there is no send or receive on a global channel without slots."),
    (
        "monitor",
        "The monitor is of kind monitor, has no variables, follows global channels, and has its bytes.",
    ),
    (
        "observe",
        "Every transition of a monitor observes, does nothing else, and binds nothing; nothing else observes.",
    ),
    (
        "requirement",
        "A requirement's automaton is of kind monitor, and an assertion that is part of a requirement names one.",
    ),
    ("receiver", "A channel's receiver is of kind process; the channel is global and has slots."),
    (
        "waiting",
        "Waiting states are of initial processes, one of each type; all processes are initial ones, and none exits. \
         Their channels have that receiver, their conditions and all timeouts are transitions without a send or receive.",
    ),
    ("claim-kind", "Claims are of kind claim."),
    ("claim-actions", "A claim only looks on: it does not send, receive, spawn or set priorities."),
];

/// A rule that a model breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of a rule in [`RULES`].
    pub rule: &'static str,
    pub message: String,
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.message)
    }
}

/// Every breach of [`RULES`] in `model`.
pub fn verify(model: &Model) -> Vec<Violation> {
    let mut report = Report::default();
    ids::check(model, &mut report);
    if !report.violations.is_empty() {
        return report.violations;
    }
    layout::check(model, &mut report);
    automata::check(model, &mut report);
    waiting::check(model, &mut report);
    let sites = sites::sites(model);
    places::check(model, &sites, &mut report);
    code::check(model, &sites, &mut report);
    report.violations
}

/// Collects violations.
#[derive(Default)]
struct Report {
    violations: Vec<Violation>,
}

impl Report {
    fn add(&mut self, rule: &'static str, message: String) {
        debug_assert!(RULES.iter().any(|(id, _)| *id == rule), "{rule} is not in the list of rules");
        self.violations.push(Violation { rule, message });
    }

    /// Adds a violation unless `holds`.
    fn require(&mut self, holds: bool, rule: &'static str, message: impl FnOnce() -> String) {
        if !holds {
            self.add(rule, message());
        }
    }
}
