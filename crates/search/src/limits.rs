//! How far a search may go: shared by all its workers, each of which looks at it now and then (`watch.rs`).

use crate::totals::Totals;
use crate::{Limit, SearchOptions, Statistics};
use panoptes_exec::Patience;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// So much of the memory, or a quarter of what is left, is held back at least for what comes while the search runs: the code
/// generator, buffers of the executor, the answer.
const HELD_BACK_MIN: u64 = 4 << 20;
/// Where there is more, a 32nd is held back, and never more than this: the code generator needs no more.
const HELD_BACK_MAX: u64 = 36 << 20;

/// However little memory there is, the successors of one state may take so much.
const SUCCESSOR_BYTES_MIN: usize = 1 << 20;

/// How long after the end of a search its errors may take to be shown.
pub fn grace(time: Duration) -> Duration {
    time / 20 + Duration::from_millis(150)
}

pub(crate) struct Limits {
    pub deadline: Option<Instant>,
    start: Instant,
    /// The end of the time, in which a search goes on only if it may come to its end.
    left_over: Option<Duration>,
    grace: Duration,
    /// For the store and the search.
    memory_bytes: Option<usize>,
    /// What the process may have in memory.
    pub resident_max: Option<u64>,
    states_max: AtomicU64,
    /// Is set when the search is to end, even within a step.
    stop: Option<Arc<AtomicBool>>,
    /// What is held back for the code generator and others.
    held_back: AtomicU64,
    /// The most that the process took beside what the search knows of.
    others: AtomicU64,
    /// What remains of the memory for the store and the search, beside what else the process takes. All there is if no bound
    /// is set.
    allowed: AtomicUsize,
    /// What all workers did so far, if there are several.
    pub totals: Totals,
    /// Can the search pause?
    may_pause: AtomicBool,
    /// It is to do so.
    pause: AtomicBool,
}

impl Limits {
    pub fn new(options: &SearchOptions, stop: Option<Arc<AtomicBool>>) -> Limits {
        let memory_bytes = options.memory_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let start = Instant::now();
        Limits {
            // A duration too long for the clock is no limit.
            deadline: options.time.and_then(|time| start.checked_add(time)),
            start,
            left_over: options.time_left_over,
            grace: grace(options.time.unwrap_or_default()),
            memory_bytes,
            resident_max: options.resident_max,
            states_max: AtomicU64::new(options.states_max.unwrap_or(u64::MAX)),
            stop,
            held_back: AtomicU64::new(0),
            others: AtomicU64::new(0),
            allowed: AtomicUsize::new(memory_bytes.unwrap_or(usize::MAX)),
            totals: Totals::default(),
            may_pause: AtomicBool::new(false),
            pause: AtomicBool::new(false),
        }
    }

    /// No more states than this are stored.
    #[inline]
    pub fn states_max(&self) -> u64 {
        self.states_max.load(Relaxed)
    }

    /// The search may go on to another bound.
    pub fn set_states_max(&self, states: u64) {
        self.states_max.store(states, Relaxed);
    }

    /// The search can pause from now on.
    pub fn allow_pauses(&self) {
        self.may_pause.store(true, Relaxed);
    }

    pub fn may_pause(&self) -> bool {
        self.may_pause.load(Relaxed)
    }

    /// Is the search to pause?
    #[inline]
    pub fn is_pause_due(&self) -> bool {
        self.pause.load(Relaxed)
    }

    /// It is, or has done so.
    pub fn set_pause(&self, is_due: bool) {
        self.pause.store(is_due, Relaxed);
    }

    /// The bytes that the visited set and the search may take.
    pub fn allowed(&self) -> usize {
        self.allowed.load(Relaxed)
    }

    /// What remains for the store beside a search that takes `search_bytes`.
    pub fn store_budget(&self, search_bytes: usize) -> usize {
        match self.allowed() {
            usize::MAX => usize::MAX,
            allowed => allowed.saturating_sub(search_bytes),
        }
    }

    /// The process takes `resident` bytes in all, and the search knows of `used` of them: what the others take is not left to
    /// the search, and neither are `more` bytes until it is asked again.
    ///
    /// Some of what the search knows of is reserved and not touched yet: the system does not count it, and what the others
    /// take then looks like less than it is. So the most that was ever seen is what they take.
    pub fn note_weight(&self, resident: u64, used: usize, more: usize) {
        let others = resident.saturating_sub(used as u64);
        self.leave_the_rest(self.others.fetch_max(others, Relaxed).max(others) + more as u64);
    }

    /// Counts at once what others will take while the search runs.
    pub fn hold_back(&self) {
        let Some(resident_max) = self.resident_max else { return };
        let others = self.others.load(Relaxed);
        let left = resident_max.saturating_sub(others);
        let held_back = (left / 32).clamp(HELD_BACK_MIN, HELD_BACK_MAX).min(left / 4);
        self.held_back.store(held_back, Relaxed);
        self.others.store(others + held_back, Relaxed);
        self.leave_the_rest(others + held_back);
    }

    fn leave_the_rest(&self, others: u64) {
        if let Some(resident_max) = self.resident_max {
            let room = usize::try_from(resident_max.saturating_sub(others)).unwrap_or(usize::MAX);
            self.allowed.store(self.memory_bytes.unwrap_or(usize::MAX).min(room), Relaxed);
        }
    }

    /// Is the time over, or so short that not even the states that wait by now can be expanded in it, be it twice as fast as before?
    pub fn is_time_over(&self, now: Instant, statistics: &Statistics) -> bool {
        let Some(deadline) = self.deadline else { return false };
        let left = deadline.saturating_duration_since(now);
        let is_ending = self.left_over.is_some_and(|left_over| left <= left_over);
        let waiting = statistics.stored.saturating_sub(statistics.expanded) as f64;
        let rate = statistics.expanded as f64 / now.duration_since(self.start).as_secs_f64();
        left.is_zero() || is_ending && waiting > 2.0 * rate * left.as_secs_f64()
    }

    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// When the paths of errors must be known: what is found at the last moment has a little time left.
    pub fn grace(&self) -> Option<Instant> {
        self.deadline.and_then(|deadline| deadline.checked_add(self.grace))
    }

    /// Was it asked to end?
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Relaxed))
    }

    /// What the successors of several states may take together.
    pub fn batch_bytes(&self) -> usize {
        self.memory_bytes.map_or(usize::MAX, |bytes| bytes / 32)
    }

    /// What the executor is to know about the limits. To be asked after [`Self::hold_back`].
    pub fn patience(&self) -> Patience {
        let default = Patience::default();
        // Buffers grow by doubling, and there are a few of them.
        let bytes_max = self.memory_bytes.map_or(usize::MAX, |bytes| bytes / 8);
        Patience {
            deadline: self.deadline,
            stop: self.stop.clone(),
            successor_bytes_max: default.successor_bytes_max.min(bytes_max.max(SUCCESSOR_BYTES_MIN)),
            compiler_bytes_max: match self.resident_max {
                Some(_) => usize::try_from(self.held_back.load(Relaxed)).unwrap_or(usize::MAX),
                None => default.compiler_bytes_max,
            },
            ..default
        }
    }

    /// The limit for which the executor gave up a step.
    pub fn why_interrupted(&self) -> Limit {
        if self.is_late() {
            return Limit::Time;
        }
        if self.is_stopped() { Limit::Stopped } else { Limit::Memory }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_cannot_end_leaves_the_rest_of_its_time() {
        let seconds = Duration::from_secs;
        let (time, time_left_over) = (Some(seconds(100)), Some(seconds(10)));
        let options = SearchOptions { time, time_left_over, ..SearchOptions::default() };
        let is_over = |options: &SearchOptions, after: u64, waiting: u64| {
            let limits = Limits::new(options, None);
            let expanded = 10 * after;
            let statistics = Statistics { stored: expanded + waiting, expanded, ..Statistics::default() };
            limits.is_time_over(limits.start + seconds(after), &statistics)
        };
        // Ten states a second: in five seconds no more than a hundred, twice as fast.
        assert!(is_over(&options, 95, 101) && !is_over(&options, 95, 99));
        assert!(!is_over(&options, 89, 1_000_000), "it may take nine tenths in any case");
        assert!(is_over(&options, 100, 0));
        let whole = SearchOptions { time_left_over: None, ..options };
        assert!(!is_over(&whole, 99, 1_000_000) && is_over(&whole, 100, 1_000_000));
    }

    #[test]
    fn successors_may_take_a_part_of_the_memory() {
        let bytes_max = |memory_bytes| {
            let options = SearchOptions { memory_bytes, ..SearchOptions::default() };
            Limits::new(&options, None).patience().successor_bytes_max
        };
        let default = Patience::default().successor_bytes_max;
        assert_eq!(bytes_max(None), default);
        assert_eq!(bytes_max(Some(1 << 60)), default);
        assert_eq!(bytes_max(Some(80 << 20)), default.min(10 << 20));
        assert_eq!(bytes_max(Some(5)), SUCCESSOR_BYTES_MIN);
    }

    #[test]
    fn the_code_generator_may_take_what_is_held_back() {
        let held_back = |resident_max: Option<u64>| {
            let limits = Limits::new(&SearchOptions { resident_max, ..SearchOptions::default() }, None);
            limits.hold_back();
            limits.patience().compiler_bytes_max
        };
        assert_eq!(held_back(None), usize::MAX);
        assert_eq!(held_back(Some(0)), 0);
        assert_eq!(held_back(Some(8 << 20)), 2 << 20);
        assert_eq!(held_back(Some(64 << 20)), 4 << 20);
        assert_eq!(held_back(Some(512 << 20)), 16 << 20);
        assert_eq!(held_back(Some(64 << 30)), 36 << 20);
    }

    #[test]
    fn what_others_take_is_not_left_to_the_search() {
        let options =
            SearchOptions { memory_bytes: Some(80), resident_max: Some(100), ..SearchOptions::default() };
        let limits = Limits::new(&options, None);
        assert_eq!((limits.allowed(), limits.store_budget(30)), (80, 50));
        limits.note_weight(60, 10, 20);
        assert_eq!(limits.allowed(), 30);
        limits.note_weight(60, 10, 0);
        assert_eq!(limits.allowed(), 50);
        limits.note_weight(60, 50, 0);
        assert_eq!(limits.allowed(), 50, "the most that was seen counts");
        limits.hold_back();
        assert_eq!(limits.allowed(), 38, "a quarter of the rest is held back");
        let without = Limits::new(&SearchOptions::default(), None);
        assert_eq!(without.store_budget(1), usize::MAX);
    }
}
