//! How long one step may take, and how much memory an executor. A deterministic step can run any number of statements within
//! one call of an executor, so the executor itself must ask now and then whether it is to go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A deterministic step of more statements than this is given up.
pub const BLOCK_STATEMENTS_MAX: u64 = 100_000_000;

/// The successors of one state may take so many bytes. (Where they start in their buffer is told in 32 bits.)
pub const SUCCESSOR_BYTES_MAX: usize = 1 << 30;

/// When an executor gives a long step up.
#[derive(Clone, Debug)]
pub struct Patience {
    /// Not after this moment.
    pub deadline: Option<Instant>,
    /// Somebody asked to stop.
    pub stop: Option<Arc<AtomicBool>>,
    /// A step of more statements is given up in any case.
    pub statements_max: u64,
    /// When the successors of a state take more bytes, the rest of them is given up.
    pub successor_bytes_max: usize,
    /// What the code generator may take at a time. What would take more is interpreted.
    pub compiler_bytes_max: usize,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            deadline: None,
            stop: None,
            statements_max: BLOCK_STATEMENTS_MAX,
            successor_bytes_max: SUCCESSOR_BYTES_MAX,
            compiler_bytes_max: usize::MAX,
        }
    }
}

impl Patience {
    /// Is it time to stop? This looks at the clock.
    pub fn is_over(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
