//! The compressed exact visited set: vectors share their parts, and a vector costs little more than a pair of numbers.
//!
//! A vector is a binary tree over its words ([`crate::shape`]). Every subtree has a number ([`crate::intern`]), equal
//! subtrees the same one, so a vector is the pair of numbers of its two halves. The pairs are kept in a compact set
//! ([`crate::compact`]), which takes two to six bytes a pair; there are far fewer different halves than vectors. Nothing
//! is hashed away: from its pair a vector can be read back.

use crate::compact::CompactSet;
use crate::intern::{GrowthDue, Interner};
use crate::shape::{Level, Shape, left_count, split, word_count};
use crate::{OutOfMemory, Prepared, StateRef, StateStore};

#[derive(Debug)]
pub struct TreeStore {
    tables: Tables,
    roots: CompactSet,
    scratch: Scratch,
    budget_bytes: usize,
}

/// The numbered subtrees: halves of vectors have their own tables, so that their numbers stay small.
#[derive(Debug)]
struct Tables {
    inner: Interner,
    left: Interner,
    right: Interner,
}

/// What one thread remembers from one lookup to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    /// By word count.
    shapes: Vec<Option<Box<Shape>>>,
    heap_bytes: usize,
}

impl Default for TreeStore {
    fn default() -> TreeStore {
        TreeStore::new()
    }
}

impl TreeStore {
    /// An empty store without a limit.
    pub fn new() -> TreeStore {
        TreeStore::with_budget(usize::MAX)
    }

    /// An empty store that refuses to take more than `budget_bytes`.
    pub fn with_budget(budget_bytes: usize) -> TreeStore {
        TreeStore {
            tables: Tables { inner: Interner::new(), left: Interner::new(), right: Interner::new() },
            roots: CompactSet::new(),
            scratch: Scratch::default(),
            budget_bytes,
        }
    }

    pub fn bytes_per_state(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.bytes_in_use() as f64 / self.len() as f64 }
    }

    /// Where the bytes are, for people.
    pub fn summary(&self) -> String {
        let table = |name: &str, table: &Interner| format!("{name} {} in {} bytes", table.len(), table.bytes());
        format!(
            "{}, {}, {}, roots {} in {} bytes ({} bits an entry)",
            table("inner", &self.tables.inner),
            table("left", &self.tables.left),
            table("right", &self.tables.right),
            self.roots.len(),
            self.roots.bytes(),
            self.roots.entry_bits(),
        )
    }

    /// [`StateStore::prepare`] from any number of threads at once, each with its own scratch.
    pub fn prepare_shared(&self, scratch: &mut Scratch, key: &[u8]) -> Result<Prepared, GrowthDue> {
        let shape = scratch.shape(key, usize::MAX).map_err(|_| GrowthDue)?;
        shape.roots(key, |level, value| self.tables.of(level).intern(value)).map(pack)
    }

    /// [`StateStore::insert`] from any number of threads at once.
    pub fn insert_shared(&self, prepared: Prepared) -> Result<(StateRef, bool), GrowthDue> {
        let is_new = self.roots.insert_shared(unpack(prepared.0))?;
        Ok((StateRef(prepared.0), is_new))
    }

    /// What has to be done alone when the shared functions refuse: makes room for many more vectors.
    pub fn grow_shared(&mut self, key: &[u8]) -> Result<(), OutOfMemory> {
        let prepared = self.prepare(key)?;
        if self.roots.insert_shared(unpack(prepared.0)).is_err() {
            self.grow_roots(unpack(prepared.0))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn allowed(&self) -> usize {
        self.budget_bytes.saturating_sub(self.bytes_in_use())
    }

    #[cold]
    fn grow_roots(&mut self, pair: [u32; 2]) -> Result<(), OutOfMemory> {
        let bits = |table: &Interner| usize::BITS - table.len().leading_zeros();
        let width = [bits(&self.tables.left), bits(&self.tables.right)];
        let allowed = self.allowed();
        self.roots.grow(pair, width, allowed)
    }

    /// Appends the words of a subtree.
    fn read_words(&self, number: u32, words: usize, out: &mut Vec<u8>) {
        let value = self.tables.inner.value(number);
        if words == 1 {
            out.extend_from_slice(&value.to_le_bytes());
        } else {
            self.read_pair(value, words, out);
        }
    }

    fn read_pair(&self, value: u64, words: usize, out: &mut Vec<u8>) {
        let middle = split(words);
        self.read_words(value as u32, middle, out);
        self.read_words((value >> 32) as u32, words - middle, out);
    }
}

impl StateStore for TreeStore {
    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        let fixed = self.roots.bytes();
        let TreeStore { tables, scratch, budget_bytes, .. } = self;
        let allowed = budget_bytes.saturating_sub(fixed + tables.bytes());
        scratch.shape(key, allowed)?;
        let scratch_bytes = scratch.heap_bytes;
        let shape = scratch.shapes[word_count(key.len())].as_mut().expect("made above");
        shape
            .roots(key, |level, value| match tables.of(level).intern(value) {
                Ok(number) => Ok(number),
                Err(GrowthDue) => {
                    let allowed = budget_bytes.saturating_sub(fixed + scratch_bytes + tables.bytes());
                    tables.grow(level, value, allowed)
                }
            })
            .map(pack)
    }

    #[inline]
    fn prefetch(&self, prepared: Prepared) {
        self.roots.prefetch(unpack(prepared.0));
    }

    #[inline]
    fn insert(&mut self, prepared: Prepared, _key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        let pair = unpack(prepared.0);
        loop {
            match self.roots.insert(pair) {
                Ok(is_new) => return Ok((StateRef(prepared.0), is_new)),
                Err(GrowthDue) => self.grow_roots(pair)?,
            }
        }
    }

    fn find(&self, prepared: Prepared, _key: &[u8]) -> Option<StateRef> {
        self.roots.contains(unpack(prepared.0)).then_some(StateRef(prepared.0))
    }

    fn read(&self, state: StateRef, out: &mut Vec<u8>) {
        let [left, right] = unpack(state.0);
        let right = self.tables.right.value(right);
        let tail = self.tables.inner.value(right as u32);
        let length = (tail >> 32) as usize;
        let (words, start) = (word_count(length), out.len());
        match left_count(words) {
            0 => {}
            1 => out.extend_from_slice(&self.tables.left.value(left).to_le_bytes()),
            half => self.read_pair(self.tables.left.value(left), half, out),
        }
        if words > left_count(words) {
            self.read_words((right >> 32) as u32, words - left_count(words), out);
        }
        out.extend_from_slice(&(tail as u32).to_le_bytes());
        out.truncate(start + length);
    }

    fn len(&self) -> usize {
        self.roots.len()
    }

    #[inline]
    fn bytes_in_use(&self) -> usize {
        self.tables.bytes() + self.roots.bytes() + self.scratch.heap_bytes
    }

    fn set_budget(&mut self, budget_bytes: usize) {
        self.budget_bytes = budget_bytes;
    }
}

impl Tables {
    #[inline]
    fn of(&self, level: Level) -> &Interner {
        match level {
            Level::Inner => &self.inner,
            Level::Left => &self.left,
            Level::Right => &self.right,
        }
    }

    fn bytes(&self) -> usize {
        self.inner.bytes() + self.left.bytes() + self.right.bytes()
    }

    /// Grows a table and numbers the value for which it was too small.
    #[cold]
    fn grow(&mut self, level: Level, value: u64, allowed: usize) -> Result<u32, OutOfMemory> {
        let table = match level {
            Level::Inner => &mut self.inner,
            Level::Left => &mut self.left,
            Level::Right => &mut self.right,
        };
        table.grow(allowed)?;
        table.intern(value).map_err(|GrowthDue| OutOfMemory)
    }
}

impl Scratch {
    /// The tree for a vector.
    #[inline]
    fn shape(&mut self, key: &[u8], allowed: usize) -> Result<&mut Shape, OutOfMemory> {
        let words = word_count(key.len());
        if !matches!(self.shapes.get(words), Some(Some(_))) {
            self.add_shape(words, allowed)?;
        }
        Ok(self.shapes[words].as_mut().expect("added above"))
    }

    #[cold]
    fn add_shape(&mut self, words: usize, allowed: usize) -> Result<(), OutOfMemory> {
        let shape = Box::new(Shape::new(words));
        let places = self.shapes.len().max(words + 1);
        let added = size_of::<Shape>() + shape.heap_bytes() + (places - self.shapes.len()) * size_of::<usize>();
        if added + self.heap_bytes > allowed {
            return Err(OutOfMemory);
        }
        self.shapes.reserve_exact(places - self.shapes.len());
        self.shapes.resize_with(places, || None);
        self.shapes[words] = Some(shape);
        self.heap_bytes += added;
        Ok(())
    }
}

#[inline]
fn pack(pair: [u32; 2]) -> Prepared {
    Prepared(u64::from(pair[0]) << 32 | u64::from(pair[1]))
}

#[inline]
fn unpack(packed: u64) -> [u32; 2] {
    [(packed >> 32) as u32, packed as u32]
}
