//! What a search asks of a visited set.
//!
//! A lookup has two halves, so that a search can start many before it finishes the first: between the halves the memory
//! that the second will touch is fetched in the background.

use crate::arena::PLACE_BITS;
use crate::{OutOfMemory, StoreAccount, StoreSettings};

/// Where a stored vector can be read back: opaque, of use only to the store that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateRef(pub(crate) u64);

impl StateRef {
    /// No store gives this reference to a state that it has (of fingerprints, one in `2^64` could be it).
    pub const NONE: StateRef = StateRef(u64::MAX);

    /// A number that tells the states of one store apart, for tables beside it. There is no way back.
    #[inline]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Where references are numbered from zero on ([`Numbering::Dense`], [`Numbering::Growing`]): that number.
    #[inline]
    pub fn number(self) -> usize {
        (self.0 & ((1 << PLACE_BITS) - 1)) as usize
    }

    /// A reference that no exact store gives, for tests of what only compares them.
    pub fn made_up(number: u32) -> StateRef {
        StateRef(number.into())
    }
}

/// How references are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Anyhow.
    Scattered,
    /// From zero on, so that an array by reference is not much larger than the store itself.
    Dense,
    /// The same, and a vector that comes later has a greater reference.
    Growing,
}

/// The first half of a lookup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prepared(pub u64);

/// What is known of a key before even [`StateStore::prepare`] is done with it: for stores where that waits for memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Draft {
    /// The parts of the key, and their numbers as far as they are known.
    pub(crate) parts: [[u64; 2]; 3],
    pub(crate) numbers: [u32; 3],
}

/// A set of byte vectors. Some stores forget vectors or confuse them; their account tells.
pub trait StateStore {
    /// Can [`Self::read`] be used?
    const KEEPS_VECTORS: bool = true;

    /// Do states take so little that a search should keep nothing for each of them?
    const IS_FRUGAL: bool = false;

    /// What else a reference tells.
    const NUMBERING: Numbering = Numbering::Scattered;

    /// Chooses how the store works, before it is used.
    fn configure(&mut self, settings: &StoreSettings) {
        let _ = settings;
    }

    /// Does [`Self::prepare`] wait for memory by now? Then it is better done in three passes over many keys, by
    /// [`Self::draft`], [`Self::advance`] and [`Self::conclude`].
    fn is_slow_to_prepare(&self) -> bool {
        false
    }

    /// The first pass.
    fn draft(&mut self, key: &[u8]) -> Result<Draft, OutOfMemory> {
        let Prepared(prepared) = self.prepare(key)?;
        Ok(Draft { parts: [[prepared, 0], [0; 2], [0; 2]], numbers: [0; 3] })
    }

    /// The second pass.
    fn advance(&self, draft: &Draft) {
        let _ = draft;
    }

    /// The third pass: what [`Self::prepare`] would have given.
    fn conclude(&mut self, draft: &Draft) -> Result<Prepared, OutOfMemory> {
        Ok(Prepared(draft.parts[0][0]))
    }

    /// First half of a lookup: all that does not need the main table.
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory>;

    /// Asks the memory system for what [`Self::insert`] touches first.
    fn prefetch(&self, prepared: Prepared);

    /// Some time after [`Self::prefetch`]: asks for what [`Self::insert`] touches next.
    fn prefetch_further(&self, prepared: Prepared) {
        let _ = prepared;
    }

    /// Instead of [`Self::prefetch_further`]: also tells whether the vector may be held already. If not, that is certain.
    fn may_hold(&self, prepared: Prepared) -> bool {
        self.prefetch_further(prepared);
        true
    }

    /// Second half: the reference of the vector and whether it is new.
    fn insert(&mut self, prepared: Prepared, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory>;

    /// Second half of a lookup that adds nothing.
    fn find(&self, prepared: Prepared, key: &[u8]) -> Option<StateRef>;

    /// A lookup that the search counts found the vector there, at this depth. Insertions that are new are not told.
    ///
    /// True if the store happens to know that it was another vector, and says so for the first time.
    #[inline]
    fn met(&mut self, state: StateRef, depth: u32) -> bool {
        let _ = (state, depth);
        false
    }

    /// The path of a depth-first search goes on to the vector, at this depth: it must not be forgotten now.
    #[inline]
    fn entered(&mut self, state: StateRef, depth: u32) {
        let _ = (state, depth);
    }

    /// The path leaves the vector.
    #[inline]
    fn left(&mut self, state: StateRef) {
        let _ = state;
    }

    /// Appends the vector to `out`. Only if the store keeps vectors.
    fn read(&self, state: StateRef, out: &mut Vec<u8>);

    /// [`Self::read`] for a vector whose successors are looked up next, which a store may use to find them sooner.
    #[inline]
    fn read_origin(&mut self, state: StateRef, out: &mut Vec<u8>) {
        self.read(state, out);
    }

    /// How many vectors are held.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Everything the store takes, slack included.
    fn bytes_in_use(&self) -> usize;

    /// Changes the limit; what is held already stays.
    fn set_budget(&mut self, budget_bytes: usize);

    /// What there is to say about the answers given so far.
    fn account(&self) -> StoreAccount {
        StoreAccount::Exact
    }

    fn bytes_per_state(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.bytes_in_use() as f64 / self.len() as f64 }
    }
}
