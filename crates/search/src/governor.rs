//! Looks at the clock, the memory and the observer now and then, and says when to stop.

use crate::{FoundError, Limit, Options, Scope, Statistics};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Looks on while a search runs.
pub trait Observer {
    /// Called every few thousand expansions, and about every 100 ms where they are slow. `Break` ends the search.
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        let _ = statistics;
        ControlFlow::Continue(())
    }

    /// Called when one of several searches begins.
    fn stage(&mut self, number: usize, count: usize, scope: &Scope) {
        let _ = (number, count, scope);
    }

    /// Called for each distinct error when it is first met; a shorter path to it may still be found.
    fn error(&mut self, error: &FoundError) {
        let _ = error;
    }
}

/// Nobody looks on.
impl Observer for () {}

/// Expansions between two looks at the clock.
const LOOK_EVERY: u32 = 128;
/// Expansions between two calls of the observer, at most.
const REPORT_EVERY: u32 = 4096;
const REPORT_AFTER: Duration = Duration::from_millis(100);

pub(crate) struct Governor<'a> {
    pub observer: &'a mut dyn Observer,
    deadline: Option<Instant>,
    memory_bytes: Option<usize>,
    states_max: Option<u64>,
    until_look: u32,
    since_report: u32,
    last_report: Instant,
}

impl<'a> Governor<'a> {
    pub fn new(options: &Options, observer: &'a mut dyn Observer) -> Governor<'a> {
        let now = Instant::now();
        Governor {
            observer,
            // A duration too long for the clock is no limit.
            deadline: options.time.and_then(|time| now.checked_add(time)),
            memory_bytes: options.memory_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            states_max: options.states_max,
            until_look: 1,
            since_report: 0,
            last_report: now,
        }
    }

    /// Is it time for [`Self::look`]? To be called once an expansion.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        self.until_look -= 1;
        self.until_look == 0
    }

    /// The limit that is met, if one is.
    pub fn look(&mut self, statistics: &Statistics) -> Option<Limit> {
        self.until_look = LOOK_EVERY;
        self.since_report += LOOK_EVERY;
        let now = Instant::now();
        if self.since_report >= REPORT_EVERY || now.duration_since(self.last_report) >= REPORT_AFTER {
            self.since_report = 0;
            self.last_report = now;
            if self.observer.progress(statistics).is_break() {
                return Some(Limit::Stopped);
            }
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Limit::Time);
        }
        if self.states_max.is_some_and(|allowed| statistics.stored > allowed) {
            return Some(Limit::States);
        }
        let used = statistics.store_bytes + statistics.search_bytes;
        self.memory_bytes.is_some_and(|allowed| used > allowed).then_some(Limit::Memory)
    }

    /// What remains for the store beside a search that takes `search_bytes`.
    pub fn store_budget(&self, search_bytes: usize) -> usize {
        self.memory_bytes.map_or(usize::MAX, |allowed| allowed.saturating_sub(search_bytes))
    }
}
