//! What each of several processes did that searched together.

use crate::{View, human};
use panoptes_search::OwnerStatistics;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct OwnerObject {
    process: usize,
    stored: u64,
    matched: u64,
    transitions: u64,
    expanded: u64,
    /// States that it sent to others.
    sent: u64,
    sent_bytes: u64,
    seconds: f64,
    seconds_waited: f64,
}

impl OwnerObject {
    pub fn all(owners: &[OwnerStatistics]) -> Vec<OwnerObject> {
        let object = |(process, owner): (usize, &OwnerStatistics)| OwnerObject {
            process,
            stored: owner.statistics.stored,
            matched: owner.statistics.matched,
            transitions: owner.statistics.transitions,
            expanded: owner.statistics.expanded,
            sent: owner.sent,
            sent_bytes: owner.sent_bytes,
            seconds: owner.time.as_secs_f64(),
            seconds_waited: owner.waited.as_secs_f64(),
        };
        owners.iter().enumerate().map(object).collect()
    }
}

impl View<'_> {
    /// A row for each process.
    pub(crate) fn owner_rows(&self) -> Vec<(&'static str, String)> {
        let row = |(process, owner): (usize, &OwnerStatistics)| {
            let text = format!(
                "{process}: {} stored, {} sent ({}), {} of which {} waiting",
                human::count(owner.statistics.stored),
                human::count(owner.sent),
                human::bytes(owner.sent_bytes),
                human::seconds(owner.time.as_secs_f64()),
                human::seconds(owner.waited.as_secs_f64()),
            );
            ("process", text)
        };
        self.owners.iter().enumerate().map(row).collect()
    }
}
