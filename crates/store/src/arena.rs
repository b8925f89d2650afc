//! Byte vectors of varying length, appended only, each found by its place.
//!
//! They stand in large chunks, each with its length before it, from a multiple of four bytes on. A place counts such
//! units through all chunks, so a reader needs no table of ends: a vector is one access to memory, and growing copies
//! nothing. The first chunks are small, so that small sets stay small.

use crate::OutOfMemory;
use crate::pages::{Pages, prefetch};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A place is a multiple of this many bytes.
const UNIT: usize = 4;
/// Chunks have this many units: 32 MiB.
const CHUNK_UNITS_LOG2: u32 = 23;
const CHUNK_UNITS: usize = 1 << CHUNK_UNITS_LOG2;
/// A length that does not fit two bytes is written as this, and then in four.
const LONG: u16 = u16::MAX;

#[derive(Debug, Default)]
pub(crate) struct Arena {
    chunks: Vec<Chunk>,
    len: AtomicUsize,
    bytes_in_use: usize,
    /// What the chunks are parts of; never given back before the arena is.
    memory: Vec<Pages<u64>>,
    /// Parts of it for chunks to come.
    spare: Vec<Chunk>,
}

#[derive(Debug)]
struct Chunk {
    base: *mut u8,
    units: usize,
    /// Units in use.
    used: AtomicUsize,
}

// SAFETY: a chunk is a part of the arena's memory that no other chunk has; vectors are written there before their places
// are known to anybody.
unsafe impl Send for Chunk {}
// SAFETY: as above.
unsafe impl Sync for Chunk {}

/// Where a vector stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub u64);

impl Arena {
    pub fn len(&self) -> usize {
        self.len.load(Relaxed)
    }

    /// Everything this takes, slack included.
    pub fn bytes_in_use(&self) -> usize {
        self.bytes_in_use
    }

    #[inline]
    fn address(&self, place: Place) -> *const u8 {
        let chunk = &self.chunks[(place.0 >> CHUNK_UNITS_LOG2) as usize];
        let unit = place.0 as usize & (CHUNK_UNITS - 1);
        debug_assert!(unit < chunk.used.load(Relaxed));
        // SAFETY: places are given out by `push` alone, inside their chunk.
        unsafe { chunk.base.add(unit * UNIT) }
    }

    #[inline]
    pub fn get(&self, place: Place) -> &[u8] {
        let address = self.address(place);
        // SAFETY: `push` wrote a length and that many bytes there, and nothing is written there again. The place is a
        // multiple of four bytes from the start of a chunk, so the lengths are aligned.
        unsafe {
            let length = address.cast::<u16>().read();
            if length != LONG {
                return std::slice::from_raw_parts(address.add(2), usize::from(length));
            }
            let length = address.add(UNIT).cast::<u32>().read();
            std::slice::from_raw_parts(address.add(2 * UNIT), length as usize)
        }
    }

    /// Asks for the vector's first cache lines.
    #[inline]
    pub fn prefetch(&self, place: Place) {
        prefetch(self.address(place));
    }

    /// Appends a vector, unless that would take more than `budget_bytes` for the arena.
    #[inline]
    pub fn push(&mut self, vector: &[u8], budget_bytes: usize) -> Result<Place, OutOfMemory> {
        self.make_room(vector.len(), budget_bytes)?;
        let units = units(vector.len());
        let number = self.chunks.len() - 1;
        let used = self.chunks[number].used.get_mut();
        let at = *used;
        *used += units;
        *self.len.get_mut() += 1;
        // SAFETY: there is room, and the units from `at` on are nobody else's.
        Ok(unsafe { self.write(number, at, vector) })
    }

    /// The same from many threads at once; none if there is no room without [`Self::make_room`].
    pub fn push_shared(&self, vector: &[u8]) -> Option<Place> {
        let units = units(vector.len());
        let number = self.chunks.len().checked_sub(1)?;
        let chunk = &self.chunks[number];
        let at = chunk.used.fetch_add(units, Relaxed);
        if at + units > chunk.units {
            chunk.used.fetch_sub(units, Relaxed);
            return None;
        }
        self.len.fetch_add(1, Relaxed);
        // SAFETY: there is room, and the units from `at` on were given to this thread alone.
        Some(unsafe { self.write(number, at, vector) })
    }

    /// Sees to it that a vector of that length can be appended.
    #[inline]
    pub fn make_room(&mut self, vector_bytes: usize, budget_bytes: usize) -> Result<(), OutOfMemory> {
        let units = units(vector_bytes);
        match self.chunks.last() {
            Some(chunk) if chunk.units - chunk.used.load(Relaxed) >= units => Ok(()),
            _ => self.start_chunk(units, budget_bytes),
        }
    }

    /// Writes a vector to its place.
    ///
    /// # Safety
    /// The units it takes from `at` on are inside the chunk, and nobody reads or writes them yet.
    #[inline]
    unsafe fn write(&self, number: usize, at: usize, vector: &[u8]) -> Place {
        // SAFETY: as promised; `at` counts units of four bytes, so the lengths are aligned.
        unsafe {
            let address = self.chunks[number].base.add(at * UNIT);
            let head = head_bytes(vector.len());
            if head > 2 {
                address.cast::<u16>().write(LONG);
                address.add(UNIT).cast::<u32>().write(vector.len() as u32);
            } else {
                address.cast::<u16>().write(vector.len() as u16);
            }
            std::ptr::copy_nonoverlapping(vector.as_ptr(), address.add(head), vector.len());
        }
        Place((number as u64) << CHUNK_UNITS_LOG2 | at as u64)
    }

    /// Takes over memory that is no longer needed elsewhere, so that the system need not clear new pages. It is in use
    /// from now on.
    pub fn donate(&mut self, memory: Pages<u64>) {
        self.bytes_in_use += memory.bytes();
        let (base, units) = (memory.base(), memory.bytes() / UNIT);
        // From the back, since the last one is taken first.
        for first in (0..units).step_by(CHUNK_UNITS).rev() {
            let units = (units - first).min(CHUNK_UNITS);
            // SAFETY: inside the memory, which stays where it is.
            let base = unsafe { base.add(first * UNIT) };
            self.spare.push(Chunk { base, units, used: AtomicUsize::new(0) });
        }
        self.memory.push(memory);
    }

    /// A new chunk for at least that many units: a quarter of all before it, between 1 KiB and 32 MiB.
    fn start_chunk(&mut self, units: usize, budget_bytes: usize) -> Result<(), OutOfMemory> {
        if units > CHUNK_UNITS {
            return Err(OutOfMemory);
        }
        if let Some(index) = self.spare.iter().rposition(|chunk| chunk.units >= units) {
            self.chunks.push(self.spare.remove(index));
            return Ok(());
        }
        let allowed = budget_bytes.saturating_sub(self.bytes_in_use) / UNIT;
        let wanted = (self.bytes_in_use / UNIT / 4).clamp(256, CHUNK_UNITS).max(units);
        let size = wanted.min(allowed).max(units);
        // Whole words.
        let words = (size * UNIT).div_ceil(size_of::<u64>());
        if words * size_of::<u64>() > allowed * UNIT {
            return Err(OutOfMemory);
        }
        let memory = Pages::zeroed(words)?;
        self.bytes_in_use += memory.bytes();
        let (base, units) = (memory.base(), memory.bytes() / UNIT);
        self.chunks.push(Chunk { base, units, used: AtomicUsize::new(0) });
        self.memory.push(memory);
        Ok(())
    }

    /// All vectors with their places, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (Place, &[u8])> {
        self.chunks.iter().enumerate().flat_map(move |(number, chunk)| {
            let (mut at, used) = (0, chunk.used.load(Relaxed));
            std::iter::from_fn(move || {
                if at == used {
                    return None;
                }
                let place = Place((number as u64) << CHUNK_UNITS_LOG2 | at as u64);
                let vector = self.get(place);
                at += units(vector.len());
                Some((place, vector))
            })
        })
    }
}

/// The bytes before a vector of that length.
#[inline]
fn head_bytes(vector_bytes: usize) -> usize {
    if vector_bytes >= usize::from(LONG) { 2 * UNIT } else { 2 }
}

/// The units that a vector of that length takes.
#[inline]
fn units(vector_bytes: usize) -> usize {
    (head_bytes(vector_bytes) + vector_bytes).div_ceil(UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_any_length_are_read_back() {
        let mut arena = Arena::default();
        let vector = |i: usize| vec![i as u8; if i % 5000 == 7 { 60_000 + i * 10 } else { i % 300 }];
        let places: Vec<Place> = (0..20_000).map(|i| arena.push(&vector(i), usize::MAX).unwrap()).collect();
        assert_eq!(arena.len(), 20_000);
        for (i, place) in places.iter().enumerate() {
            assert_eq!(arena.get(*place), vector(i));
        }
        let listed: Vec<_> = arena.iter().collect();
        assert_eq!(listed.len(), places.len());
        assert!(
            listed.iter().zip(&places).enumerate().all(|(i, ((p, v), place))| p == place && *v == vector(i))
        );
    }

    #[test]
    fn small_sets_stay_small_and_large_ones_waste_little() {
        let mut arena = Arena::default();
        let mut payload = 0;
        for i in 0..2_000_000 {
            arena.push(&[1; 30], usize::MAX).unwrap();
            payload += 32;
            if i == 20 {
                assert!(arena.bytes_in_use() <= 1024);
            }
        }
        assert!(arena.bytes_in_use() < payload * 13 / 10, "{}", arena.bytes_in_use());
    }

    #[test]
    fn a_vector_that_does_not_fit_leaves_room_for_a_smaller_one() {
        let mut arena = Arena::default();
        assert_eq!(arena.push(&[7; 4000], 1000), Err(OutOfMemory));
        let place = arena.push(&[1, 2, 3], 1000).unwrap();
        assert_eq!(arena.get(place), [1, 2, 3]);
        assert!(arena.bytes_in_use() <= 1000);
    }
}
