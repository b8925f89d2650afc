//! A heap that holds a thread at a bound of memory.
//!
//! What comes before a search (reading the text, optimising the model) is straight code that looks at no limit. Another thread
//! looks on, but on a busy machine its turn may come too late. So the heap itself asks for the memory of the process each time
//! that the thread has taken some more. When there is too much, the thread waits here: the other one gives the answer and ends
//! the process. A search looks at its memory itself, and the heap does not: that costs it one test for a block.

use crate::Resident;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What a thread may take from the heap from one look at the memory to the next. A look takes a few microseconds.
const LOOK_EVERY: usize = 128 << 10;
/// Nobody waits longer for the end of the process.
const WAIT_MAX: Duration = Duration::from_secs(10);
const WAIT: Duration = Duration::from_millis(1);

/// The heap of a program that calls [`hold_at`]; otherwise it is the system's.
pub struct Heap;

/// Does a thread have a bound?
static IS_HELD: AtomicBool = AtomicBool::new(false);
/// What the process may have in memory.
static BOUND: AtomicU64 = AtomicU64::new(u64::MAX);
static IS_MET: AtomicBool = AtomicBool::new(false);
static RESIDENT: OnceLock<Resident> = OnceLock::new();

thread_local! {
    /// What this thread may take until it looks; none if it is not the one that is held.
    static UNTIL_LOOK: Cell<Option<usize>> = const { Cell::new(None) };
}

/// From now on this thread waits in the heap when the process has more than `bytes` in memory, until [`let_go`]. Somebody else
/// must look at [`is_bound_met`].
pub fn hold_at(bytes: u64) {
    RESIDENT.get_or_init(Resident::new);
    BOUND.store(bytes, Relaxed);
    UNTIL_LOOK.set(Some(LOOK_EVERY));
    IS_HELD.store(true, Relaxed);
}

/// Ends [`hold_at`]. To be called by the same thread.
pub fn let_go() {
    IS_HELD.store(false, Relaxed);
    UNTIL_LOOK.set(None);
}

/// Has the bound of [`hold_at`] been met? The thread that met it waits.
pub fn is_bound_met() -> bool {
    IS_MET.load(Relaxed)
}

// SAFETY: every call is passed on to the system's heap as it came, and looking at the memory takes nothing from the heap.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as promised by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size.saturating_sub(layout.size()));
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(block, layout, size) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(block, layout) }
    }
}

/// So many bytes are taken from the heap.
#[inline]
fn take(bytes: usize) {
    if IS_HELD.load(Relaxed) {
        count(bytes);
    }
}

#[cold]
fn count(bytes: usize) {
    let Some(left) = UNTIL_LOOK.get() else { return };
    if let Some(left) = left.checked_sub(bytes) {
        UNTIL_LOOK.set(Some(left));
    } else {
        UNTIL_LOOK.set(Some(LOOK_EVERY));
        look();
    }
}

/// Waits if the process has too much in memory.
fn look() {
    let resident = RESIDENT.get().and_then(Resident::bytes);
    if resident.is_none_or(|bytes| bytes <= BOUND.load(Relaxed)) {
        return;
    }
    IS_MET.store(true, Relaxed);
    let start = Instant::now();
    while start.elapsed() < WAIT_MAX {
        std::thread::sleep(WAIT);
    }
    // Whoever was to end the process did not.
    IS_HELD.store(false, Relaxed);
}
