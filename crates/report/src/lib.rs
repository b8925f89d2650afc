//! Verdicts, statistics and traces for people and scripts.
#![forbid(unsafe_code)]

pub mod human;
mod json;
mod report;
mod unreached;

pub use report::{Coverage, ErrorReport, Report, Seconds, UNCHECKED_PROPERTIES, error_kind};
pub use unreached::{Unreached, unreached};
