//! The compressed exact visited set: vectors share their parts, and a vector costs little more than a pair of numbers.
//!
//! A vector is a binary tree over its words ([`crate::shape`]). Every subtree has a number ([`crate::intern`]), equal
//! subtrees the same one, so a vector is the pair of numbers of its two halves. The pairs are kept in a compact set
//! ([`crate::compact`]), which takes two to six bytes a pair; there are far fewer different halves than vectors. Nothing
//! is hashed away: from its pair a vector can be read back.

use crate::compact::CompactSet;
use crate::intern::{GrowthDue, Interner, Value};
use crate::memo::Memo;
use crate::shape::{
    CHUNK_BYTES, Level, Shape, chunk_count, left_chunk, left_count, numbers_of, parts, right_chunk,
};
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
    /// By chunk count.
    shapes: Vec<Option<Box<Shape>>>,
    memo: Option<Memo>,
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
        let table =
            |name: &str, table: &Interner| format!("{name} {} in {} bytes", table.len(), table.bytes());
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
        let (shape, memo, _) = scratch.ready(key, usize::MAX).map_err(|_| GrowthDue)?;
        let number = |level, value| memo.number(level, value, || self.tables.of(level).intern(value));
        shape.roots(key, number).map(pack)
    }

    /// [`StateStore::insert`] from any number of threads at once.
    pub fn insert_shared(&self, prepared: Prepared) -> Result<(StateRef, bool), GrowthDue> {
        let is_new = self.roots.insert_shared(unpack(prepared.0))?;
        Ok((StateRef(prepared.0), is_new))
    }

    /// What has to be done alone when a shared function refuses a key: afterwards there is room for it.
    pub fn make_room(&mut self, key: &[u8]) -> Result<(), OutOfMemory> {
        let pair = unpack(self.prepare(key)?.0);
        if self.roots.is_growth_due(pair) { self.grow_roots(pair) } else { Ok(()) }
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

    /// Gives the leaves under a node to `each`, with their numbers from `first` on.
    fn leaves(&self, value: Value, first: usize, count: usize, each: &mut impl FnMut(usize, Value)) {
        if count == 1 {
            return each(first, value);
        }
        for (part, number) in parts(count, 4).zip(numbers_of(value)) {
            self.leaves(self.tables.inner.value(number), first + part.start, part.len(), each);
        }
    }
}

impl StateStore for TreeStore {
    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        let TreeStore { tables, scratch, budget_bytes, roots } = self;
        let taken = |tables: &Tables| tables.bytes() + roots.bytes();
        let allowed = budget_bytes.saturating_sub(taken(tables));
        let (shape, memo, scratch_bytes) = scratch.ready(key, allowed)?;
        let number = |level, value| {
            memo.number(level, value, || match tables.of(level).intern(value) {
                Ok(number) => Ok(number),
                Err(GrowthDue) => {
                    let allowed = budget_bytes.saturating_sub(taken(tables) + scratch_bytes);
                    tables.grow(level, value, allowed)
                }
            })
        };
        shape.roots(key, number).map(pack)
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
        let right = numbers_of(self.tables.right.value(right));
        let (length, start) = (right[0] as usize, out.len());
        let chunks = chunk_count(length);
        let half = left_count(chunks);
        out.resize(start + chunks * CHUNK_BYTES, 0);
        let mut put = |chunk: usize, value: Value| {
            let bytes = u128::from(value[0]) | u128::from(value[1]) << 64;
            out[start + chunk * CHUNK_BYTES..][..CHUNK_BYTES].copy_from_slice(&bytes.to_le_bytes());
        };
        if half > 0 {
            let each = &mut |leaf, value| put(left_chunk(leaf, chunks), value);
            self.leaves(self.tables.left.value(left), 0, half, each);
        }
        for (part, number) in parts(chunks - half, 3).zip(&right[1..]) {
            let each = &mut |leaf, value| put(right_chunk(leaf, chunks), value);
            self.leaves(self.tables.inner.value(*number), part.start, part.len(), each);
        }
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
    fn grow(&mut self, level: Level, value: Value, allowed: usize) -> Result<u32, OutOfMemory> {
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
    /// The tree for a vector, the memory of numberings, and what all of this takes.
    #[inline]
    fn ready(&mut self, key: &[u8], allowed: usize) -> Result<(&mut Shape, &mut Memo, usize), OutOfMemory> {
        let chunks = chunk_count(key.len());
        if !matches!(self.shapes.get(chunks), Some(Some(_))) {
            self.add_shape(chunks, allowed)?;
        }
        let shape = self.shapes[chunks].as_mut().expect("added above");
        Ok((shape, self.memo.as_mut().expect("made with the first shape"), self.heap_bytes))
    }

    #[cold]
    fn add_shape(&mut self, chunks: usize, allowed: usize) -> Result<(), OutOfMemory> {
        let shape = Box::new(Shape::new(chunks));
        let places = self.shapes.len().max(chunks + 1);
        let mut added =
            size_of::<Shape>() + shape.heap_bytes() + (places - self.shapes.len()) * size_of::<usize>();
        if self.memo.is_none() {
            added += Memo::BYTES;
        }
        if added + self.heap_bytes > allowed {
            return Err(OutOfMemory);
        }
        self.memo.get_or_insert_with(Memo::new);
        self.shapes.reserve_exact(places - self.shapes.len());
        self.shapes.resize_with(places, || None);
        self.shapes[chunks] = Some(shape);
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
