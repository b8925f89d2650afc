//! Who waits where, and why, for scripts: a part of an error where nothing can move.

use panoptes_trace::{Standing, Trace, Wait};
use serde::Serialize;

/// A process that is not where it may end, at the end of a trace where nothing can move.
#[derive(Serialize)]
pub(crate) struct WaitingObject<'a> {
    process: &'a str,
    pid: u8,
    location: &'a str,
    /// It may not move at all: a provided clause, or a priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<&'a str>,
    statements: &'a [Wait],
}

impl<'a> WaitingObject<'a> {
    pub fn all(trace: Option<&'a Trace>) -> Vec<WaitingObject<'a>> {
        let end = trace.and_then(|trace| trace.end.as_ref());
        let processes = end.map_or(&[][..], |end| &end.processes).iter();
        let waits = |process: &&Standing| !process.may_end && !process.waits.is_empty();
        let one = |process: &'a Standing| WaitingObject {
            process: &process.process,
            pid: process.pid,
            location: &process.location,
            held: process.held.as_deref(),
            statements: &process.waits,
        };
        processes.filter(waits).map(one).collect()
    }
}

/// What may help.
pub(crate) fn hint(trace: Option<&Trace>) -> Option<&str> {
    trace?.end.as_ref()?.hint.as_deref()
}
