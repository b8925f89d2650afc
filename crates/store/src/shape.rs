//! The tree over a vector, and the numbers of the last vectors that had this tree.
//!
//! A vector is cut into *chunks* of sixteen bytes, the last filled up with zeros. They are the leaves of three trees, the
//! *parts* of the vector. A node has up to four children and is sixteen bytes, too: the numbers of its children. The
//! first number in the root of the last part is the length of the vector, so a vector can be read back from its roots
//! alone.
//!
//! ```text
//!         part 0                          part 1                          part 2
//!   ┌───────┼───────┬───────┐       ┌───────┼───────┬───────┐       ┌───────┼───────┬───────┐
//! chunk 0 chunk 3 chunk 6 chunk 9  chunk 1 chunk 4   …       …    length  chunk 2 chunk 5   …
//! ```
//!
//! Chunks go to the parts by turns, in long vectors two at a time. What changes much often stands together in a
//! vector, and a vector is cheap if none of its parts has many values.
//!
//! A successor differs from its origin in few chunks, so the tree remembers the chunks and nodes of one vector, the *base*,
//! and asks for new numbers only on the ways from changed chunks to the roots. The base is the origin, where the search
//! says so ([`Shape::rebase`]), and else the last vector.

use crate::Draft;
use crate::intern::Value;

/// The numbers of the parts of a vector.
pub(crate) type Tuple = [u32; PARTS];

pub(crate) const CHUNK_BYTES: usize = 16;
pub(crate) const PARTS: usize = 3;
pub(crate) const FANOUT: usize = 4;

pub(crate) fn chunk_count(bytes: usize) -> usize {
    bytes.div_ceil(CHUNK_BYTES)
}

/// From this many chunks on, two neighbours stay together.
const LONG: usize = 8;

/// The part that a chunk belongs to. It depends as little as possible on the length, which changes.
fn part_of(chunk: usize, chunks: usize) -> usize {
    let turn = if chunks < LONG { chunk } else { chunk / 2 };
    turn % PARTS
}

/// The chunks of a part, in order.
pub(crate) fn chunks_of(part: usize, chunks: usize) -> impl Iterator<Item = usize> {
    (0..chunks).filter(move |chunk| part_of(*chunk, chunks) == part)
}

/// How many children the root of a part can have.
pub(crate) fn fanout(part: usize) -> usize {
    if part + 1 == PARTS { FANOUT - 1 } else { FANOUT }
}

/// The leaves under each of `parts` children, where there are `leaves` in all.
pub(crate) fn parts(leaves: usize, parts: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let parts = parts.min(leaves);
    (0..parts).map(move |part| part * leaves / parts..(part + 1) * leaves / parts)
}

/// The four numbers in the value of a node.
#[inline]
pub(crate) fn numbers_of(value: Value) -> [u32; 4] {
    [value[0] as u32, (value[0] >> 32) as u32, value[1] as u32, (value[1] >> 32) as u32]
}

/// Which table numbers a node: there is one for each part's roots, and one for all that is below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level(u8);

impl Level {
    pub const COUNT: usize = PARTS + 1;
    pub const INNER: Level = Level(PARTS as u8);

    pub fn part(part: usize) -> Level {
        debug_assert!(part < PARTS);
        Level(part as u8)
    }

    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[derive(Debug)]
pub(crate) struct Shape {
    /// Of the base: its chunks in their order, and the values of all other nodes, children before parents.
    chunks: Vec<Value>,
    values: Vec<Value>,
    /// The values once more, for the vector at hand where the base stays; otherwise they are the same.
    others: Vec<Value>,
    /// Where the numbers of chunks go, and those of other nodes.
    chunk_places: Vec<Place>,
    places: Vec<Place>,
    /// The children of the nodes that are no chunks.
    children: Vec<[Child; FANOUT]>,
    /// The nodes to be numbered anew that are no chunks, one bit each.
    changed: Vec<u64>,
    roots: [Child; PARTS],
    /// The numbers of the roots of the base.
    numbers: Tuple,
    /// The length of the base.
    length: usize,
    /// The base stays when other vectors are numbered.
    keeps_base: bool,
    /// The numbers belong to the chunks.
    is_valid: bool,
}

/// Where the number of a node goes.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// One of the nodes that are no chunks, or of the parts, if this is a root.
    parent: u32,
    /// Which word of all nodes it goes to, and where in that.
    word: u32,
    shift: u8,
    level: Level,
}

/// A node: one of the chunks, or one of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Child {
    None,
    Chunk(u32),
    Other(u32),
}

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

impl Shape {
    pub fn new(chunks: usize) -> Shape {
        let nowhere = Place { parent: 0, word: 0, shift: 0, level: Level::INNER };
        let mut shape = Shape {
            chunks: vec![[0; 2]; chunks],
            values: Vec::new(),
            others: Vec::new(),
            chunk_places: vec![nowhere; chunks],
            places: Vec::new(),
            children: Vec::new(),
            changed: Vec::new(),
            roots: [Child::None; PARTS],
            numbers: [0; PARTS],
            length: 0,
            keeps_base: false,
            is_valid: false,
        };
        for part in 0..PARTS {
            let leaves: Vec<usize> = chunks_of(part, chunks).collect();
            let root = if part + 1 == PARTS {
                let parts = parts(leaves.len(), fanout(part));
                let children: Vec<Child> = parts.map(|range| shape.build(&leaves[range])).collect();
                shape.adopt(&children, 1)
            } else if leaves.is_empty() {
                continue;
            } else {
                shape.build(&leaves)
            };
            shape.roots[part] = root;
            *shape.place_mut(root) =
                Place { parent: part as u32, word: 0, shift: 0, level: Level::part(part) };
        }
        let nodes = shape.places.len();
        (shape.values, shape.others) = (vec![[0; 2]; nodes], vec![[0; 2]; nodes]);
        shape.changed = vec![0; nodes.div_ceil(64)];
        shape
    }

    /// The node over some leaves, at least one.
    fn build(&mut self, leaves: &[usize]) -> Child {
        if let [leaf] = leaves {
            return Child::Chunk(*leaf as u32);
        }
        let children: Vec<Child> =
            parts(leaves.len(), FANOUT).map(|part| self.build(&leaves[part])).collect();
        self.adopt(&children, 0)
    }

    /// A new node with these children, the first of which has the place `first`.
    fn adopt(&mut self, children: &[Child], first: u8) -> Child {
        let parent = self.places.len() as u32;
        self.places.push(Place { parent: 0, word: 0, shift: 0, level: Level::INNER });
        self.children.push([Child::None; FANOUT]);
        for (child, place) in children.iter().zip(first..) {
            let (word, shift) = (2 * parent + u32::from(place / 2), place % 2 * 32);
            *self.place_mut(*child) = Place { parent, word, shift, level: Level::INNER };
            self.children[parent as usize][usize::from(place)] = *child;
        }
        Child::Other(parent)
    }

    fn place_mut(&mut self, node: Child) -> &mut Place {
        match node {
            Child::Chunk(at) => &mut self.chunk_places[at as usize],
            Child::Other(at) => &mut self.places[at as usize],
            Child::None => unreachable!("there is a node"),
        }
    }

    pub fn heap_bytes(&self) -> usize {
        (self.chunks.capacity() + self.values.capacity() + self.others.capacity()) * size_of::<Value>()
            + (self.chunk_places.capacity() + self.places.capacity()) * size_of::<Place>()
            + self.children.capacity() * size_of::<[Child; FANOUT]>()
            + self.changed.capacity() * size_of::<u64>()
    }

    /// Makes the vector with these roots the base, and appends it to `out`. Values are asked for where numbers differ.
    #[inline]
    pub fn rebase(&mut self, roots: Tuple, value: impl Fn(Level, u32) -> Value, out: &mut Vec<u8>) {
        let is_known = std::mem::replace(&mut self.is_valid, true);
        if !is_known {
            self.mark_all();
            self.changed.fill(0);
        }
        self.keeps_base = true;
        for (part, number) in roots.into_iter().enumerate() {
            if !is_known || self.numbers[part] != number {
                self.take_over(self.roots[part], Level::part(part), number, is_known, &value);
            }
        }
        self.numbers = roots;
        // The first number in the root of the last part, which is the last node.
        self.length = self.values[self.values.len() - 1][0] as u32 as usize;
        append(&self.chunks, self.length, out);
    }

    /// The node has this number, and what follows from it. What it had before is known, or it is not.
    fn take_over(
        &mut self,
        node: Child,
        level: Level,
        number: u32,
        is_known: bool,
        value: &impl Fn(Level, u32) -> Value,
    ) {
        match node {
            Child::None => {}
            Child::Chunk(at) => self.chunks[at as usize] = value(level, number),
            Child::Other(at) => {
                let new = value(level, number);
                let old = std::mem::replace(&mut self.values[at as usize], new);
                self.others[at as usize] = new;
                let numbers = numbers_of(old).into_iter().zip(numbers_of(new));
                for (child, (old, new)) in self.children[at as usize].into_iter().zip(numbers) {
                    if old != new || !is_known {
                        self.take_over(child, Level::INNER, new, is_known, value);
                    }
                }
            }
        }
    }

    /// The numbers of the roots; `number` numbers what changed.
    #[inline(always)]
    pub fn roots<const HAS_BASE: bool, E>(
        &mut self,
        key: &[u8],
        number: impl FnMut(Level, Value) -> Result<u32, E>,
    ) -> Result<Tuple, E> {
        if !HAS_BASE && self.numbers.contains(&NONE) {
            // They are of a draft, which left that out.
            self.is_valid = false;
        }
        self.number_changed::<HAS_BASE, E>(key, number, |_, _| {})
    }

    /// The roots themselves, and their numbers where those are known or `find` finds them; `number` numbers all below.
    #[inline(always)]
    pub fn draft<const HAS_BASE: bool, E>(
        &mut self,
        key: &[u8],
        mut number: impl FnMut(Level, Value) -> Result<u32, E>,
        mut find: impl FnMut(Level, Value) -> Option<u32>,
    ) -> Result<Draft, E> {
        let mut parts = self.roots.map(|root| match root {
            Child::None => [0; 2],
            Child::Chunk(at) => chunk(key, at as usize),
            Child::Other(at) => self.values[at as usize],
        });
        let number = |level, value| {
            if level == Level::INNER { number(level, value) } else { Ok(find(level, value).unwrap_or(NONE)) }
        };
        let numbers = self.number_changed::<HAS_BASE, E>(key, number, |part, value| parts[part] = value)?;
        Ok(Draft { parts, numbers, is_done: false })
    }

    /// [`Self::roots`] for a vector as long as the base, which is kept: most are. None, and nothing is done, for others.
    #[inline(always)]
    pub fn roots_like_base<E>(
        &mut self,
        key: &[u8],
        mut number: impl FnMut(Level, Value) -> Result<u32, E>,
    ) -> Result<Option<Tuple>, E> {
        let nodes = self.values.len();
        if !self.has_base() || self.length != key.len() || nodes > 64 || key.len() < CHUNK_BYTES {
            return Ok(None);
        }
        // Until what is changed is as in the base again.
        self.is_valid = false;
        debug_assert_eq!((self.chunks.len(), self.others.len()), (chunk_count(key.len()), nodes));
        let whole = key.len() / CHUNK_BYTES;
        let (bytes, others) =
            (key.as_ptr().cast::<[u8; CHUNK_BYTES]>(), self.others.as_mut_ptr().cast::<u64>());
        let (mut numbers, mut changed) = (self.numbers, 0u64);
        let mut put = |place: Place, number: u32, changed: &mut u64| {
            if place.level == Level::INNER {
                // SAFETY: the parent of a node below the roots is one of the nodes, and each of those has two words.
                let word = unsafe { &mut *others.add(place.word as usize) };
                set_half(word, place.shift, number);
                *changed |= 1 << place.parent;
            } else {
                numbers[place.parent as usize] = number;
            }
        };
        let mut start = 0;
        while start < self.chunks.len() {
            let end = whole.min(start + GROUP);
            // What is not compared counts as equal.
            let mut equal = u64::MAX;
            for at in (start..end).rev() {
                // SAFETY: the key has so many whole chunks, and the base has as many chunks as the key.
                let (one, other) = unsafe { (&*bytes.add(at), self.chunks.get_unchecked(at)) };
                equal = equal << 4 | equal_quarters(one, other);
            }
            let mut marks = !equal;
            if end < self.chunks.len() && end < start + GROUP {
                // The last chunk, which is not whole.
                marks |= u64::from(chunk(key, end) != self.chunks[end]) << (4 * (end - start));
            }
            while marks != 0 {
                let shift = marks.trailing_zeros() & !3;
                let at = start + shift as usize / 4;
                marks &= !(0xf << shift);
                let value = if at < whole {
                    // SAFETY: as above.
                    words(u128::from_le_bytes(unsafe { *bytes.add(at) }))
                } else {
                    chunk(key, at)
                };
                // SAFETY: each chunk has a place.
                let place = unsafe { *self.chunk_places.get_unchecked(at) };
                put(place, number(place.level, value)?, &mut changed);
            }
            start += GROUP;
        }
        while changed != 0 {
            let at = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            // SAFETY: only nodes are marked. Each has a place and a value, in the base and for the vector at hand.
            let (place, value) = unsafe {
                let (word, base) = (others.add(2 * at), self.values.get_unchecked(at));
                let value = [*word, *word.add(1)];
                (*word, *word.add(1)) = (base[0], base[1]);
                (*self.places.get_unchecked(at), value)
            };
            put(place, number(place.level, value)?, &mut changed);
        }
        self.is_valid = true;
        Ok(Some(numbers))
    }

    /// Is there a base to keep? [`Self::roots`] and [`Self::draft`] have to be told.
    #[inline(always)]
    pub fn has_base(&self) -> bool {
        self.is_valid && self.keeps_base
    }

    /// Numbers what is different in the base, children before parents: the numbers of the roots. The vector becomes the base, if there is
    /// none to keep. `root` is told which parts have another root now that is no chunk.
    #[inline(always)]
    fn number_changed<const HAS_BASE: bool, E>(
        &mut self,
        key: &[u8],
        number: impl FnMut(Level, Value) -> Result<u32, E>,
        root: impl FnMut(usize, Value),
    ) -> Result<Tuple, E> {
        debug_assert_eq!(chunk_count(key.len()), self.chunks.len());
        debug_assert_eq!(self.has_base(), HAS_BASE);
        let is_known = HAS_BASE || self.is_valid;
        // Until all numbers are there again.
        self.is_valid = false;
        if !is_known {
            self.mark_all();
        }
        let mut numbering = Numbering::<'_, HAS_BASE, _, _> {
            numbers: self.numbers,
            others: &mut self.others,
            changed: &mut self.changed,
            places: &self.places,
            number,
            root,
        };
        for (block, (chunks, places)) in
            self.chunks.chunks_mut(64).zip(self.chunk_places.chunks(64)).enumerate()
        {
            let key = &key[block * 64 * CHUNK_BYTES..];
            let mut marks = differing(key, chunks);
            if !is_known {
                marks = u64::MAX >> (64 - chunks.len());
            }
            while marks != 0 {
                let at = marks.trailing_zeros() as usize;
                marks &= marks - 1;
                let value = chunk(key, at);
                if !HAS_BASE {
                    chunks[at] = value;
                }
                numbering.number(places[at], value)?;
            }
        }
        if self.length != key.len() || !is_known {
            numbering.set_length(key.len() as u32);
        }
        numbering.number_marked(&mut self.values)?;
        let numbers = numbering.numbers;
        if !HAS_BASE {
            (self.numbers, self.length, self.keeps_base) = (numbers, key.len(), false);
        }
        self.is_valid = true;
        Ok(numbers)
    }

    /// After a failure, or at the start: everything has to be numbered.
    #[cold]
    fn mark_all(&mut self) {
        self.keeps_base = false;
        self.others.copy_from_slice(&self.values);
        self.changed.fill(0);
        for at in 0..self.places.len() {
            self.changed[at / 64] |= 1 << (at % 64);
        }
    }
}

/// The numbering of one vector.
struct Numbering<'a, const HAS_BASE: bool, N, R> {
    numbers: Tuple,
    others: &'a mut [Value],
    changed: &'a mut [u64],
    places: &'a [Place],
    number: N,
    root: R,
}

impl<const HAS_BASE: bool, E, N, R> Numbering<'_, HAS_BASE, N, R>
where
    N: FnMut(Level, Value) -> Result<u32, E>,
    R: FnMut(usize, Value),
{
    /// Numbers a node, and puts the number where it belongs.
    #[inline(always)]
    fn number(&mut self, place: Place, value: Value) -> Result<(), E> {
        let number = (self.number)(place.level, value)?;
        let parent = place.parent as usize;
        if place.level == Level::INNER {
            set_half(&mut self.others.as_flattened_mut()[place.word as usize], place.shift, number);
            self.changed[parent / 64] |= 1 << (parent % 64);
        } else {
            self.numbers[parent] = number;
        }
        Ok(())
    }

    #[cold]
    fn set_length(&mut self, length: u32) {
        let last = self.places.len() - 1;
        set_half(&mut self.others[last][0], 0, length);
        self.changed[last / 64] |= 1 << (last % 64);
    }

    /// Numbers the nodes that are marked, and leaves them as they are in the base, or that as they are.
    #[inline(always)]
    fn number_marked(&mut self, values: &mut [Value]) -> Result<(), E> {
        for block in 0..self.changed.len() {
            while self.changed[block] != 0 {
                let at = block * 64 + self.changed[block].trailing_zeros() as usize;
                self.changed[block] &= self.changed[block] - 1;
                let (place, value) = (self.places[at], self.others[at]);
                if HAS_BASE {
                    self.others[at] = values[at];
                } else {
                    values[at] = value;
                }
                if place.level != Level::INNER {
                    (self.root)(place.parent as usize, value);
                }
                self.number(place, value)?;
            }
        }
        Ok(())
    }
}

/// So many chunks are compared together.
const GROUP: usize = 16;

/// Four bits, one for each quarter of two chunks that is the same.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal_quarters(one: &[u8; CHUNK_BYTES], other: &Value) -> u64 {
    use std::arch::x86_64::{_mm_castsi128_ps, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_ps};
    // SAFETY: both have sixteen bytes, and every processor of this kind has these instructions.
    unsafe {
        let (one, other) = (_mm_loadu_si128(one.as_ptr().cast()), _mm_loadu_si128(other.as_ptr().cast()));
        _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(one, other))) as u64
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn equal_quarters(one: &[u8; CHUNK_BYTES], other: &Value) -> u64 {
    if u128::from_le_bytes(*one) == both(*other) { 0xf } else { 0 }
}

/// A bit for each chunk of a key that is another than there.
#[inline(always)]
fn differing(key: &[u8], chunks: &[Value]) -> u64 {
    let (whole, rest) = key.as_chunks::<CHUNK_BYTES>();
    let mut marks = 0;
    for (at, (one, other)) in whole.iter().zip(chunks).enumerate() {
        marks |= u64::from(u128::from_le_bytes(*one) != both(*other)) << at;
    }
    if !rest.is_empty()
        && let Some(other) = chunks.get(whole.len())
    {
        marks |= u64::from(padded(key, rest.len()) != both(*other)) << whole.len();
    }
    marks
}

/// Appends so many bytes of chunks.
#[inline]
fn append(chunks: &[Value], length: usize, out: &mut Vec<u8>) {
    if cfg!(target_endian = "little") {
        // SAFETY: numbers have no gaps between their bytes, and any bytes are numbers.
        let bytes = unsafe { std::slice::from_raw_parts(chunks.as_ptr().cast::<u8>(), size_of_val(chunks)) };
        out.extend_from_slice(&bytes[..length]);
    } else {
        let start = out.len();
        chunks.iter().for_each(|chunk| out.extend_from_slice(&both(*chunk).to_le_bytes()));
        out.truncate(start + length);
    }
}

/// Writes a number into one half of a word. The whole word is written: it will be read as a whole, which would wait for a smaller write.
#[inline(always)]
fn set_half(word: &mut u64, shift: u8, number: u32) {
    *word = *word & !(u64::from(u32::MAX) << shift) | u64::from(number) << shift;
}

/// A chunk as a value.
#[inline]
fn words(both: u128) -> Value {
    [both as u64, (both >> 64) as u64]
}

/// A value as a chunk.
#[inline]
fn both(value: Value) -> u128 {
    u128::from(value[0]) | u128::from(value[1]) << 64
}

/// One of the chunks of a key.
#[inline]
pub(crate) fn chunk(key: &[u8], at: usize) -> Value {
    match key.get(at * CHUNK_BYTES..).and_then(<[u8]>::first_chunk::<CHUNK_BYTES>) {
        // By halves: they are wanted in two registers.
        Some(chunk) => {
            let (halves, _) = chunk.as_chunks();
            [u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1])]
        }
        None => words(padded(key, key.len() % CHUNK_BYTES)),
    }
}

/// The last `rest` bytes of a key, fewer than a chunk, and zeros.
#[inline]
fn padded(key: &[u8], rest: usize) -> u128 {
    match key.last_chunk::<CHUNK_BYTES>() {
        // A copy of so many bytes into a buffer would be read back before it is written: the processor would wait.
        Some(last) => u128::from_le_bytes(*last) >> (8 * (CHUNK_BYTES - rest)),
        None => {
            let mut padded = [0; CHUNK_BYTES];
            padded[..rest].copy_from_slice(key);
            u128::from_le_bytes(padded)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_is_a_leaf_of_one_tree() {
        for chunks in 0..100 {
            let mut all: Vec<usize> = (0..PARTS).flat_map(|part| chunks_of(part, chunks)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..chunks).collect::<Vec<_>>());
        }
    }

    #[test]
    fn only_ways_from_changed_chunks_are_numbered() {
        let mut shape = Shape::new(8);
        let mut asked = 0;
        let mut count = |shape: &mut Shape, key: &[u8]| {
            let before = asked;
            let number = |_: Level, value| {
                asked += 1;
                Ok::<u32, ()>(
                    crate::hash(&u64::to_le_bytes(numbers_of(value).map(u64::from).iter().sum())) as u32
                )
            };
            shape.roots::<false, _>(key, number).unwrap();
            asked - before
        };
        let mut key = vec![1; 8 * CHUNK_BYTES];
        // Eight chunks and three roots.
        assert_eq!(count(&mut shape, &key), 8 + 3);
        assert_eq!(count(&mut shape, &key), 0);
        key[0] = 2;
        assert_eq!(count(&mut shape, &key), 2);
        key[127] = 2;
        assert_eq!(count(&mut shape, &key), 2);
        let mut short = Shape::new(1);
        assert_eq!(count(&mut short, &[0; 5]), 2);
        assert_eq!(count(&mut short, &[0; 6]), 1);
    }

    #[test]
    fn a_failure_does_not_stay() {
        let mut shape = Shape::new(2);
        let number = |_: Level, value: Value| Ok::<u32, ()>((value[0] ^ value[1] >> 7) as u32 & 0xff);
        let expected = shape.roots::<false, _>(&[5; 17], number).unwrap();
        for failing in 0..5 {
            let mut calls = 0;
            let _ = shape.roots::<false, _>(&[failing + 9; 17], |level, value| {
                calls += 1;
                if calls > failing { Err(()) } else { number(level, value) }
            });
            assert_eq!(shape.roots::<false, _>(&[5; 17], number), Ok(expected));
        }
    }

    #[test]
    fn every_byte_shows_in_the_roots() {
        for chunks in [0, 1, 2, 3, 7, 8, 63, 64, 65, 200] {
            let mut shape = Shape::new(chunks);
            let mut key = vec![0; chunks * CHUNK_BYTES];
            let roots = |shape: &mut Shape, key: &[u8]| {
                let number = |_: Level, value: Value| {
                    Ok::<u32, ()>(
                        crate::hash(&[value[0].to_le_bytes(), value[1].to_le_bytes()].concat()) as u32
                    )
                };
                shape.roots::<false, _>(key, number).unwrap()
            };
            let mut seen = std::collections::HashSet::from([roots(&mut shape, &key)]);
            for at in 0..key.len() {
                key[at] = 1;
                assert!(seen.insert(roots(&mut shape, &key)), "{chunks} chunks, byte {at}");
                key[at] = 0;
            }
            assert!(!seen.insert(roots(&mut shape, &key)));
        }
    }
}
