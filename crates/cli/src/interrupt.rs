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
static ASKED: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Begins to listen. `asked` is called on a thread of its own when the first signal arrives.
pub fn listen(asked: impl Fn() + Send + Sync + 'static) {
    // One command listens once.
    let _ = ASKED.set(Box::new(asked));
    let handler = ctrlc::set_handler(|| {
        let now = Instant::now();
        let first = *FIRST.get_or_init(|| now);
        if !ask() && now.duration_since(first) > INSISTS_AFTER {
            std::process::exit(ENDED_BY_SIGNAL);
        }
    });
    if let Err(error) = handler {
        output::warning(&format!("Ctrl-C will end the program without an answer: {error}"));
    }
}

/// Takes the end of standard input for a signal: so a command that checks one of several models hears that the one
/// which started it was asked to stop, or is no more.
pub fn listen_to_the_end_of_input() {
    std::thread::spawn(|| {
        // Nothing is written to it, and one that cannot be read has ended.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        ask();
    });
}

/// Was this the first to ask?
fn ask() -> bool {
    let is_first = !STOP.swap(true, Ordering::SeqCst);
    if is_first {
        ASKED.get().into_iter().for_each(|asked| asked());
    }
    is_first
}

/// Has a signal arrived?
pub fn is_asked() -> bool {
    STOP.load(Ordering::SeqCst)
}

/// True as soon as a signal has arrived, for those who look at it often.
pub fn flag() -> Arc<AtomicBool> {
    Arc::clone(&STOP)
}
