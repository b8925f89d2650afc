//! Keeps `--time`, `--memory` and signals before a search begins.
//!
//! A search looks at its limits itself. What comes before it (reading the text, optimising the model, preparing the
//! reduction) is straight code that looks at nothing. So a thread looks on, and when a limit is met it gives the answer
//! in place of the thread that works: nothing is lost, since nothing was searched. Whoever of the two takes the turn first has
//! it ([`Shared::turn`]), so that there is one answer and not two. The thread that works waits in the heap when it has taken too
//! much ([`hold_at`]): on a busy machine the one that looks on may come late.

use panoptes_check::{Before, hold_at, is_bound_met, let_go, process};
use panoptes_search::Limit;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the memory is looked at. A front end takes about a gigabyte a second at most.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// A small model takes so much, and the program itself has taken more before: a limit below is none before the search.
const MEMORY_MIN: u64 = 6 << 20;

/// The limits of a run, from its start on.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    start: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    /// What the process took at its start.
    memory_at_start: u64,
    /// What it may take if nothing was asked for: most of what there is.
    available: Option<u64>,
}

impl RunLimits {
    /// To be called first thing, before anything large is read.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> RunLimits {
        let memory_at_start = process::memory_bytes().unwrap_or(0);
        let most = |left: u64| left / 10 * 9 + memory_at_start;
        let available = if memory.is_none() { process::available_bytes().map(most) } else { None };
        RunLimits { start: Instant::now(), time, memory, memory_at_start, available }
    }

    /// What is left of the time.
    pub fn time_left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.start.elapsed()))
    }

    /// The memory that was asked for.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// What is left of the memory: the model takes some of it.
    pub fn memory_left(&self) -> Option<u64> {
        let taken = self.taken().saturating_sub(MEMORY_MIN);
        self.memory.map(|memory| memory.saturating_sub(taken))
    }

    /// All that the process may take when a search is to stop. What it takes until it has stopped must stay within 5 % and
    /// 8 MiB.
    pub fn memory_in_all(&self) -> Option<u64> {
        let allowed = |memory: u64| memory.saturating_add(memory / 25 + (6 << 20));
        self.memory.map(|memory| allowed(memory).max(self.memory_at_start + MEMORY_MIN)).or(self.available)
    }

    fn taken(&self) -> u64 {
        process::memory_bytes().unwrap_or(0).saturating_sub(self.memory_at_start)
    }

    /// All that the process may take before a search begins. Until it is ended it can take a little more.
    fn memory_before(&self) -> Option<u64> {
        let allowed = |memory: u64| memory.saturating_add(memory / 40 + (2 << 20));
        self.memory.map(|memory| allowed(memory).max(self.memory_at_start + MEMORY_MIN)).or(self.available)
    }

    fn is_memory_met(&self) -> bool {
        let is_over = |allowed: u64| process::memory_bytes().unwrap_or(0) > allowed;
        is_bound_met() || self.memory_before().is_some_and(is_over)
    }

    fn met(&self) -> Option<Limit> {
        if crate::interrupt::is_asked() {
            Some(Limit::Stopped)
        } else if self.time_left().is_some_and(|left| left.is_zero()) {
            Some(Limit::Time)
        } else if self.is_memory_met() {
            Some(Limit::Memory)
        } else {
            None
        }
    }
}

/// A watch that stands until the search begins.
pub struct Watch {
    shared: Arc<Shared>,
}

struct Shared {
    turn: Mutex<Turn>,
    woken: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The main thread works, and the watch looks on.
    Work(Before),
    /// The watch gives the answer.
    Watch,
    /// The main thread goes on by itself.
    Dismissed,
}

impl Watch {
    /// Begins to look on the thread that calls. `answer` tells which limit was met and ends the process.
    pub fn start(limits: RunLimits, answer: impl FnOnce(Limit, Before) + Send + 'static) -> Watch {
        let shared = Arc::new(Shared { turn: Mutex::new(Turn::Work(Before::Read)), woken: Condvar::new() });
        let waking = Arc::clone(&shared);
        crate::interrupt::listen(move || waking.woken.notify_all());
        let watched = Arc::clone(&shared);
        std::thread::spawn(move || {
            if let Some((limit, before)) = watched.stand(&limits) {
                answer(limit, before);
            }
        });
        limits.memory_before().into_iter().for_each(hold_at);
        Watch { shared }
    }

    /// The text is read.
    pub fn model_is_read(&self) {
        self.take(Turn::Work(Before::Prepared));
    }

    /// From now on the main thread looks at the limits.
    pub fn dismiss(&self) {
        let_go();
        self.take(Turn::Dismissed);
        self.shared.woken.notify_all();
    }

    fn take(&self, next: Turn) {
        let mut turn = self.shared.lock();
        if *turn != Turn::Watch {
            *turn = next;
            return;
        }
        drop(turn);
        // The watch is writing the answer, and ends the process.
        loop {
            std::thread::park();
        }
    }
}

/// Whoever gives up, because the model is wrong, gives the answer himself.
impl Drop for Watch {
    fn drop(&mut self) {
        self.dismiss();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks on until a limit is met; none if it was dismissed before.
    fn stand(&self, limits: &RunLimits) -> Option<(Limit, Before)> {
        let mut turn = self.lock();
        loop {
            let Turn::Work(before) = *turn else { return None };
            if let Some(limit) = limits.met() {
                *turn = Turn::Watch;
                return Some((limit, before));
            }
            // A signal may arrive between the look and the wait: no wait is long.
            let longest = if limits.memory.is_some() { LOOK_EVERY } else { Duration::from_millis(100) };
            let wait = limits.time_left().map_or(longest, |left| left.min(longest));
            let waited = self.woken.wait_timeout(turn, wait);
            turn = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
