//! Looks at the clock, the memory and the observer now and then, and says when to stop.

use crate::resident::Resident;
use crate::{FoundError, Limit, Options, Scope, Statistics};
use panoptes_exec::Patience;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Looks on while a search runs.
pub trait Observer {
    /// Called when a search begins, then every few thousand expansions, and about every 100 ms where they are slow. `Break` ends the search.
    fn progress(&mut self, statistics: &Statistics) -> ControlFlow<()> {
        let _ = statistics;
        ControlFlow::Continue(())
    }

    /// Is set when a search is to end, even within a step that takes long.
    fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        None
    }

    /// Called when one of several searches begins.
    fn stage(&mut self, number: usize, count: usize, scope: &Scope) {
        let _ = (number, count, scope);
    }

    /// Called for each distinct error when it is first met; a shorter path to it may still be found.
    fn error(&mut self, error: &FoundError) {
        let _ = error;
    }

    /// Called by a check when all its searches have ended, before it walks the errors again.
    fn ended(&mut self) {}
}

/// Nobody looks on.
impl Observer for () {}

/// Expansions between two looks at the clock, at most: where they are slow, it is looked at more often.
const LOOK_EVERY: u32 = 128;
/// So long it should take from one look to the next.
const LOOK_AFTER: Duration = Duration::from_millis(10);
/// So long it takes at least from one look at the memory of the process to the next.
const WEIGH_AFTER: Duration = Duration::from_millis(4);
/// Expansions between two calls of the observer, at most.
const REPORT_EVERY: u32 = 4096;
const REPORT_AFTER: Duration = Duration::from_millis(100);

/// So much of the memory, or a quarter of what is left, is held back for what comes while the search runs: the code generator,
/// buffers of the executor, the answer.
const HELD_BACK_BYTES: u64 = 4 << 20;

/// Successors of one state that take so much are large.
const LARGE_EXPANSION: usize = 64 << 10;

/// However little memory there is, the successors of one state may take so much.
const SUCCESSOR_BYTES_MIN: usize = 1 << 20;

/// How long after the end of a search its errors may take to be shown.
pub fn grace(time: Duration) -> Duration {
    time / 20 + Duration::from_millis(150)
}

pub(crate) struct Governor<'a> {
    pub observer: &'a mut dyn Observer,
    deadline: Option<Instant>,
    grace: Duration,
    memory_bytes: Option<usize>,
    /// What the process may have in memory, who tells how much that is, and when it was asked last.
    resident_max: Option<u64>,
    resident: Option<Resident>,
    last_weighed: Instant,
    /// The most that the process took beside what the search knows of.
    others: u64,
    /// What remains of the memory for the store and the search, beside what else the process takes.
    allowed: Option<usize>,
    states_max: u64,
    until_look: u32,
    look_every: u32,
    last_look: Instant,
    since_report: u32,
    last_report: Instant,
}

impl<'a> Governor<'a> {
    pub fn new(options: &Options, observer: &'a mut dyn Observer) -> Governor<'a> {
        let now = Instant::now();
        let mut governor = Governor {
            observer,
            // A duration too long for the clock is no limit.
            deadline: options.time.and_then(|time| now.checked_add(time)),
            grace: grace(options.time.unwrap_or_default()),
            resident_max: options.resident_max,
            resident: options.resident_max.map(|_| Resident::new()),
            last_weighed: now,
            others: 0,
            allowed: options.memory_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            memory_bytes: options.memory_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            states_max: options.states_max.unwrap_or(u64::MAX),
            // The observer is told that the search begins.
            until_look: 1,
            look_every: 1,
            last_look: now,
            since_report: REPORT_EVERY,
            last_report: now,
        };
        // The store must know before its first table what is left for it.
        governor.weigh(0);
        governor.hold_back();
        governor
    }

    /// Is it time for [`Self::look`]? To be called once an expansion, with the number of states stored: a bound on that is
    /// met at the same place every time.
    #[inline]
    pub fn is_due(&mut self, stored: u64) -> bool {
        self.until_look -= 1;
        self.until_look == 0 || stored > self.states_max
    }

    /// The limit that is met, if one is.
    pub fn look(&mut self, statistics: &Statistics) -> Option<Limit> {
        let now = Instant::now();
        self.since_report += self.look_every;
        let is_slow = now.duration_since(self.last_look) > LOOK_AFTER;
        self.look_every =
            if is_slow { self.look_every.div_ceil(4) } else { (self.look_every * 2).min(LOOK_EVERY) };
        self.until_look = self.look_every;
        self.last_look = now;
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
        if statistics.stored > self.states_max {
            return Some(Limit::States);
        }
        let used = statistics.store_bytes + statistics.search_bytes;
        let is_heavy = self.is_overweight(now, used);
        (is_heavy || self.allowed.is_some_and(|allowed| used > allowed)).then_some(Limit::Memory)
    }

    /// To be called when the successors of a state were computed, which take so many bytes. Where they are large, a few more
    /// could take all that is left before the next look.
    #[inline]
    pub fn after_expansion(&mut self, bytes: usize, statistics: &Statistics) -> Option<Limit> {
        if bytes < LARGE_EXPANSION { None } else { self.after_large_expansion(bytes, statistics) }
    }

    #[cold]
    fn after_large_expansion(&mut self, bytes: usize, statistics: &Statistics) -> Option<Limit> {
        let resident_max = self.resident_max?;
        // The buffer of the next one may be new, and grow to the double.
        self.resident_max = Some(resident_max.saturating_sub(2 * bytes as u64));
        let is_heavy = self.weigh(statistics.store_bytes + statistics.search_bytes);
        self.resident_max = Some(resident_max);
        is_heavy.then_some(Limit::Memory)
    }

    /// Counts at once what others will take while the search runs.
    fn hold_back(&mut self) {
        let Some(resident_max) = self.resident_max else { return };
        self.others += HELD_BACK_BYTES.min(resident_max.saturating_sub(self.others) / 4);
        self.leave_the_rest(resident_max);
    }

    /// Asks now and then what the process takes in all. True if it is too much already.
    fn is_overweight(&mut self, now: Instant, used: usize) -> bool {
        if now.duration_since(self.last_weighed) < WEIGH_AFTER {
            return false;
        }
        self.last_weighed = now;
        self.weigh(used)
    }

    /// Asks what the process takes in all, and leaves the rest to the search, which knows of `used`. True if it is too
    /// much already.
    ///
    /// Some of what the search knows of is reserved and not touched yet: the system does not count it, and what the others
    /// take then looks like less than it is. So the most that was ever seen is what they take.
    fn weigh(&mut self, used: usize) -> bool {
        let Some(resident_max) = self.resident_max else { return false };
        let Some(resident) = self.resident.as_mut().and_then(Resident::bytes) else { return false };
        self.others = self.others.max(resident.saturating_sub(used as u64));
        self.leave_the_rest(resident_max);
        resident > resident_max
    }

    fn leave_the_rest(&mut self, resident_max: u64) {
        let room = usize::try_from(resident_max.saturating_sub(self.others)).unwrap_or(usize::MAX);
        self.allowed = self.memory_bytes.map(|bytes| bytes.min(room));
    }

    /// When the paths of errors must be known: what is found at the last moment has a little time left.
    pub fn grace(&self) -> Option<Instant> {
        self.deadline.and_then(|deadline| deadline.checked_add(self.grace))
    }

    /// What the executor is to know about the limits.
    pub fn patience(&self) -> Patience {
        let default = Patience::default();
        // Buffers grow by doubling, and there are a few of them.
        let bytes_max = self.memory_bytes.map_or(usize::MAX, |bytes| bytes / 8);
        Patience {
            deadline: self.deadline,
            stop: self.observer.stop_flag(),
            successor_bytes_max: default.successor_bytes_max.min(bytes_max.max(SUCCESSOR_BYTES_MIN)),
            ..default
        }
    }

    /// The limit for which the executor gave up a step.
    pub fn why_interrupted(&self) -> Limit {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Limit::Time;
        }
        let is_stopped = |stop: Arc<AtomicBool>| stop.load(Ordering::Relaxed);
        if self.observer.stop_flag().is_some_and(is_stopped) { Limit::Stopped } else { Limit::Memory }
    }

    /// What remains for the store beside a search that takes `search_bytes`.
    pub fn store_budget(&self, search_bytes: usize) -> usize {
        self.allowed.map_or(usize::MAX, |allowed| allowed.saturating_sub(search_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_may_take_a_part_of_the_memory() {
        let bytes_max = |memory_bytes| {
            let options = Options { memory_bytes, ..Options::default() };
            Governor::new(&options, &mut ()).patience().successor_bytes_max
        };
        let default = Patience::default().successor_bytes_max;
        assert_eq!(bytes_max(None), default);
        assert_eq!(bytes_max(Some(1 << 60)), default);
        assert_eq!(bytes_max(Some(80 << 20)), default.min(10 << 20));
        assert_eq!(bytes_max(Some(5)), SUCCESSOR_BYTES_MIN);
    }

    #[test]
    fn a_process_may_take_all_that_is_allowed() {
        let mut weigher = Resident::new();
        let Some(first) = weigher.bytes() else { return };
        let options = Options { resident_max: Some(first), ..Options::default() };
        let mut observer = ();
        let mut governor = Governor::new(&options, &mut observer);
        // What the process takes is the same before and after, sooner or later.
        for _ in 0..1000 {
            let before = weigher.bytes();
            governor.resident_max = before;
            let is_overweight = governor.is_overweight(governor.last_weighed + WEIGH_AFTER, 0);
            if before == weigher.bytes() {
                assert!(!is_overweight);
                governor.resident_max = before.map(|bytes| bytes / 2);
                assert!(governor.is_overweight(governor.last_weighed + WEIGH_AFTER, 0));
                return;
            }
        }
        panic!("it is never the same");
    }

    #[test]
    fn large_successors_are_weighed_at_once() {
        let Some(now) = Resident::new().bytes() else { return };
        let memory_bytes = Some(1 << 40);
        let options = Options { resident_max: Some(now + (32 << 20)), memory_bytes, ..Options::default() };
        let mut observer = ();
        let mut governor = Governor::new(&options, &mut observer);
        let mut after = |bytes| governor.after_expansion(bytes, &Statistics::default());
        assert_eq!((after(1 << 10), after(1 << 20), after(32 << 20)), (None, None, Some(Limit::Memory)));
        assert_eq!(after(1 << 10), None, "the bound is what it was");
        assert_eq!(governor.resident_max, options.resident_max);
    }
}
