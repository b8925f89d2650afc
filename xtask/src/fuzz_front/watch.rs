//! What keeps a bad case from ending the run unseen: panics are caught, and a watchman looks at the clock.

use super::CASE_MAX;
use super::subject::{Depth, Failure, Target, examine};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    /// Is a case running on this thread, and its panics so no news?
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    /// The last panic of this thread: message and place.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes panics of guarded cases silent; their message is kept for the report.
pub fn silence_panics() {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !GUARDED.get() {
            return shown(info);
        }
        let place = info.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
        let message = info.payload_as_str().unwrap_or("no message");
        LAST_PANIC.with_borrow_mut(|last| *last = format!("{message}{place}"));
    }));
}

/// Examines one input; a panic and a long time are failures like others.
pub fn guarded(input: &[u8], target: Target) -> Result<Depth, Failure> {
    let started = Instant::now();
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| examine(input, target)));
    GUARDED.set(false);
    if started.elapsed() > CASE_MAX {
        return Err(Failure::Slow(started.elapsed()));
    }
    result.unwrap_or_else(|_| Err(Failure::Panic(LAST_PANIC.with_borrow(String::clone))))
}

/// Which case each worker is at, since when.
pub struct Watch {
    running: Vec<Mutex<Option<(u64, Instant)>>>,
    over: AtomicBool,
}

impl Watch {
    pub fn new(jobs: usize) -> Watch {
        Watch { running: (0..jobs).map(|_| Mutex::new(None)).collect(), over: AtomicBool::new(false) }
    }

    pub fn start(&self, job: usize, seed: u64) {
        *self.running[job].lock().expect("nobody panics with it") = Some((seed, Instant::now()));
    }

    pub fn stop(&self, job: usize) {
        *self.running[job].lock().expect("nobody panics with it") = None;
    }

    pub fn dismiss(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Looks at the clock until dismissed; calls `alarm` with the case that takes too long.
    pub fn stand(&self, alarm: impl Fn(u64)) {
        while !self.over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
            for running in &self.running {
                let late = running.lock().expect("nobody panics with it");
                // Twice the limit: a case that does end in between can still be shrunk.
                if let Some((seed, since)) = *late
                    && since.elapsed() > 2 * CASE_MAX
                {
                    alarm(seed);
                }
            }
        }
    }
}
