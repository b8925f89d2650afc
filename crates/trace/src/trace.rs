//! A trace, with names and places for people, and enough numbers to walk it again.

use crate::{Change, Snapshot};
use panoptes_exec::Step;
use panoptes_model::TransId;
use serde::{Deserialize, Serialize};

/// A path from the initial state, walked and described.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    #[serde(flatten)]
    pub origin: Origin,
    /// Which of several errors of a check it shows, from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// What the path shows; none for a mere simulation.
    pub error: Option<TraceError>,
    /// How many steps: for scripts that look no further.
    pub length: usize,
    /// None if the initial state could not be computed.
    pub initial: Option<Snapshot>,
    pub steps: Vec<TraceStep>,
    /// How things stand after the last step.
    pub end: Option<Snapshot>,
}

/// Which model, and how it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub model: String,
    pub language: String,
    /// `NAME` or `NAME=VALUE`, as given on the command line.
    #[serde(default)]
    pub defines: Vec<String>,
    /// A full channel lost messages instead of blocking.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// A timeout happened only when nothing else could.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_lock_only: bool,
    /// Only the end of a process counted as its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_strict: bool,
    /// The assertion along which was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<String>,
    /// What was to hold in every state, besides what the model says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<String>,
    /// What was to become true in some state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<String>,
    /// Temporal formulas, besides those of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formulas: Vec<String>,
    /// Specification patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// Automata in HOA format: the name of the file, and the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub automata: Vec<(String, String)>,
    /// Statements were merged, as SPIN's verifier merges them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_merged: bool,
    /// Of the source text: see [`crate::fingerprint`].
    pub fingerprint: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceError {
    /// `deadlock`, or the name of a [`panoptes_exec::FaultKind`].
    pub kind: String,
    pub message: String,
    /// `file:line:column`; none for a deadlock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Of a lasso: how many steps lead to its cycle, which the others go round for ever. If all do, the system has come to
    /// its end and stays there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_start: Option<usize>,
    /// The property that is violated, if it is a temporal one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// From one.
    pub number: usize,
    pub pid: u8,
    pub process: String,
    /// The rule's number in the model.
    pub transition: u32,
    /// The statement as the source has it.
    pub text: String,
    /// `file:line:column`.
    pub location: String,
    /// Who took the other part in a rendezvous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<Partner>,
    /// Inside an indivisible sequence, its first and last step included.
    pub atomic: bool,
    pub events: Vec<StepEvent>,
    pub changes: Vec<Change>,
    /// A fault of this step, whether or not it is what the trace is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<TraceError>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partner {
    pub pid: u8,
    pub process: String,
    pub transition: u32,
    pub text: String,
    pub location: String,
}

/// Something that happened in a step; values as the source writes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StepEvent {
    Send { pid: u8, channel: String, values: Vec<String>, lost: bool },
    Receive { pid: u8, channel: String, values: Vec<String>, peek: bool },
    Print { pid: u8, text: String },
    Start { pid: u8, process: String },
    End { pid: u8 },
}

impl Trace {
    /// The bare path.
    pub fn path(&self) -> Vec<Step> {
        self.steps.iter().map(TraceStep::step).collect()
    }
}

impl TraceStep {
    pub fn step(&self) -> Step {
        let partner = self.partner.as_ref().map(|partner| (partner.pid, TransId(partner.transition)));
        Step { pid: self.pid, transition: TransId(self.transition), partner }
    }
}
