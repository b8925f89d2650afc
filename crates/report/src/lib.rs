//! Verdicts, statistics and traces for people and scripts.
//!
//! A [`Report`] sums up one check; it is written as text ([`Report::to_text`]) or JSON ([`Report::to_json`]). A trace is
//! written as a table with a column for each process ([`trace_text`]) or each queue ([`queues_text`]), or as a sequence
//! diagram ([`write_mermaid`]).
#![forbid(unsafe_code)]

mod account;
mod diagnostics;
mod estimate;
mod excerpt;
mod json;
mod meaning;
mod properties;
mod recurrence;
mod report;
mod scope;
mod summary;
mod unreached;
mod unsearched;
mod waiting;

mod mermaid;
mod queues;
mod state;
mod step;
mod trace_table;

mod grid;
pub mod human;
mod style;
mod wrap;

pub use diagnostics::{DiagnosticReport, broken_json};
pub use estimate::{estimate_json, estimate_text};
pub use excerpt::Excerpt;
pub use meaning::MeaningReport;
pub use mermaid::write_mermaid;
pub use properties::PropertyReport;
pub use queues::{QueueTable, queues_text};
pub use report::{Along, Coverage, ErrorReport, Report, Seconds, WhyIncomplete};
pub use scope::{ControlCoverage, scope_text};
pub use state::{snapshot_text, values_text};
pub use step::{failure_text, paint_of, place, step_lines};
pub use style::{Paint, Style};
pub use trace_table::{StepSource, trace_text, write_explanation, write_trace};
pub use unreached::{Unreached, unreached};
pub use unsearched::Before;
