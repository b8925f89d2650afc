//! Signals (Ctrl-C, `kill`, `timeout`): they ask for the answer as far as it is known.
//!
//! One request often comes as several signals: `timeout` sends one to the process and one to its group, and a terminal
//! that is closed sends another kind. All that come within [`INSISTS_AFTER`] are one request. Only a later one means that
//! somebody does not want to wait for the answer.

use crate::output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Duration, Instant};

/// A signal so long after the first ends the program without an answer.
const INSISTS_AFTER: Duration = Duration::from_secs(1);

/// The exit status of a program that a signal ended, as shells give it for Ctrl-C.
const ENDED_BY_SIGNAL: i32 = 130;

static FIRST: OnceLock<Instant> = OnceLock::new();
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Begins to listen. `asked` is called on a thread of its own when the first signal arrives.
pub fn listen(asked: impl Fn() + Send + 'static) {
    let handler = ctrlc::set_handler(move || {
        let now = Instant::now();
        let first = *FIRST.get_or_init(|| now);
        if !STOP.swap(true, Ordering::SeqCst) {
            asked();
        } else if now.duration_since(first) > INSISTS_AFTER {
            std::process::exit(ENDED_BY_SIGNAL);
        }
    });
    if let Err(error) = handler {
        output::warning(&format!("Ctrl-C will end the program without an answer: {error}"));
    }
}

/// Has a signal arrived?
pub fn is_asked() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// True as soon as a signal has arrived, for those who look at it often.
pub fn flag() -> Arc<AtomicBool> {
    Arc::clone(&STOP)
}
