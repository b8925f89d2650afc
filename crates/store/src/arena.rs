//! Byte vectors of varying length, appended only, each found by its place.
//!
//! They stand in large chunks, each with its length before it, from a multiple of four bytes on. A place counts such
//! units through all chunks, so a reader needs no table of ends: a vector is one access to memory, and growing copies
//! nothing. The first chunks are small, so that small sets stay small.
//!
//! The length takes twelve bits of two bytes (or, if it is larger, four bytes more); the other four are flags.
//!
//! Several threads that append at once each take a *block* of units, and fill it with vectors of their own: so they do not wait for each
//! other, and do not write into the same cache lines. Units of a block that nothing was written to say so.
//!
//! Who has the arena alone reads and writes bytes. Through a shared reference everything is atomic, in words of a unit, whatever
//! the place: a wrong one leads to wrong bytes or to a panic, and to nothing worse.

use crate::bump::Bump;
use crate::flags::{FLAG_BITS, FLAGS_ALL};
use crate::pages::{Pages, prefetch};
use crate::{ImageReader, ImageWriter, OutOfMemory, damaged};
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;
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
/// Longer vectors have this for a length, and their length in four bytes.
const LONG: u16 = (1 << LENGTH_BITS) - 1;
/// In a unit of a block that nothing was written to.
const VACANT: u16 = LONG - 1;
/// Vectors from this length on are long.
const LONG_MIN: usize = VACANT as usize;
/// So many words of a vector that threads share are compared or read at a time.
const WORDS: usize = 8;
/// Slices of such a length are compared and copied in a few words of eight bytes.
const SHORT: std::ops::Range<usize> = 8..65;
/// A block has so many units.
const BLOCK_UNITS: usize = 1024;
/// Once may be chance (another program ran meanwhile). After so many dear ones no huge pages are asked for.
const DEAR_PAGES_MAX: usize = 2;

#[derive(Debug, Default)]
pub(crate) struct Arena {
    chunks: Vec<Chunk>,
    bytes_in_use: usize,
    /// What the chunks are parts of; never given back before the arena is.
    memory: Vec<Pages<u64>>,
    /// Parts of it for chunks to come.
    spare: Vec<Chunk>,
    /// How often a huge page turned out to be dear.
    dear_pages: usize,
}

#[derive(Debug)]
struct Chunk {
    base: NonNull<u8>,
    units: usize,
    /// Units in use.
    used: Bump,
}

// SAFETY: a chunk is a part of the arena's memory that no other chunk has; it is accessed as `shared` and `exclusive` say.
unsafe impl Send for Chunk {}
// SAFETY: as above; shared access is only through atomics.
unsafe impl Sync for Chunk {}

impl Chunk {
    fn new(base: NonNull<u8>, units: usize) -> Chunk {
        Chunk { base, units, used: Bump::default() }
    }

    /// For access from many threads.
    #[inline]
    fn shared(&self) -> &[AtomicU32] {
        // SAFETY: so many words, initialised and aligned (a chunk starts at a cache line), are this chunk's alone as long as the arena is
        // there. While this borrow lives nobody has them exclusively, so every access is atomic.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().cast(), self.units) }
    }

    #[inline]
    fn exclusive(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.units * UNIT) }
    }
}

/// Units for the vectors of one thread.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The number of the chunk, and what is left in it.
    chunk: usize,
    at: usize,
    end: usize,
}

/// Where a vector stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offset(pub u64);

impl Arena {
    /// Everything this takes, slack included.
    pub fn bytes_in_use(&self) -> usize {
        self.bytes_in_use
    }

    /// The vector at a place. Panics, or gives some bytes of the arena, if no vector starts there.
    #[inline(always)]
    pub fn get(&mut self, place: Offset) -> &[u8] {
        let (number, unit) = split(place);
        vector_at(&self.chunks[number].exclusive()[unit * UNIT..])
    }

    /// Appends the vector at a place to `out`, as [`Self::read`], for one who has the arena alone.
    #[inline(always)]
    pub fn append_to(&mut self, place: Offset, out: &mut Vec<u8>) {
        let vector = self.get(place);
        let (start, length) = (out.len(), vector.len());
        if !SHORT.contains(&length) {
            return out.extend_from_slice(vector);
        }
        out.reserve(length);
        // SAFETY: there is room for so many bytes behind the first `start`. They are written before they count.
        unsafe {
            copy(vector, std::slice::from_raw_parts_mut(out.as_mut_ptr().add(start), length));
            out.set_len(start + length);
        }
    }

    /// For many comparisons by one who has the arena alone.
    #[inline(always)]
    pub fn reader(&mut self) -> Reader<'_> {
        Reader { chunks: &mut self.chunks }
    }

    /// The words from a place on, the number of them before those that hold nothing but the vector, and its length.
    #[inline]
    fn words(&self, place: Offset) -> (&[AtomicU32], usize, usize) {
        let (number, unit) = split(place);
        let words = &self.chunks[number].shared()[unit..];
        match length_of(words[0].load(Relaxed)) {
            LONG => (words, 2, words[1].load(Relaxed) as usize),
            length => (words, 1, length.into()),
        }
    }

    /// Is this the vector at a place? Any number of threads may ask, also while others add.
    #[inline]
    pub fn holds(&self, place: Offset, vector: &[u8]) -> bool {
        let (number, unit) = split(place);
        let words = &self.chunks[number].shared()[unit..];
        let (head, rest) = head_of(vector);
        let start = head.len();
        if words.len() < units(vector.len())
            || words[0].load(Relaxed) & head_mask(vector.len()) != head[0]
            || (start == 2 && words[1].load(Relaxed) != head[1])
        {
            return false;
        }
        let (whole, rest) = rest.as_chunks::<UNIT>();
        let (words, last) = words[start..].split_at(whole.len());
        let difference =
            |(word, bytes): (&AtomicU32, &[u8; UNIT])| word.load(Relaxed) ^ u32::from_ne_bytes(*bytes);
        // Vectors with the same tag are almost always equal: there is one question for several words.
        let (wide, narrow) = (words.as_chunks::<WORDS>(), whole.as_chunks::<WORDS>());
        wide.0
            .iter()
            .zip(narrow.0)
            .all(|(words, bytes)| words.iter().zip(bytes).map(difference).fold(0, |all, one| all | one) == 0)
            && wide.1.iter().zip(narrow.1).map(difference).fold(0, |all, one| all | one) == 0
            && (rest.is_empty() || last[0].load(Relaxed).to_ne_bytes()[..rest.len()] == *rest)
    }

    /// Appends the vector at a place to `out`. Panics, or gives some bytes of the arena, if no vector starts there. Any number
    /// of threads may ask, also while others add.
    #[inline]
    pub fn read(&self, place: Offset, out: &mut Vec<u8>) {
        let (words, start, length) = self.words(place);
        let end = out.len() + length;
        out.reserve(length + UNIT);
        if start == 1 {
            out.extend_from_slice(&words[0].load(Relaxed).to_ne_bytes()[2..]);
        }
        let count = (end.saturating_sub(out.len())).div_ceil(UNIT);
        let (wide, narrow) = words[start..start + count].as_chunks::<WORDS>();
        for words in wide {
            let mut bytes = [[0; UNIT]; WORDS];
            words.iter().zip(&mut bytes).for_each(|(word, bytes)| *bytes = word.load(Relaxed).to_ne_bytes());
            out.extend_from_slice(bytes.as_flattened());
        }
        for word in narrow {
            out.extend_from_slice(&word.load(Relaxed).to_ne_bytes());
        }
        out.truncate(end);
    }

    /// The flags at a place.
    #[inline]
    pub fn flags(&self, place: Offset) -> Flagged<'_> {
        let (number, unit) = split(place);
        Flagged(&self.chunks[number].shared()[unit])
    }

    /// Asks for the vector's first cache lines.
    #[inline(always)]
    pub fn prefetch(&self, place: Offset) {
        let (number, unit) = split(place);
        if let Some(chunk) = self.chunks.get(number) {
            prefetch(chunk.base.as_ptr().wrapping_add(unit * UNIT));
        }
    }

    /// Appends a vector, unless that would take more than `budget_bytes` for the arena.
    #[inline]
    pub fn push(&mut self, vector: &[u8], budget_bytes: usize) -> Result<Offset, OutOfMemory> {
        let units = units(vector.len());
        let at = match self.chunks.last_mut().and_then(|chunk| chunk.used.take_alone(units, chunk.units)) {
            Some(at) => at,
            None => self.take_from_new_chunk(units, budget_bytes)?,
        };
        let number = self.chunks.len() - 1;
        let bytes = &mut self.chunks[number].exclusive()[at * UNIT..];
        let head = head_bytes(vector.len());
        let (front, rest) = bytes.split_at_mut(head);
        if head > 2 {
            front[..2].copy_from_slice(&LONG.to_ne_bytes());
            front[UNIT..].copy_from_slice(&(vector.len() as u32).to_ne_bytes());
        } else {
            front.copy_from_slice(&(vector.len() as u16).to_ne_bytes());
        }
        copy(vector, &mut rest[..vector.len()]);
        Ok(place(number, at))
    }

    #[cold]
    fn take_from_new_chunk(&mut self, units: usize, budget_bytes: usize) -> Result<usize, OutOfMemory> {
        self.start_chunk(units, budget_bytes)?;
        let chunk = self.chunks.last_mut().ok_or(OutOfMemory)?;
        chunk.used.take_alone(units, chunk.units).ok_or(OutOfMemory)
    }

    /// The same from many threads at once, each with a block of its own; none if there is no room without [`Self::make_room`].
    #[inline]
    pub fn push_shared(&self, block: &mut Block, vector: &[u8]) -> Option<Offset> {
        let units = units(vector.len());
        if block.end - block.at < units {
            return self.push_beside(block, vector, units);
        }
        let at = block.at;
        block.at += units;
        self.write(block.chunk, at, vector);
        Some(place(block.chunk, at))
    }

    /// Into a new block or, if the vector is large, beside all blocks.
    #[cold]
    fn push_beside(&self, block: &mut Block, vector: &[u8], units: usize) -> Option<Offset> {
        let (number, chunk) = (self.chunks.len().checked_sub(1)?, self.chunks.last()?);
        let is_small = units <= BLOCK_UNITS / 8;
        if is_small && let Some(at) = chunk.used.take(BLOCK_UNITS, chunk.units) {
            let [low, high] = VACANT.to_ne_bytes();
            let vacant = u32::from_ne_bytes([low, high, 0, 0]);
            chunk.shared()[at..at + BLOCK_UNITS].iter().for_each(|word| word.store(vacant, Relaxed));
            *block = Block { chunk: number, at, end: at + BLOCK_UNITS };
            return self.push_shared(block, vector);
        }
        let at = chunk.used.take(units, chunk.units)?;
        self.write(number, at, vector);
        Some(place(number, at))
    }

    /// Writes a vector into units that are the caller's.
    #[inline]
    fn write(&self, chunk: usize, at: usize, vector: &[u8]) {
        let words = &self.chunks[chunk].shared()[at..at + units(vector.len())];
        let (head, rest) = head_of(vector);
        let start = head.len();
        head.iter().zip(words).for_each(|(head, word)| word.store(*head, Relaxed));
        let (whole, rest) = rest.as_chunks::<UNIT>();
        for (word, bytes) in words[start..].iter().zip(whole) {
            word.store(u32::from_ne_bytes(*bytes), Relaxed);
        }
        if !rest.is_empty() {
            let mut last = [0; UNIT];
            last[..rest.len()].copy_from_slice(rest);
            words[start + whole.len()].store(u32::from_ne_bytes(last), Relaxed);
        }
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
            self.spare.push(Chunk::new(base, units));
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
        let (memory, is_dear) = Pages::for_appending(words, self.dear_pages < DEAR_PAGES_MAX)?;
        self.dear_pages += usize::from(is_dear);
        self.bytes_in_use += memory.bytes();
        let (base, units) = (memory.base(), memory.bytes() / UNIT);
        self.chunks.push(Chunk::new(base, units));
        self.memory.push(memory);
        Ok(())
    }

    /// The units in use of each chunk.
    pub fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        image.usize(self.chunks.len())?;
        for chunk in &mut self.chunks {
            let used = chunk.used.taken();
            image.usize(used)?;
            image.raw(&chunk.exclusive()[..used * UNIT])?;
        }
        Ok(())
    }

    /// Every vector is where it was. A chunk has room for no more than it holds.
    pub fn load(image: &mut ImageReader) -> io::Result<Arena> {
        let mut arena = Arena::default();
        for _ in 0..image.usize()? {
            let used = image.usize()?;
            if used > CHUNK_UNITS || arena.chunks.len() == CHUNKS_MAX {
                return Err(damaged("a chunk is too large"));
            }
            let memory = Pages::zeroed((used * UNIT).div_ceil(size_of::<u64>()).max(1))?;
            let mut chunk = Chunk::new(memory.base(), memory.bytes() / UNIT);
            image.raw(&mut chunk.exclusive()[..used * UNIT])?;
            chunk.used.set(used);
            arena.bytes_in_use += memory.bytes();
            arena.chunks.push(chunk);
            arena.memory.push(memory);
        }
        Ok(arena)
    }

    /// Goes through all vectors with their places, in the order in which they were added.
    #[inline]
    pub fn for_each(&mut self, mut visit: impl FnMut(Offset, &[u8])) {
        for (number, chunk) in self.chunks.iter_mut().enumerate() {
            let (mut at, used) = (0, chunk.used.taken());
            let bytes = &*chunk.exclusive();
            while at < used {
                if is_vacant(&bytes[at * UNIT..]) {
                    at += 1;
                    continue;
                }
                let vector = vector_at(&bytes[at * UNIT..]);
                visit(place(number, at), vector);
                at += units(vector.len());
            }
        }
    }
}

/// The arena of one who has it alone, and appends nothing now.
pub(crate) struct Reader<'a> {
    chunks: &'a mut [Chunk],
}

impl Reader<'_> {
    /// Is this the vector at a place? As [`Arena::holds`].
    #[inline(always)]
    pub fn is_at(&mut self, place: Offset, vector: &[u8]) -> bool {
        let (number, unit) = split(place);
        let (chunk, start) = (self.chunks[number].exclusive(), unit * UNIT);
        if vector.len() >= LONG_MIN {
            return vector_at(&chunk[start..]) == vector;
        }
        let Some(bytes) = chunk.get(start..start + 2 + vector.len()) else { return false };
        usize::from(u16::from_ne_bytes([bytes[0], bytes[1]]) & LONG) == vector.len()
            && is_equal(&bytes[2..], vector)
    }
}

/// Are slices of the same length equal? Short ones, as most vectors are, are compared without a call.
#[inline(always)]
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    debug_assert_eq!(one.len(), other.len());
    match one.len() {
        16..=32 => are_ends_equal::<16>(one, other),
        33..=64 => are_ends_equal::<32>(one, other),
        8..=15 => are_ends_equal::<8>(one, other),
        _ => one == other,
    }
}

/// Are the first so many bytes the same, and the last, which may overlap? One answer for all: they nearly always are.
#[inline(always)]
fn are_ends_equal<const N: usize>(one: &[u8], other: &[u8]) -> bool {
    match (one.first_chunk::<N>(), other.first_chunk::<N>(), one.last_chunk::<N>(), other.last_chunk::<N>()) {
        (Some(one), Some(other), Some(one_last), Some(other_last)) => {
            (difference(one, other) | difference(one_last, other_last)) == 0
        }
        _ => false,
    }
}

/// The bits that differ, of all words together.
#[inline(always)]
fn difference<const N: usize>(one: &[u8; N], other: &[u8; N]) -> u64 {
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    words.fold(0, |all, (one, other)| all | (u64::from_ne_bytes(*one) ^ u64::from_ne_bytes(*other)))
}

/// Copies between slices of the same length, short ones without a call.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8]) {
    if !SHORT.contains(&from.len()) {
        return to.copy_from_slice(from);
    }
    for (to, from) in to.as_chunks_mut::<8>().0.iter_mut().zip(from.as_chunks::<8>().0) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<8>(), from.last_chunk::<8>()) {
        *to = *from;
    }
}

#[inline]
fn split(place: Offset) -> (usize, usize) {
    ((place.0 >> CHUNK_UNITS_LOG2) as usize, place.0 as usize & (CHUNK_UNITS - 1))
}

#[inline]
fn place(number: usize, unit: usize) -> Offset {
    Offset((number as u64) << CHUNK_UNITS_LOG2 | unit as u64)
}

/// The vector that starts at the first of these bytes.
#[inline(always)]
fn vector_at(bytes: &[u8]) -> &[u8] {
    match u16::from_ne_bytes([bytes[0], bytes[1]]) & LONG {
        LONG => {
            let length = u32::from_ne_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
            &bytes[2 * UNIT..][..length as usize]
        }
        length => &bytes[2..][..length.into()],
    }
}

/// One word or two.
struct Head {
    words: [u32; 2],
    len: usize,
}

impl std::ops::Deref for Head {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.words[..self.len]
    }
}

/// Is the first unit of these bytes one that nothing was written to?
#[inline]
fn is_vacant(bytes: &[u8]) -> bool {
    u16::from_ne_bytes([bytes[0], bytes[1]]) & LONG == VACANT
}

/// The words that a vector begins with, one or two, without flags; and what of it is not in them.
#[inline]
fn head_of(vector: &[u8]) -> (Head, &[u8]) {
    if vector.len() >= LONG_MIN {
        let [low, high] = LONG.to_ne_bytes();
        let words = [u32::from_ne_bytes([low, high, 0, 0]), vector.len() as u32];
        return (Head { words, len: 2 }, vector);
    }
    let [low, high] = (vector.len() as u16).to_ne_bytes();
    let (first, rest) = match *vector {
        [] => ([low, high, 0, 0], &[][..]),
        [one] => ([low, high, one, 0], &[][..]),
        [one, two, ref rest @ ..] => ([low, high, one, two], rest),
    };
    (Head { words: [u32::from_ne_bytes(first), 0], len: 1 }, rest)
}

/// What of the first word belongs to a vector of that length; not the flags.
#[inline]
fn head_mask(vector_bytes: usize) -> u32 {
    let bytes = match vector_bytes {
        0 | LONG_MIN.. => [0xff, 0xff, 0, 0],
        1 => [0xff, 0xff, 0xff, 0],
        _ => [0xff; UNIT],
    };
    u32::from_ne_bytes(bytes) & !flag_bits(FLAGS_ALL)
}

/// The length in the first word of a vector.
#[inline]
fn length_of(word: u32) -> u16 {
    let [low, high, ..] = word.to_ne_bytes();
    u16::from_ne_bytes([low, high]) & LONG
}

/// The flags in the first word of a vector.
#[inline]
fn flags_of(word: u32) -> u8 {
    let [low, high, ..] = word.to_ne_bytes();
    (u16::from_ne_bytes([low, high]) >> LENGTH_BITS) as u8
}

/// Where flags stand in that word.
#[inline]
fn flag_bits(mask: u8) -> u32 {
    let [low, high] = (u16::from(mask & FLAGS_ALL) << LENGTH_BITS).to_ne_bytes();
    u32::from_ne_bytes([low, high, 0, 0])
}

/// The flags of a vector, in one word with its length.
pub(crate) struct Flagged<'a>(&'a AtomicU32);

impl Flagged<'_> {
    #[inline]
    pub fn get(self) -> u8 {
        flags_of(self.0.load(Acquire))
    }

    /// What they were before.
    #[inline]
    pub fn set(self, mask: u8) -> u8 {
        flags_of(self.0.fetch_or(flag_bits(mask), AcqRel))
    }

    /// What they were before.
    #[inline]
    pub fn clear(self, mask: u8) -> u8 {
        flags_of(self.0.fetch_and(!flag_bits(mask), AcqRel))
    }
}

/// The bytes before a vector of that length.
#[inline]
fn head_bytes(vector_bytes: usize) -> usize {
    if vector_bytes >= LONG_MIN { 2 * UNIT } else { 2 }
}

/// The units that a vector of that length takes.
#[inline]
fn units(vector_bytes: usize) -> usize {
    (head_bytes(vector_bytes) + vector_bytes).div_ceil(UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            .map(|pages| (pages.base().as_ptr() as usize, pages.base().as_ptr() as usize + pages.bytes()))
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
                let vector = arena.get(Offset(place));
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
        let places: Vec<Offset> = (0..20_000).map(|i| arena.push(&vector(i), usize::MAX).unwrap()).collect();
        for (i, place) in places.iter().enumerate() {
            assert_eq!(arena.get(*place), vector(i));
        }
        let mut listed = Vec::new();
        arena.for_each(|place, found| {
            assert_eq!(found, vector(listed.len()));
            listed.push(place);
        });
        assert_eq!(listed, places);
        assert!(places.iter().enumerate().all(|(i, place)| arena.reader().is_at(*place, &vector(i))));
        let others = places
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(i, place)| arena.reader().is_at(**place, &vector(i - 1)));
        assert_eq!(others.count(), 0);
    }

    /// Bytes or atomic words, written one way and read the other.
    #[test]
    fn alone_and_shared_are_the_same() {
        let lengths = (0..40).chain([4093, 4094, 4095, 4096, 4097, 65_534, 65_535, 65_536, 70_001]);
        for (turn, length) in lengths.enumerate() {
            let vector: Vec<u8> = (0..length).map(|at| (at * 7 + turn) as u8).collect();
            let mut arena = Arena::default();
            arena.make_room(3 * length + 60 + BLOCK_UNITS * UNIT, usize::MAX).unwrap();
            let shared = arena.push_shared(&mut Block::default(), &vector).unwrap();
            let places = [shared, arena.push(&vector, usize::MAX).unwrap()];
            let after = arena.push(&[9; 5], usize::MAX).unwrap();
            for place in places {
                let mut read = vec![3];
                arena.read(place, &mut read);
                assert_eq!((read[0], &read[1..]), (3, &vector[..]));
                assert_eq!(arena.get(place), vector);
                assert!(arena.holds(place, &vector));
                for at in 0..length.min(50) {
                    let mut other = vector.clone();
                    other[length - 1 - at] ^= 0x40;
                    assert!(!arena.holds(place, &other), "{length} {at}");
                }
                assert!(!arena.holds(place, &[&vector[..], &[0]].concat()));
                assert!(length == 0 || !arena.holds(place, &vector[1..]));
                assert_eq!((arena.flags(place).set(0b1010), arena.flags(place).get()), (0, 0b1010));
                assert!(arena.holds(place, &vector) && arena.get(place) == vector);
                assert_eq!((arena.flags(place).clear(0b0010), arena.flags(place).get()), (0b1010, 0b1000));
            }
            assert!(arena.holds(after, &[9; 5]));
        }
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
