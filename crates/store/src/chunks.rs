//! An array that threads share and that grows without moving what it holds.

use crate::bump::Bump;
use std::sync::OnceLock;

/// Elements of a chunk. (Few in tests, so that there are several.)
const CHUNK: usize = if cfg!(test) { 8 } else { 1 << 13 };
/// Chunks of a shelf, and shelves in all.
const SHELF: usize = if cfg!(test) { 32 } else { 256 };
const SHELVES: usize = 512;
/// The most elements.
const MAX: usize = CHUNK * SHELF * SHELVES;
/// A worker takes so many numbers ahead.
const AHEAD: usize = if cfg!(test) { 4 } else { 128 };

type Chunk<T> = OnceLock<Box<[T]>>;
type Shelf<T> = OnceLock<Box<[Chunk<T>]>>;

pub(crate) struct Chunks<T> {
    shelves: Box<[Shelf<T>]>,
    taken: Bump,
}

/// The numbers that a worker has taken ahead.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    next: u32,
    end: u32,
}

impl<T> Default for Chunks<T> {
    fn default() -> Chunks<T> {
        Chunks { shelves: (0..SHELVES).map(|_| OnceLock::new()).collect(), taken: Bump::default() }
    }
}

impl<T> Chunks<T> {
    /// The number of an element that is nobody else's; none if there are no more. `make` makes those of a new chunk.
    #[inline]
    pub fn take(&self, ahead: &mut Ahead, make: impl Fn(u32) -> T) -> Option<u32> {
        if ahead.next == ahead.end {
            let first = self.taken.take(AHEAD, MAX)?;
            // A chunk has room for a whole number of such runs.
            let (shelf, chunk, _) = place(first as u32);
            let chunks = self.shelves[shelf].get_or_init(|| (0..SHELF).map(|_| OnceLock::new()).collect());
            chunks[chunk].get_or_init(|| {
                let start = (first - first % CHUNK) as u32;
                (start..start + CHUNK as u32).map(make).collect()
            });
            *ahead = Ahead { next: first as u32, end: (first + AHEAD) as u32 };
        }
        let number = ahead.next;
        ahead.next += 1;
        Some(number)
    }

    #[inline]
    pub fn get(&self, number: u32) -> &T {
        let (shelf, chunk, at) = place(number);
        let chunk = self.shelves[shelf].get().and_then(|chunks| chunks[chunk].get());
        &chunk.expect("the number was handed out")[at]
    }

    pub fn heap_bytes(&self) -> usize {
        let filled = self.taken.taken().div_ceil(CHUNK);
        filled * CHUNK * size_of::<T>() + (filled.div_ceil(SHELF) * SHELF + SHELVES) * size_of::<Chunk<T>>()
    }
}

/// Shelf, chunk, and place in the chunk.
#[inline]
fn place(number: u32) -> (usize, usize, usize) {
    let number = number as usize;
    (number / (CHUNK * SHELF), number / CHUNK % SHELF, number % CHUNK)
}
