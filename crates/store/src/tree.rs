//! The compressed exact visited set: vectors share their parts, and a vector costs little more than a pair of numbers.
//!
//! A vector is cut into chunks, and those are the leaves of three trees ([`crate::shape`]). Every subtree has a number
//! ([`crate::intern`]), equal subtrees the same one, so a vector is the triple of the numbers of its parts. The
//! triples are kept in a compact set ([`crate::compact`]), which takes two to six bytes for most; there are far
//! fewer different parts than vectors. Nothing is hashed away: from its triple a vector can be read back.
//!
//! A reference is such a triple, 21 bits a number. Vectors with a part whose number is larger are rare and come late;
//! for them the first two numbers are numbered once more, and the pair of that number and the third is kept in a set of
//! its own.
//!
//! If it is known which bits of vectors vary, and those are few, short vectors are numbers by themselves ([`crate::packing`]), which have a
//! set of their own too.

mod sharing;

use crate::bump::Quota;
use crate::compact::CompactSet;
use crate::intern::{GrowthDue, Interner, Value};
use crate::memo::Memo;
use crate::mix::Fields;
use crate::packing::{BITS_MAX, Misfit, Packing};
use crate::shape::{
    CHUNK_BYTES, FANOUT, Level, NONE, PARTS, Shape, Tuple, chunk_count, chunks_of, fanout, numbers_of, parts,
};
use crate::short::Short;
use crate::{
    Draft, Drafting, Flags, ImageReader, ImageWriter, OutOfMemory, PathHooks, Prepared, ReadBack, StateRef,
    StateStore, StoreSettings, Visited,
};
use std::cell::RefCell;
use std::io;

#[derive(Debug)]
pub struct TreeStore {
    tables: Tables,
    triples: CompactSet,
    pairs: CompactSet,
    /// How short vectors are numbers, if they can be, and those that are.
    packing: Option<Packing>,
    packed: CompactSet,
    /// What all sets take: it is asked for with every vector, and changes when one grows.
    set_bytes: usize,
    scratch: Scratch,
    budget_bytes: usize,
}

/// The numbered subtrees: each part of a vector has its own table, so that the numbers of roots stay small.
#[derive(Debug)]
struct Tables {
    /// By level.
    nodes: [Interner; Level::COUNT],
    /// The numbers of the first two parts, where a triple is too large.
    joined: Interner,
    /// Triples have numbers below this.
    triple_max: u32,
}

/// What one thread remembers from one lookup to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    /// By chunk count.
    shapes: Vec<Option<Box<Shape>>>,
    short: Short,
    memo: Option<Memo>,
    heap_bytes: usize,
    /// Of the triples, the pairs and the packed vectors held: counted, and not added yet.
    quotas: [Quota; 3],
}

const TRIPLE_BITS: u32 = 21;
/// What the sets make of references without their marks.
const TRIPLES: Fields =
    Fields { starts: [2 * TRIPLE_BITS, TRIPLE_BITS, 0], widths_max: [TRIPLE_BITS; PARTS] };
const PAIRS: Fields = Fields { starts: [32, 0, 0], widths_max: [30, 32, 0] };
const NUMBERS: Fields = Fields { starts: [0; 3], widths_max: [BITS_MAX, 0, 0] };
/// Marks a pair.
const PAIR: u64 = 1 << 63;
const JOINED_MAX: u32 = 1 << 30;
/// Marks a packed vector, together with the mark of a pair.
const PACKED: u64 = 1 << 62;

/// Tables beyond this are likely not to be in the processor's caches.
const CACHE_BYTES: usize = 12 << 20;

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
            tables: Tables {
                nodes: std::array::from_fn(|_| Interner::new()),
                joined: Interner::new(),
                triple_max: 1 << TRIPLE_BITS,
            },
            triples: CompactSet::new(TRIPLES),
            pairs: CompactSet::new(PAIRS),
            packing: None,
            packed: CompactSet::new(NUMBERS),
            set_bytes: 0,
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
        let set = |name: &str, set: &CompactSet| {
            format!("{name} {} in {} bytes, {} bits an entry", set.len(), set.bytes(), set.entry_bits())
        };
        let names = ["part 0", "part 1", "part 2", "inner"];
        let tables = names.into_iter().zip(&self.tables.nodes).map(|(name, nodes)| table(name, nodes));
        let sets = [("triples", &self.triples), ("pairs", &self.pairs), ("packed", &self.packed)];
        let sets = sets.into_iter().filter(|(_, held)| held.len() > 0).map(|(name, held)| set(name, held));
        tables.chain(sets).collect::<Vec<_>>().join("; ")
    }

    /// The set that a reference belongs to.
    #[inline(always)]
    fn set(&self, reference: u64) -> &CompactSet {
        match Kind::of(reference) {
            Kind::Triple => &self.triples,
            Kind::Packed => &self.packed,
            Kind::Pair => &self.pairs,
        }
    }

    #[inline(always)]
    fn set_mut(&mut self, reference: u64) -> &mut CompactSet {
        match Kind::of(reference) {
            Kind::Triple => &mut self.triples,
            Kind::Packed => &mut self.packed,
            Kind::Pair => &mut self.pairs,
        }
    }

    /// A set has changed its size.
    fn note_sets(&mut self) {
        self.set_bytes = self.triples.bytes() + self.pairs.bytes() + self.packed.bytes();
    }

    /// The vector as a number, if it is one. May add bits to the packing.
    #[inline(always)]
    fn pack(&mut self, key: &[u8]) -> Option<Prepared> {
        let packing = self.packing.as_mut()?;
        loop {
            match packing.pack(key) {
                Ok(number) => return Some(Prepared(PAIR | PACKED | number)),
                Err(Misfit::ForEver) => return None,
                Err(Misfit::ForNow) => packing.extend(key),
            }
        }
    }

    /// [`Visited::prepare`] for a vector that is no number.
    #[inline(never)]
    fn prepare_tree(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        let taken = self.set_bytes;
        let TreeStore { tables, scratch, budget_bytes, .. } = self;
        if let Scratch { shapes, short, memo: Some(memo), heap_bytes, .. } = scratch {
            let chunks = chunk_count(key.len());
            let budget = budget_bytes.saturating_sub(taken + *heap_bytes);
            let number = |level, value| memo.number(level, value, || tables.number(level, value, budget));
            if Short::is_short(chunks) {
                let tuple = short.roots(key, number)?;
                return tables.pack(tuple, budget);
            }
            if let Some(Some(shape)) = shapes.get_mut(chunks)
                && let Some(tuple) = shape.roots_like_base(key, number)?
            {
                return tables.pack(tuple, budget);
            }
        }
        self.prepare_any(key)
    }

    /// The same for a vector of any length. By itself, so that all that it needs is inlined here.
    #[inline(never)]
    fn prepare_any(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        let taken = self.set_bytes;
        let TreeStore { tables, scratch, budget_bytes, .. } = self;
        let allowed = || budget_bytes.saturating_sub(tables.bytes() + taken);
        let (shape, memo, scratch_bytes) = scratch.ready(key, allowed)?;
        let budget = budget_bytes.saturating_sub(taken + scratch_bytes);
        let number = |level, value| memo.number(level, value, || tables.number(level, value, budget));
        let tuple = match shape.has_base() {
            true => shape.roots::<true, _>(key, number)?,
            false => shape.roots::<false, _>(key, number)?,
        };
        tables.pack(tuple, budget)
    }

    /// How a vector was made a number, if it was.
    #[inline]
    fn packing_of(&self, state: StateRef) -> Option<&Packing> {
        self.packing.as_ref().filter(|_| Kind::of(state.0) == Kind::Packed)
    }

    #[inline(always)]
    fn allowed(&self) -> usize {
        self.budget_bytes.saturating_sub(self.bytes_in_use())
    }

    /// By itself, so that the usual way keeps nothing for it at hand.
    #[cold]
    #[inline(never)]
    fn insert_and_grow(&mut self, reference: u64) -> Result<(StateRef, bool), OutOfMemory> {
        loop {
            self.grow_set(reference)?;
            if let Ok(is_new) = self.set_mut(reference).insert(name(reference)) {
                return Ok((StateRef(reference), is_new));
            }
        }
    }

    #[cold]
    fn grow_set(&mut self, reference: u64) -> Result<(), OutOfMemory> {
        let bits = |table: &Interner| usize::BITS - table.len().leading_zeros();
        let [first, second, third] = [0, 1, 2].map(|part| bits(self.tables.of(Level::part(part))));
        let width = match Kind::of(reference) {
            Kind::Triple => [first, second, third],
            Kind::Packed => [self.packing.as_ref().map_or(0, Packing::bits), 0, 0],
            Kind::Pair => [bits(&self.tables.joined), third, 0],
        };
        let allowed = self.allowed();
        let grown = self.set_mut(reference).grow(name(reference), width, allowed);
        self.note_sets();
        grown
    }

    /// Gives the leaves under a node to `each`.
    fn leaves(&self, value: Value, count: usize, each: &mut impl FnMut(Value)) {
        if count == 1 {
            return each(value);
        }
        for (range, number) in parts(count, FANOUT).zip(numbers_of(value)) {
            self.leaves(self.tables.of(Level::INNER).value(number), range.len(), each);
        }
    }
}

impl Visited for TreeStore {
    #[inline(always)]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        match self.pack(key) {
            Some(prepared) => Ok(prepared),
            None => self.prepare_tree(key),
        }
    }

    #[inline(always)]
    fn begin(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        let prepared = self.prepare(key)?;
        self.set_mut(prepared.0).begin(name(prepared.0));
        Ok(prepared)
    }

    /// Packing a vector looks nothing up.
    fn prepares_freely(&self) -> bool {
        self.packing.is_some()
    }

    #[inline]
    fn prefetch(&self, prepared: Prepared) {
        self.set(prepared.0).prefetch(name(prepared.0));
    }

    #[inline]
    fn may_hold(&self, prepared: Prepared) -> bool {
        self.find(prepared, &[]).is_some()
    }

    #[inline]
    fn insert(&mut self, prepared: Prepared, _key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        match self.set_mut(prepared.0).insert(name(prepared.0)) {
            Ok(is_new) => Ok((StateRef(prepared.0), is_new)),
            Err(GrowthDue) => self.insert_and_grow(prepared.0),
        }
    }

    #[inline]
    fn insert_until_new<'k>(
        &mut self,
        prepared: &[Prepared],
        _: impl Fn(usize) -> &'k [u8],
        at: &mut usize,
    ) -> Result<Option<StateRef>, OutOfMemory> {
        for Prepared(reference) in &prepared[*at..] {
            let is_new = match self.set_mut(*reference).insert(name(*reference)) {
                Ok(is_new) => is_new,
                Err(GrowthDue) => self.insert_and_grow(*reference)?.1,
            };
            *at += 1;
            if is_new {
                return Ok(Some(StateRef(*reference)));
            }
        }
        Ok(None)
    }

    fn find(&self, prepared: Prepared, _key: &[u8]) -> Option<StateRef> {
        self.set(prepared.0).contains(name(prepared.0)).then_some(StateRef(prepared.0))
    }
}

impl Drafting for TreeStore {
    #[inline]
    fn is_slow_to_prepare(&self) -> bool {
        self.tables.bytes() >= CACHE_BYTES
    }

    /// Numbers all below the roots, and asks for the memory where the roots are looked up.
    #[inline]
    fn draft(&mut self, key: &[u8]) -> Result<Draft, OutOfMemory> {
        if let Some(prepared) = self.pack(key) {
            return Ok(Draft::of(prepared));
        }
        let taken = self.set_bytes;
        let TreeStore { tables, scratch, budget_bytes, .. } = self;
        let allowed = || budget_bytes.saturating_sub(tables.bytes() + taken);
        let (shape, memo, scratch_bytes) = scratch.ready(key, allowed)?;
        let budget = budget_bytes.saturating_sub(taken + scratch_bytes);
        let draft = if shape.has_base() {
            tables.draft::<true>(shape, memo, key, budget)?
        } else {
            tables.draft::<false>(shape, memo, key, budget)?
        };
        for part in (0..PARTS).filter(|part| draft.numbers[*part] == NONE) {
            self.tables.of(Level::part(part)).prefetch(draft.parts[part]);
        }
        Ok(draft)
    }

    #[inline]
    fn advance(&self, draft: &Draft) {
        for part in (0..PARTS).filter(|part| draft.numbers[*part] == NONE) {
            self.tables.of(Level::part(part)).prefetch_value(draft.parts[part]);
        }
    }

    #[inline]
    fn conclude(&mut self, draft: &Draft) -> Result<Prepared, OutOfMemory> {
        if draft.is_done {
            return Ok(draft.prepared());
        }
        let taken = self.set_bytes;
        let TreeStore { tables, scratch, budget_bytes, .. } = self;
        let budget = budget_bytes.saturating_sub(taken + scratch.heap_bytes);
        let memo = scratch.memo.as_mut().expect("a draft was made with it");
        let mut tuple = draft.numbers;
        for part in (0..PARTS).filter(|part| draft.numbers[*part] == NONE) {
            let (level, value) = (Level::part(part), draft.parts[part]);
            tuple[part] = memo.number(level, value, || tables.number(level, value, budget))?;
        }
        tables.pack(tuple, budget)
    }
}

impl ReadBack for TreeStore {
    #[inline]
    fn read_origin(&mut self, state: StateRef, out: &mut Vec<u8>) {
        if let Some(packing) = self.packing_of(state) {
            return packing.unpack(state.0 & !(PAIR | PACKED), out);
        }
        let tuple = self.tables.tuple(state.0);
        let length = numbers_of(self.tables.of(Level::part(PARTS - 1)).value(tuple[PARTS - 1]))[0];
        // It was put in by a shape, so there is one.
        match self.scratch.shapes.get_mut(chunk_count(length as usize)) {
            Some(Some(shape)) => {
                shape.rebase(tuple, |level, number| self.tables.of(level).value(number), out)
            }
            _ => self.read(state, out),
        }
    }

    fn read(&self, state: StateRef, out: &mut Vec<u8>) {
        if let Some(packing) = self.packing_of(state) {
            return packing.unpack(state.0 & !(PAIR | PACKED), out);
        }
        let tuple = self.tables.tuple(state.0);
        let last = numbers_of(self.tables.of(Level::part(PARTS - 1)).value(tuple[PARTS - 1]));
        let (length, start) = (last[0] as usize, out.len());
        let chunks = chunk_count(length);
        out.resize(start + chunks * CHUNK_BYTES, 0);
        for (part, number) in tuple.into_iter().enumerate() {
            let mut places = chunks_of(part, chunks);
            let mut put = |value: Value| {
                let chunk = places.next().expect("as many as there are leaves");
                let bytes = u128::from(value[0]) | u128::from(value[1]) << 64;
                out[start + chunk * CHUNK_BYTES..][..CHUNK_BYTES].copy_from_slice(&bytes.to_le_bytes());
            };
            let count = chunks_of(part, chunks).count();
            if part + 1 == PARTS {
                for (range, number) in parts(count, fanout(part)).zip(&last[1..]) {
                    self.leaves(self.tables.of(Level::INNER).value(*number), range.len(), &mut put);
                }
            } else if count > 0 {
                self.leaves(self.tables.of(Level::part(part)).value(number), count, &mut put);
            }
        }
        out.truncate(start + length);
    }
}

impl PathHooks for TreeStore {
    const HEARS_MET: bool = false;
}

impl StateStore for TreeStore {
    fn len(&self) -> usize {
        self.triples.len() + self.pairs.len() + self.packed.len()
    }

    #[inline]
    fn bytes_in_use(&self) -> usize {
        let packing = self.packing.as_ref().map_or(0, Packing::heap_bytes);
        self.tables.bytes() + self.set_bytes + self.scratch.heap_bytes + packing
    }

    fn configure(&mut self, settings: &StoreSettings) {
        self.packing = settings.varying.as_ref().and_then(Packing::new);
    }

    fn set_budget(&mut self, budget_bytes: usize) {
        self.budget_bytes = budget_bytes;
    }

    const HAS_IMAGE: bool = true;

    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        assert!(self.packing.is_none(), "no first look is taken by a search that is written down");
        let Tables { nodes, joined, triple_max } = &mut self.tables;
        image.u32(*triple_max)?;
        nodes.iter_mut().chain([joined]).try_for_each(|table| table.save(image))?;
        self.triples.save(image)?;
        self.pairs.save(image)
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        let Tables { nodes, joined, triple_max } = &mut self.tables;
        *triple_max = image.u32()?;
        for table in nodes.iter_mut().chain([joined]) {
            *table = Interner::load(image)?;
        }
        self.triples.load(image)?;
        self.pairs.load(image)?;
        self.note_sets();
        Ok(())
    }
}

impl Flags for TreeStore {
    const HAS_FLAGS: bool = true;

    fn keep_flags(&mut self) {
        self.triples.keep_flags();
        self.pairs.keep_flags();
        self.packed.keep_flags();
    }

    #[inline]
    fn flags(&self, StateRef(reference): StateRef) -> u8 {
        self.set(reference).flags(name(reference))
    }

    #[inline]
    fn set_flags(&self, StateRef(reference): StateRef, mask: u8) -> u8 {
        self.set(reference).set_flags(name(reference), mask)
    }

    #[inline]
    fn clear_flags(&self, StateRef(reference): StateRef, mask: u8) -> u8 {
        self.set(reference).clear_flags(name(reference), mask)
    }
}

impl Tables {
    /// The number of a node, within so many bytes for all tables. By itself: mostly it is remembered.
    #[inline(never)]
    fn number(&mut self, level: Level, value: Value, budget: usize) -> Result<u32, OutOfMemory> {
        match self.of(level).intern(value) {
            Ok(number) => Ok(number),
            Err(GrowthDue) => {
                let allowed = budget.saturating_sub(self.bytes());
                grow(&mut self.nodes[level.index()], value, allowed)
            }
        }
    }

    #[inline(never)]
    fn draft<const HAS_BASE: bool>(
        &mut self,
        shape: &mut Shape,
        memo: &mut Memo,
        key: &[u8],
        budget: usize,
    ) -> Result<Draft, OutOfMemory> {
        let memo = RefCell::new(memo);
        let number =
            |level, value| memo.borrow_mut().number(level, value, || self.number(level, value, budget));
        shape.draft::<HAS_BASE, _>(key, number, |level, value| memo.borrow_mut().find(level, value))
    }

    /// A triple, or else a pair.
    #[inline]
    fn pack(&mut self, tuple: Tuple, budget: usize) -> Result<Prepared, OutOfMemory> {
        if self.is_triple(tuple) { Ok(pack_triple(tuple)) } else { self.pack_joined(tuple, budget) }
    }

    fn pack_joined(&mut self, tuple: Tuple, budget: usize) -> Result<Prepared, OutOfMemory> {
        let joined = match self.joined.intern(join(tuple)) {
            Ok(number) => number,
            Err(GrowthDue) => {
                let allowed = budget.saturating_sub(self.bytes());
                grow(&mut self.joined, join(tuple), allowed)?
            }
        };
        if joined < JOINED_MAX { Ok(pack_pair(joined, tuple[2])) } else { Err(OutOfMemory) }
    }

    #[inline]
    fn of(&self, level: Level) -> &Interner {
        &self.nodes[level.index()]
    }

    fn bytes(&self) -> usize {
        self.nodes.iter().map(Interner::bytes).sum::<usize>() + self.joined.bytes()
    }

    #[inline]
    fn is_triple(&self, tuple: Tuple) -> bool {
        tuple.iter().all(|number| *number < self.triple_max)
    }

    /// The numbers of the parts.
    fn tuple(&self, packed: u64) -> Tuple {
        if packed & PAIR == 0 {
            return triple(packed);
        }
        let [joined, third, _] = pair(packed);
        let [first, second, ..] = numbers_of(self.joined.value(joined));
        [first, second, third]
    }
}

/// Grows a table and numbers the value for which it was too small.
#[cold]
fn grow(table: &mut Interner, value: Value, allowed: usize) -> Result<u32, OutOfMemory> {
    table.grow(allowed)?;
    table.intern(value).map_err(|GrowthDue| OutOfMemory)
}

impl Scratch {
    /// The tree for a vector, the memory of numberings, and what all of this takes.
    #[inline]
    fn ready(
        &mut self,
        key: &[u8],
        allowed: impl FnOnce() -> usize,
    ) -> Result<(&mut Shape, &mut Memo, usize), OutOfMemory> {
        let chunks = chunk_count(key.len());
        if !matches!(self.shapes.get(chunks), Some(Some(_))) {
            self.add_shape(chunks, allowed())?;
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

/// What a reference stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Triple,
    Packed,
    Pair,
}

impl Kind {
    #[inline(always)]
    fn of(reference: u64) -> Kind {
        match reference >> 62 {
            0 | 1 => Kind::Triple,
            2 => Kind::Pair,
            _ => Kind::Packed,
        }
    }
}

/// What a set knows a reference by: all but its marks.
#[inline(always)]
fn name(reference: u64) -> u64 {
    // A mark of 62 bits would be the highest bit of a triple.
    if reference & PAIR == 0 { reference } else { reference & !(PAIR | PACKED) }
}

#[inline(always)]
fn pack_triple(tuple: Tuple) -> Prepared {
    let [a, b, c] = tuple.map(u64::from);
    Prepared((a << TRIPLE_BITS | b) << TRIPLE_BITS | c)
}

#[inline(always)]
fn triple(packed: u64) -> Tuple {
    let mask = (1 << TRIPLE_BITS) - 1;
    [packed >> (2 * TRIPLE_BITS), packed >> TRIPLE_BITS, packed].map(|number| number as u32 & mask)
}

fn pack_pair(joined: u32, third: u32) -> Prepared {
    Prepared(PAIR | u64::from(joined) << 32 | u64::from(third))
}

fn pair(packed: u64) -> Tuple {
    [name(packed) >> 32, packed & u64::from(u32::MAX), 0].map(|number| number as u32)
}

/// The first two numbers as a value.
fn join(tuple: Tuple) -> Value {
    [u64::from(tuple[0]) | u64::from(tuple[1]) << 32, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_with_large_numbers_are_kept_as_pairs() {
        let mut store = TreeStore::new();
        store.tables.triple_max = 300;
        let keys: Vec<Vec<u8>> = (0..20_000u32)
            .map(|i| [i % 400, 0, 0, 0, i / 3, 0, 0, 0, i % 7].map(u32::to_le_bytes).concat())
            .collect();
        let mut states = Vec::new();
        for key in &keys {
            let prepared = store.prepare(key).unwrap();
            let (state, is_new) = store.insert(prepared, key).unwrap();
            assert!(is_new);
            states.push(state);
        }
        assert!(store.triples.len() > 500 && store.pairs.len() > 15_000);
        let mut read = Vec::new();
        for (key, state) in keys.iter().zip(&states) {
            let prepared = store.prepare(key).unwrap();
            assert_eq!(store.insert(prepared, key), Ok((*state, false)));
            assert_eq!(store.find(prepared, key), Some(*state));
            read.clear();
            store.read(*state, &mut read);
            assert_eq!(&read, key);
        }
        assert_eq!(store.len(), keys.len());
    }

    /// Vectors that look alike, of several lengths, short and long.
    fn vectors() -> Vec<Vec<u8>> {
        let mut random = 7u64;
        let mut below = |bound: usize| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random >> 33) as usize % bound
        };
        let mut vector = vec![0; 200];
        let mut next = || {
            let (at, byte) = (below(vector.len()), below(6) as u8);
            vector[at] = byte;
            match below(20) {
                0 => vector.resize([5, 17, 25, 40, 60, 130, 200, 1300][below(8)], 1),
                1 => vector.push(below(3) as u8),
                _ => {}
            }
            vector.clone()
        };
        (0..6000).map(|_| next()).collect()
    }

    #[test]
    fn an_origin_changes_nothing_but_the_work() {
        let (mut plain, mut based) = (TreeStore::new(), TreeStore::new());
        let vectors = vectors();
        let mut states = Vec::new();
        for (index, vector) in vectors.iter().enumerate() {
            let expected = plain.prepare(vector).unwrap();
            plain.insert(expected, vector).unwrap();
            let prepared = if index % 7 < 4 {
                based.prepare(vector).unwrap()
            } else {
                let draft = based.draft(vector).unwrap();
                based.conclude(&draft).unwrap()
            };
            assert_eq!(prepared, expected);
            states.push(based.insert(prepared, vector).unwrap().0);
            if index % 3 == 0 {
                let origin = index - index % 50;
                let mut read = vec![9];
                based.read_origin(states[origin], &mut read);
                assert_eq!(read[1..], vectors[origin]);
            }
        }
        assert!(based.scratch.shapes.iter().flatten().any(|shape| shape.has_base()));
        assert!(based.scratch.shapes.iter().flatten().any(|shape| !shape.has_base()));
    }

    #[test]
    fn an_origin_outlives_a_lack_of_memory() {
        let mut store = TreeStore::new();
        let first = [3; 300];
        let prepared = store.prepare(&first).unwrap();
        let (state, _) = store.insert(prepared, &first).unwrap();
        let mut read = Vec::new();
        store.read_origin(state, &mut read);
        store.set_budget(store.bytes_in_use());
        let other = |i: u32| [i.to_le_bytes(), i.wrapping_mul(77).to_le_bytes()].concat().repeat(38);
        let refused = (0..10_000).find(|i| store.prepare(&other(*i)).is_err());
        assert!(refused.is_some());
        assert_eq!(store.prepare(&first), Ok(prepared));
        read.clear();
        store.read_origin(state, &mut read);
        assert_eq!(read, first);
        assert_eq!(store.prepare(&first), Ok(prepared));
    }
}
