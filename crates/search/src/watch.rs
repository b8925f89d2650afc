//! Looks at the limits now and then, tells the observer how far the search is, and says when to stop. Each worker has one.

use crate::limits::Limits;
use crate::{Limit, Observer, Statistics};
use panoptes_store::Resident;
use std::time::{Duration, Instant};

/// The most expansions between two looks at the clock. Where they are slow, there are fewer.
const LOOK_EVERY: u32 = 128;
/// The time that should pass between two looks.
const LOOK_AFTER: Duration = Duration::from_millis(10);
/// The least time between two looks at the memory of the process.
const WEIGH_AFTER: Duration = Duration::from_millis(4);
/// The most expansions between two calls of the observer.
const REPORT_EVERY: u32 = 4096;
const REPORT_AFTER: Duration = Duration::from_millis(100);

/// Successors of one state that take so much are large.
const LARGE_EXPANSION: usize = 64 << 10;
/// If the successors of every state take so much, there may be fewer states from one look to the next.
const SOME_EXPANSION: usize = 4 << 10;
/// The successors that are computed from one look to the next should take no more.
const LOOK_AFTER_BYTES: usize = 512 << 10;

pub(crate) struct Watch<'a> {
    pub limits: &'a Limits,
    pub observer: &'a mut dyn Observer,
    /// Tells what the process has in memory, if that is bounded.
    resident: Option<Resident>,
    last_weighed: Instant,
    until_look: u32,
    look_every: u32,
    last_look: Instant,
    since_report: u32,
    last_report: Instant,
}

impl<'a> Watch<'a> {
    pub fn new(limits: &'a Limits, observer: &'a mut dyn Observer) -> Watch<'a> {
        let mut watch = Watch::beside(limits, observer);
        // The store must know before its first table what is left for it.
        watch.is_overweight(0, 0);
        limits.hold_back();
        watch
    }

    /// One of several; the first was made by [`Self::new`].
    pub fn beside(limits: &'a Limits, observer: &'a mut dyn Observer) -> Watch<'a> {
        let now = Instant::now();
        Watch {
            limits,
            observer,
            resident: limits.resident_max.map(|_| Resident::new()),
            last_weighed: now,
            // The observer is told that the search begins.
            until_look: 1,
            look_every: 1,
            last_look: now,
            since_report: REPORT_EVERY,
            last_report: now,
        }
    }

    /// Is it time for [`Self::look`]? To be called once an expansion, with the number of states stored: a bound on that is
    /// met at the same place every time.
    #[inline]
    pub fn is_due(&mut self, stored: u64) -> bool {
        self.until_look -= 1;
        self.until_look == 0 || stored > self.limits.states_max()
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
            if self.limits.may_pause() && self.observer.is_checkpoint_due() {
                self.limits.set_pause(true);
            }
        }
        if self.limits.is_time_over(now, statistics) {
            return Some(Limit::Time);
        }
        if statistics.stored > self.limits.states_max() {
            match self.observer.states_max(self.limits.states_max(), statistics) {
                Some(states) => self.limits.set_states_max(states),
                None => return Some(Limit::States),
            }
        }
        let used = statistics.store_bytes + statistics.search_bytes;
        let mut is_heavy = false;
        if now.duration_since(self.last_weighed) >= WEIGH_AFTER {
            self.last_weighed = now;
            is_heavy = self.is_overweight(used, 0);
        }
        (is_heavy || used > self.limits.allowed()).then_some(Limit::Memory)
    }

    /// To be called when the successors of a state were computed, which take so many bytes. Where they are large, a few more
    /// could take all that is left before the next look.
    #[inline]
    pub fn after_expansion(&mut self, bytes: usize, statistics: &Statistics) -> Option<Limit> {
        if bytes < SOME_EXPANSION { None } else { self.after_large_expansion(bytes, statistics) }
    }

    #[cold]
    fn after_large_expansion(&mut self, bytes: usize, statistics: &Statistics) -> Option<Limit> {
        if bytes < LARGE_EXPANSION {
            self.until_look = self.until_look.min((LOOK_AFTER_BYTES / bytes) as u32);
            return None;
        }
        // The buffer of the next one may be new, and grow to the double.
        let used = statistics.store_bytes + statistics.search_bytes;
        self.is_overweight(used, 2 * bytes).then_some(Limit::Memory)
    }

    /// Asks what the process takes in all, of which the search knows of `used`. True if there are not `more` bytes left.
    fn is_overweight(&mut self, used: usize, more: usize) -> bool {
        let Some(resident_max) = self.limits.resident_max else { return false };
        let Some(resident) = self.resident.as_ref().and_then(Resident::bytes) else { return false };
        self.limits.note_weight(resident, used, more);
        resident > resident_max.saturating_sub(more as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SearchOptions;

    #[test]
    fn a_process_may_take_all_that_is_allowed() {
        let weigher = Resident::new();
        let Some(_) = weigher.bytes() else { return };
        let is_overweight = |resident_max: Option<u64>| {
            let limits = Limits::new(&SearchOptions { resident_max, ..SearchOptions::default() }, None);
            Watch::new(&limits, &mut ()).is_overweight(0, 0)
        };
        // What the process takes is the same before and after, sooner or later.
        for _ in 0..1000 {
            let before = weigher.bytes();
            let is_heavy = is_overweight(before);
            if before == weigher.bytes() {
                assert!(!is_heavy);
                assert!(is_overweight(before.map(|bytes| bytes / 2)));
                return;
            }
        }
        panic!("it is never the same");
    }

    #[test]
    fn large_successors_are_weighed_at_once() {
        let Some(now) = Resident::new().bytes() else { return };
        let memory_bytes = Some(1 << 40);
        let options =
            SearchOptions { resident_max: Some(now + (32 << 20)), memory_bytes, ..SearchOptions::default() };
        let (limits, mut observer) = (Limits::new(&options, None), ());
        let mut watch = Watch::new(&limits, &mut observer);
        let mut after = |bytes| watch.after_expansion(bytes, &Statistics::default());
        assert_eq!((after(1 << 10), after(1 << 20), after(32 << 20)), (None, None, Some(Limit::Memory)));
        assert_eq!(after(1 << 10), None, "the bound is what it was");
    }

    #[test]
    fn looks_are_more_frequent_where_successors_are_larger() {
        let (limits, mut observer) = (Limits::new(&SearchOptions::default(), None), ());
        let mut watch = Watch::new(&limits, &mut observer);
        let mut left = |bytes| {
            watch.until_look = LOOK_EVERY;
            watch.after_expansion(bytes, &Statistics::default());
            watch.until_look
        };
        assert_eq!((left(1 << 10), left(32 << 10), left(64 << 10)), (LOOK_EVERY, 16, LOOK_EVERY));
    }
}
