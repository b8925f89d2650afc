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
//! A successor differs from its origin in few chunks, so the tree remembers the chunks and numbers of one vector, the *base*,
//! and asks for new numbers only on the ways from changed chunks to the roots. The base is the origin, where the search
//! says so ([`Shape::rebase`]), and else the last vector.

use crate::Draft;
use crate::intern::Value;
pub(crate) use crate::mix::Tuple;

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
    chunks: usize,
    /// The chunks in their order in the vector, then nodes, children before parents.
    nodes: Vec<Node>,
    /// The nodes to be numbered anew, one bit each.
    changed: Vec<u64>,
    /// The children of the nodes that are no chunks, in their places.
    children: Vec<[u32; FANOUT]>,
    /// The base stays when other vectors are numbered: what they changed is to be undone.
    keeps_base: bool,
    undo: Vec<(u32, Value, u32)>,
    /// The numbers belong to the chunks.
    is_valid: bool,
    /// The roots of the parts; a part without chunks has none, except the last.
    roots: [Option<u32>; PARTS],
    /// The numbers of some roots are not known.
    is_drafted: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    value: Value,
    number: u32,
    parent: u32,
    level: Level,
    /// Which child of its parent it is.
    place: u8,
}

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

impl Shape {
    pub fn new(chunks: usize) -> Shape {
        let mut nodes = vec![Node::new(); chunks];
        let roots = [0, 1, 2].map(|part| {
            let leaves: Vec<usize> = chunks_of(part, chunks).collect();
            let root = if part + 1 == PARTS {
                let parts = parts(leaves.len(), fanout(part));
                let children: Vec<usize> = parts.map(|range| build(&mut nodes, &leaves[range])).collect();
                Some(adopt(&mut nodes, &children, 1))
            } else {
                (!leaves.is_empty()).then(|| build(&mut nodes, &leaves))
            };
            if let Some(root) = root {
                nodes[root].level = Level::part(part);
            }
            root.map(|root| root as u32)
        });
        let changed = vec![0; nodes.len().div_ceil(64)];
        let mut children = vec![[NONE; FANOUT]; nodes.len() - chunks];
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.parent != NONE) {
            children[node.parent as usize - chunks][usize::from(node.place)] = at as u32;
        }
        let undo = Vec::with_capacity(nodes.len());
        Shape {
            chunks,
            nodes,
            changed,
            children,
            keeps_base: false,
            undo,
            is_valid: false,
            roots,
            is_drafted: false,
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.changed.capacity() * size_of::<u64>()
            + self.children.capacity() * size_of::<[u32; FANOUT]>()
            + self.undo.capacity() * size_of::<(u32, Value, u32)>()
    }

    /// Is it worth while to keep a base? With few chunks, to number one that is the same again costs less.
    #[inline]
    pub fn is_long(&self) -> bool {
        self.chunks >= LONG
    }

    /// Makes the vector with these roots the base, and appends it to `out`. Values are asked for where numbers differ.
    #[inline]
    pub fn rebase(&mut self, roots: Tuple, value: impl Fn(Level, u32) -> Value, out: &mut Vec<u8>) {
        if self.is_valid {
            self.take_back();
        } else {
            self.nodes.iter_mut().for_each(|node| node.number = NONE);
            self.changed.fill(0);
            self.undo.clear();
        }
        (self.is_valid, self.is_drafted, self.keeps_base) = (true, false, true);
        for (root, number) in self.roots.into_iter().zip(roots) {
            if let Some(root) = root {
                self.adopt(root as usize, number, &value);
            }
        }
        let start = out.len();
        out.reserve(self.chunks * CHUNK_BYTES);
        for node in &self.nodes[..self.chunks] {
            out.extend_from_slice(&both(node.value).to_le_bytes());
        }
        out.truncate(start + self.length() as usize);
    }

    /// The node has this number, and what follows from it.
    fn adopt(&mut self, at: usize, number: u32, value: &impl Fn(Level, u32) -> Value) {
        let node = &mut self.nodes[at];
        if node.number == number {
            return;
        }
        node.number = number;
        node.value = value(node.level, number);
        if at >= self.chunks {
            let numbers = numbers_of(node.value);
            for (child, number) in self.children[at - self.chunks].into_iter().zip(numbers) {
                if child != NONE {
                    self.adopt(child as usize, number, value);
                }
            }
        }
    }

    /// Back to the base.
    #[inline]
    fn take_back(&mut self) {
        for (at, value, number) in self.undo.drain(..) {
            let node = &mut self.nodes[at as usize];
            (node.value, node.number) = (value, number);
        }
    }

    /// The length of the vector: the first number in the root of the last part, which is the last node.
    #[inline]
    fn length(&self) -> u32 {
        self.nodes[self.nodes.len() - 1].value[0] as u32
    }

    /// The numbers of the roots; `number` numbers what changed.
    #[inline(always)]
    pub fn roots<const HAS_BASE: bool, E>(
        &mut self,
        key: &[u8],
        mut number: impl FnMut(Level, Value) -> Result<u32, E>,
    ) -> Result<Tuple, E> {
        self.compare::<HAS_BASE>(key);
        if self.is_drafted {
            self.mark_unknown();
        }
        self.number_changed::<HAS_BASE, E>(key, &mut number)?;
        self.is_drafted = false;
        Ok(self.roots.map(|root| root.map_or(0, |root| self.nodes[root as usize].number)))
    }

    /// The roots themselves, and their numbers where those are known or `find` finds them; `number` numbers all below.
    #[inline(always)]
    pub fn draft<const HAS_BASE: bool, E>(
        &mut self,
        key: &[u8],
        mut number: impl FnMut(Level, Value) -> Result<u32, E>,
        mut find: impl FnMut(Level, Value) -> Option<u32>,
    ) -> Result<Draft, E> {
        let mut number = |level, value| {
            if level == Level::INNER { number(level, value) } else { Ok(find(level, value).unwrap_or(NONE)) }
        };
        self.compare::<HAS_BASE>(key);
        self.number_changed::<HAS_BASE, E>(key, &mut number)?;
        self.is_drafted = !HAS_BASE;
        let mut draft = Draft::default();
        for (part, root) in self.roots.iter().enumerate() {
            if let Some(root) = root {
                let node = &self.nodes[*root as usize];
                (draft.parts[part], draft.numbers[part]) = (node.value, node.number);
            }
        }
        Ok(draft)
    }

    /// Numbers what changed, children before parents.
    #[inline(always)]
    fn number_changed<const HAS_BASE: bool, E>(
        &mut self,
        key: &[u8],
        number: &mut impl FnMut(Level, Value) -> Result<u32, E>,
    ) -> Result<(), E> {
        self.is_valid = false;
        for block in 0..self.changed.len() {
            let mut changed = std::mem::take(&mut self.changed[block]);
            while changed != 0 {
                let at = block * 64 + changed.trailing_zeros() as usize;
                changed &= changed - 1;
                let mut value = self.nodes[at].value;
                if HAS_BASE && at < self.chunks {
                    self.log(at);
                    // Kept at hand: reading it back from the node would wait for the write.
                    value = chunk(key, at);
                    self.nodes[at].value = value;
                }
                let node = &mut self.nodes[at];
                node.number = number(node.level, value)?;
                if node.parent != NONE {
                    let (number, parent, place) = (node.number, node.parent as usize, node.place);
                    let marks =
                        if parent / 64 == block { &mut changed } else { &mut self.changed[parent / 64] };
                    let bit = 1 << (parent % 64);
                    let is_first = *marks & bit == 0;
                    *marks |= bit;
                    if HAS_BASE && is_first {
                        self.log(parent);
                    }
                    self.nodes[parent].set_child(place, number);
                }
            }
        }
        self.is_valid = true;
        Ok(())
    }

    /// Before a node of the base changes for the first time.
    #[inline]
    fn log(&mut self, at: usize) {
        let node = &self.nodes[at];
        self.undo.push((at as u32, node.value, node.number));
    }

    /// Roots of a draft have to be numbered if that was left out.
    #[cold]
    fn mark_unknown(&mut self) {
        for root in self.roots.into_iter().flatten().map(|root| root as usize) {
            self.changed[root / 64] |= u64::from(self.nodes[root].number == NONE) << (root % 64);
        }
    }

    /// After a failure, or at the start: everything has to be numbered.
    #[cold]
    fn mark_all(&mut self) {
        (self.keeps_base, self.is_drafted) = (false, false);
        self.undo.clear();
        for at in 0..self.nodes.len() {
            self.changed[at / 64] |= 1 << (at % 64);
        }
    }

    /// Is there a base to keep? [`Self::roots`] and [`Self::draft`] have to be told.
    #[inline]
    pub fn has_base(&self) -> bool {
        self.is_valid && self.keeps_base
    }

    /// Marks the chunks that differ; takes them over, if there is no base to keep.
    #[inline(always)]
    fn compare<const HAS_BASE: bool>(&mut self, key: &[u8]) {
        debug_assert_eq!(chunk_count(key.len()), self.chunks);
        debug_assert_eq!(self.has_base(), HAS_BASE);
        if HAS_BASE {
            self.take_back();
        } else if !self.is_valid {
            self.mark_all();
        }
        let (chunks, rest) = key.as_chunks::<CHUNK_BYTES>();
        for ((chunks, nodes), changed) in
            chunks.chunks(64).zip(self.nodes.chunks_mut(64)).zip(&mut self.changed)
        {
            let mut bit = 1;
            for (chunk, node) in chunks.iter().zip(nodes) {
                *changed |= node.differs::<HAS_BASE>(words(u128::from_le_bytes(*chunk)), bit);
                bit <<= 1;
            }
        }
        if !rest.is_empty() {
            let at = chunks.len();
            let value = words(padded(key, rest.len()));
            self.changed[at / 64] |= self.nodes[at].differs::<HAS_BASE>(value, 1 << (at % 64));
        }
        if self.length() != key.len() as u32 {
            let root = self.nodes.len() - 1;
            if HAS_BASE {
                self.log(root);
            }
            self.nodes[root].set_child(0, key.len() as u32);
            self.changed[root / 64] |= 1 << (root % 64);
        }
    }
}

impl Node {
    fn new() -> Node {
        Node { value: [0; 2], number: NONE, parent: NONE, level: Level::INNER, place: 0 }
    }

    /// The bit, if the value is another one; takes it over, if there is no base to keep.
    #[inline(always)]
    fn differs<const HAS_BASE: bool>(&mut self, value: Value, bit: u64) -> u64 {
        let mark = if self.value == value { 0 } else { bit };
        if !HAS_BASE {
            self.value = value;
        }
        mark
    }

    #[inline]
    fn set_child(&mut self, place: u8, number: u32) {
        let shift = u32::from(place % 2) * 32;
        let word = &mut self.value[usize::from(place / 2)];
        *word = *word & !(u64::from(u32::MAX) << shift) | u64::from(number) << shift;
    }
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

/// The node over some leaves, at least one.
fn build(nodes: &mut Vec<Node>, leaves: &[usize]) -> usize {
    if let [leaf] = leaves {
        return *leaf;
    }
    let children: Vec<usize> = parts(leaves.len(), FANOUT).map(|part| build(nodes, &leaves[part])).collect();
    adopt(nodes, &children, 0)
}

/// A new node with these children, the first of which has the place `place`.
fn adopt(nodes: &mut Vec<Node>, children: &[usize], place: u8) -> usize {
    let parent = nodes.len();
    nodes.push(Node::new());
    for (child, place) in children.iter().zip(place..) {
        nodes[*child].parent = parent as u32;
        nodes[*child].place = place;
    }
    parent
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
