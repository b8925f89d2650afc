//! A thread that takes too much waits in the heap, and only that one.
#![cfg(target_os = "linux")]

use panoptes_store::{Heap, Resident, hold_at, is_bound_met};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[global_allocator]
static HEAP: Heap = Heap;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

const PIECE: usize = 64 << 10;
const BOUND: usize = 16 << 20;

#[test]
fn a_thread_waits_at_its_bound() {
    let before = Resident::new().bytes().expect("Linux tells");
    // It is still waiting when the test ends.
    std::thread::spawn(move || {
        hold_at(before + BOUND as u64);
        let mut pieces = Vec::new();
        loop {
            pieces.push(vec![1u8; PIECE]);
            TAKEN.fetch_add(PIECE, Ordering::SeqCst);
        }
    });
    let start = Instant::now();
    while !is_bound_met() {
        assert!(start.elapsed() < Duration::from_secs(60), "it takes and takes");
        std::thread::sleep(Duration::from_millis(1));
    }
    let taken = TAKEN.load(Ordering::SeqCst);
    // This thread is not held.
    let others = vec![1u8; 8 << 20];
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(TAKEN.load(Ordering::SeqCst), taken, "it went on");
    assert!(taken < BOUND + (2 << 20), "it took {taken} bytes");
    assert!(others.iter().all(|byte| *byte == 1));
}
