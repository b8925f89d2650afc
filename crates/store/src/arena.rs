//! Byte vectors of varying length, appended only, each found by its place.
//!
//! They stand in large chunks, each with its length before it, from a multiple of four bytes on. A place counts such
//! units through all chunks, so a reader needs no table of ends: a vector is one access to memory, and growing copies
//! nothing. The first chunks are small, so that small sets stay small.
//!
//! The length takes twelve bits of two bytes (or, if it is larger, four bytes more); the other four are flags.

use crate::OutOfMemory;
use crate::bump::Bump;
use crate::flags::{FLAG_BITS, FLAGS_ALL};
use crate::pages::{Pages, prefetch};
use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// A place is a multiple of this many bytes.
const UNIT: usize = 4;
/// Chunks have this many units: 32 MiB.
const CHUNK_UNITS_LOG2: u32 = 23;
const CHUNK_UNITS: usize = 1 << CHUNK_UNITS_LOG2;
/// Places have this many bits: 4 TiB.
pub(crate) const PLACE_BITS: u32 = 40;
/// One less than there could be, so that the largest places, whose bits are all or almost all ones, are never given out.
const CHUNKS_MAX: usize = (1 << (PLACE_BITS - CHUNK_UNITS_LOG2)) - 1;
const LENGTH_BITS: u32 = 16 - FLAG_BITS;
/// A length from here on is written as this, and then in four bytes.
const LONG: u16 = (1 << LENGTH_BITS) - 1;

#[derive(Debug, Default)]
pub(crate) struct Arena {
    chunks: Vec<Chunk>,
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
    used: Bump,
}

// SAFETY: a chunk is a part of the arena's memory that no other chunk has. Its units are handed out once, and written by
// who got them.
unsafe impl Send for Chunk {}
// SAFETY: as above; what is written is read only by those who know its place from who wrote it (see `Arena::get`).
unsafe impl Sync for Chunk {}

/// Where a vector stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub u64);

impl Arena {
    /// Everything this takes, slack included.
    pub fn bytes_in_use(&self) -> usize {
        self.bytes_in_use
    }

    /// The vector at a place. Panics, or gives some bytes of the arena, if no vector starts there.
    ///
    /// # Safety
    /// The place was given out by this arena, and the writing of its vector happened before; or nobody else adds vectors
    /// while the result is in use.
    #[inline]
    pub unsafe fn get(&self, place: Place) -> &[u8] {
        let (chunk, unit) = self.locate(place);
        let left = chunk.units.checked_sub(unit + 1).expect("a place is in its chunk") * UNIT;
        // SAFETY: the unit is inside the chunk, and so is what follows as far as it is looked at. Chunks begin as zeros or
        // words, so all of it is initialised. Nobody writes there, or not any more, as promised, except to the flags, which
        // are atomic. The place is a multiple of four bytes from the start of a chunk, so the lengths are aligned.
        unsafe {
            let address = chunk.base.add(unit * UNIT);
            let length = AtomicU16::from_ptr(address.cast()).load(Relaxed) & LONG;
            if length != LONG {
                let length = usize::from(length);
                assert!(length <= left + 2, "a vector is in its chunk");
                return std::slice::from_raw_parts(address.add(2), length);
            }
            assert!(left >= UNIT, "a length is in its chunk");
            let length = address.add(UNIT).cast::<u32>().read() as usize;
            assert!(length <= left - UNIT, "a vector is in its chunk");
            std::slice::from_raw_parts(address.add(2 * UNIT), length)
        }
    }

    /// The flags at a place.
    ///
    /// # Safety
    /// The place was given out by this arena, and the writing of its vector happened before.
    #[inline]
    pub unsafe fn flags(&self, place: Place) -> Flagged<'_> {
        let (chunk, unit) = self.locate(place);
        // SAFETY: a place that was given out is inside its chunk, aligned to four bytes, and begins with the word of length
        // and flags, which from now on is accessed as an atomic only.
        Flagged(unsafe { AtomicU16::from_ptr(chunk.base.add(unit * UNIT).cast()) })
    }

    #[inline]
    fn locate(&self, place: Place) -> (&Chunk, usize) {
        let chunk = &self.chunks[(place.0 >> CHUNK_UNITS_LOG2) as usize];
        (chunk, place.0 as usize & (CHUNK_UNITS - 1))
    }

    /// Asks for the vector's first cache lines.
    #[inline]
    pub fn prefetch(&self, place: Place) {
        let (chunk, unit) = self.locate(place);
        prefetch(chunk.base.wrapping_add(unit * UNIT));
    }

    /// Appends a vector, unless that would take more than `budget_bytes` for the arena.
    #[inline]
    pub fn push(&mut self, vector: &[u8], budget_bytes: usize) -> Result<Place, OutOfMemory> {
        let units = units(vector.len());
        let at = match self.chunks.last_mut().and_then(|chunk| chunk.used.take_alone(units, chunk.units)) {
            Some(at) => at,
            None => self.take_from_new_chunk(units, budget_bytes)?,
        };
        // SAFETY: the units from `at` on were handed out to us alone.
        Ok(unsafe { self.write(at, vector) })
    }

    #[cold]
    fn take_from_new_chunk(&mut self, units: usize, budget_bytes: usize) -> Result<usize, OutOfMemory> {
        self.start_chunk(units, budget_bytes)?;
        let chunk = self.chunks.last_mut().ok_or(OutOfMemory)?;
        chunk.used.take_alone(units, chunk.units).ok_or(OutOfMemory)
    }

    /// The same from many threads at once; none if there is no room without [`Self::make_room`].
    pub fn push_shared(&self, vector: &[u8]) -> Option<Place> {
        let chunk = self.chunks.last()?;
        let at = chunk.used.take(units(vector.len()), chunk.units)?;
        // SAFETY: the units from `at` on were handed out to this thread alone.
        Some(unsafe { self.write(at, vector) })
    }

    /// Sees to it that a vector of that length can be appended.
    #[inline]
    pub fn make_room(&mut self, vector_bytes: usize, budget_bytes: usize) -> Result<(), OutOfMemory> {
        let units = units(vector_bytes);
        match self.chunks.last() {
            Some(chunk) if chunk.units - chunk.used.taken() >= units => Ok(()),
            _ => self.start_chunk(units, budget_bytes),
        }
    }

    /// Writes a vector to its place in the last chunk.
    ///
    /// # Safety
    /// The units that it takes from `at` on were handed out by the last chunk, to the caller alone.
    #[inline]
    unsafe fn write(&self, at: usize, vector: &[u8]) -> Place {
        let number = self.chunks.len() - 1;
        // SAFETY: units that were handed out are inside the chunk; nobody else knows these. `at` counts units of four bytes,
        // so the lengths are aligned.
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
            // SAFETY: inside the memory, which stays where it is as long as the arena is there.
            let base = unsafe { base.add(first * UNIT) };
            self.spare.push(Chunk { base, units, used: Bump::default() });
        }
        self.memory.push(memory);
    }

    /// A new chunk for at least that many units: a quarter of all before it, between 1 KiB and 32 MiB.
    fn start_chunk(&mut self, units: usize, budget_bytes: usize) -> Result<(), OutOfMemory> {
        if units > CHUNK_UNITS || self.chunks.len() == CHUNKS_MAX {
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
        self.chunks.push(Chunk { base, units, used: Bump::default() });
        self.memory.push(memory);
        Ok(())
    }

    /// All vectors with their places, in the order in which they were added.
    pub fn iter(&mut self) -> impl Iterator<Item = (Place, &[u8])> {
        let arena = &*self;
        arena.chunks.iter().enumerate().flat_map(move |(number, chunk)| {
            let (mut at, used) = (0, chunk.used.taken());
            std::iter::from_fn(move || {
                if at == used {
                    return None;
                }
                let place = Place((number as u64) << CHUNK_UNITS_LOG2 | at as u64);
                // SAFETY: the exclusive borrow lets nobody add.
                let vector = unsafe { arena.get(place) };
                at += units(vector.len());
                Some((place, vector))
            })
        })
    }
}

/// The flags of a vector, in one word with its length.
pub(crate) struct Flagged<'a>(&'a AtomicU16);

impl Flagged<'_> {
    #[inline]
    pub fn get(self) -> u8 {
        (self.0.load(Acquire) >> LENGTH_BITS) as u8
    }

    /// What they were before.
    #[inline]
    pub fn set(self, mask: u8) -> u8 {
        (self.0.fetch_or(u16::from(mask & FLAGS_ALL) << LENGTH_BITS, AcqRel) >> LENGTH_BITS) as u8
    }

    /// What they were before.
    #[inline]
    pub fn clear(self, mask: u8) -> u8 {
        (self.0.fetch_and(!(u16::from(mask & FLAGS_ALL) << LENGTH_BITS), AcqRel) >> LENGTH_BITS) as u8
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

    fn get(arena: &mut Arena, place: Place) -> &[u8] {
        // SAFETY: the borrow is exclusive, so nobody adds.
        unsafe { arena.get(place) }
    }

    /// No place whatever leads out of the arena.
    #[test]
    fn a_wrong_place_gives_bytes_of_the_arena_or_panics() {
        let mut arena = Arena::default();
        for i in 0..3000 {
            arena.push(&vec![0xff; i % 90], usize::MAX).unwrap();
        }
        arena.push(&vec![0xff; 70_000], usize::MAX).unwrap();
        let memory: Vec<_> = arena
            .memory
            .iter()
            .map(|pages| (pages.base() as usize, pages.base() as usize + pages.bytes()))
            .collect();
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let units: Vec<usize> = arena.chunks.iter().map(|chunk| chunk.units).collect();
        let starts = units.iter().zip(0u64..).flat_map(|(units, chunk)| {
            (0..*units as u64 + 2).step_by(3).map(move |unit| chunk << CHUNK_UNITS_LOG2 | unit)
        });
        let mut refused = 0;
        for place in starts.chain([u64::MAX, u64::MAX >> 24, (1 << PLACE_BITS) - 2]) {
            let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let vector = get(&mut arena, Place(place));
                (vector.as_ptr() as usize, vector.as_ptr() as usize + vector.len())
            }));
            match found {
                Ok((start, end)) => {
                    assert!(memory.iter().any(|(first, last)| *first <= start && end <= *last))
                }
                Err(_) => refused += 1,
            }
        }
        std::panic::set_hook(hook);
        assert!(refused > 3);
    }

    #[test]
    fn vectors_of_any_length_are_read_back() {
        let mut arena = Arena::default();
        let vector = |i: usize| vec![i as u8; if i % 5000 == 7 { 60_000 + i * 10 } else { i % 300 }];
        let places: Vec<Place> = (0..20_000).map(|i| arena.push(&vector(i), usize::MAX).unwrap()).collect();
        for (i, place) in places.iter().enumerate() {
            assert_eq!(get(&mut arena, *place), vector(i));
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
        assert_eq!(get(&mut arena, place), [1, 2, 3]);
        assert!(arena.bytes_in_use() <= 1000);
    }
}
