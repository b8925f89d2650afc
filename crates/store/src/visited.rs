//! What a search asks of a visited set, in a few small traits.
//!
//! - [`Visited`]: insert or find. A lookup has two halves, so that a search can start many before it finishes the first: between
//!   the halves the memory that the second will touch is fetched in the background.
//! - [`Drafting`]: the first half once more in parts, where it waits for memory itself.
//! - [`ReadBack`]: vectors from references. [`crate::Flags`]: a few bits a state.
//! - [`PathHooks`]: for stores that forget states, or sample them.
//! - [`StateStore`]: all of that in a store that one search owns, with its settings, limits and accounts.
//!
//! `&mut self` means one worker: the store itself where it has that alone, else its session at a store that it shares
//! ([`crate::Shared`]). Stores that several workers can share are [`crate::SharedVisited`].

use crate::{
    Flags, ImageReader, ImageWriter, Numbering, OutOfMemory, Prepared, StateRef, StoreAccount, StoreSettings,
};
use std::io;

/// A set of byte vectors. Some stores forget vectors or confuse them; their account tells.
pub trait Visited {
    /// What else a reference tells.
    const NUMBERING: Numbering = Numbering::Scattered;

    /// First half of a lookup: all that does not need the main table.
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory>;

    /// Does [`Self::prepare`] cost so little, and leave so little behind, that it may be called for keys that are never looked up?
    fn prepares_freely(&self) -> bool {
        false
    }

    /// Asks the memory system for what [`Self::insert`] touches first.
    fn prefetch(&self, prepared: Prepared);

    /// [`Self::prepare`] and [`Self::prefetch`] of a key that is going to be looked up soon.
    #[inline(always)]
    fn begin(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        let prepared = self.prepare(key)?;
        self.prefetch(prepared);
        Ok(prepared)
    }

    /// Some time after [`Self::prefetch`]: asks for what [`Self::insert`] touches next.
    fn prefetch_further(&self, prepared: Prepared) {
        let _ = prepared;
    }

    /// Instead of [`Self::prefetch_further`]: also tells whether the vector may be held already. If not, that is certain
    /// (until some other worker adds it).
    fn may_hold(&self, prepared: Prepared) -> bool {
        self.prefetch_further(prepared);
        true
    }

    /// Second half: the reference of the vector and whether it is new.
    fn insert(&mut self, prepared: Prepared, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory>;

    /// [`Self::insert`] for one key after the other from number `at` on, until one is new: its reference. `at` is then the number behind
    /// it, or how many keys there are if all the others were known, or that of the key that could not be added.
    #[inline(always)]
    fn insert_until_new<'k>(
        &mut self,
        prepared: &[Prepared],
        key: impl Fn(usize) -> &'k [u8],
        at: &mut usize,
    ) -> Result<Option<StateRef>, OutOfMemory> {
        while let Some(first_half) = prepared.get(*at) {
            let (state, is_new) = self.insert(*first_half, key(*at))?;
            *at += 1;
            if is_new {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    /// Second half of a lookup that adds nothing.
    fn find(&self, prepared: Prepared, key: &[u8]) -> Option<StateRef>;

    /// [`Self::find`] for one who has the store alone.
    #[inline]
    fn find_alone(&mut self, prepared: Prepared, key: &[u8]) -> Option<StateRef> {
        self.find(prepared, key)
    }
}

/// What is known of a key before even [`Visited::prepare`] is done with it: for stores where that waits for memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Draft {
    /// The parts of the key, and their numbers as far as they are known.
    pub(crate) parts: [[u64; 2]; 3],
    pub(crate) numbers: [u32; 3],
    /// It is [`Self::of`] a first half that was done at once.
    pub(crate) is_done: bool,
}

impl Draft {
    /// Where the first half is all done by now.
    pub(crate) fn of(Prepared(prepared): Prepared) -> Draft {
        Draft { parts: [[prepared, 0], [0; 2], [0; 2]], numbers: [0; 3], is_done: true }
    }

    /// What it was made of.
    pub(crate) fn prepared(&self) -> Prepared {
        Prepared(self.parts[0][0])
    }
}

/// [`Visited::prepare`] in three passes over many keys.
pub trait Drafting: Visited {
    /// Does [`Visited::prepare`] wait for memory by now? Then it is better done like this.
    fn is_slow_to_prepare(&self) -> bool {
        false
    }

    /// The first pass.
    fn draft(&mut self, key: &[u8]) -> Result<Draft, OutOfMemory> {
        Ok(Draft::of(self.prepare(key)?))
    }

    /// The second pass.
    fn advance(&self, draft: &Draft) {
        let _ = draft;
    }

    /// The third pass: what [`Visited::prepare`] would have given.
    fn conclude(&mut self, draft: &Draft) -> Result<Prepared, OutOfMemory> {
        Ok(draft.prepared())
    }
}

/// Vectors from their references.
pub trait ReadBack {
    /// Can the rest of this be used?
    const KEEPS_VECTORS: bool = true;

    /// Appends the vector to `out`.
    fn read(&self, state: StateRef, out: &mut Vec<u8>);

    /// [`Self::read`] for a vector whose successors are looked up next, which a store may use to find them sooner.
    #[inline]
    fn read_origin(&mut self, state: StateRef, out: &mut Vec<u8>) {
        self.read(state, out);
    }
}

/// What a search tells of its path, for stores that want to know.
pub trait PathHooks {
    /// Does [`Self::met`] do anything?
    const HEARS_MET: bool;

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
}

/// A store that one search owns.
pub trait StateStore: Visited + Drafting + ReadBack + Flags + PathHooks {
    /// Do states take so little that a search should keep nothing for each of them?
    const IS_FRUGAL: bool = false;

    /// Chooses how the store works, before it is used.
    fn configure(&mut self, settings: &StoreSettings) {
        let _ = settings;
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

    /// To be called between lookups, where the store is shared: somebody may wait for it.
    #[inline(always)]
    fn let_others_in(&mut self) {}

    /// What there is to say about the answers given so far.
    fn account(&self) -> StoreAccount {
        StoreAccount::Exact
    }

    fn bytes_per_state(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.bytes_in_use() as f64 / self.len() as f64 }
    }

    /// Can an image be made of the store?
    const HAS_IMAGE: bool = false;

    /// Writes all that the store holds. Nobody else has it now.
    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        let _ = image;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Takes over what an equal store wrote; this one was set up in the same way, and holds nothing yet. References that the
    /// other gave are those of this one.
    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        let _ = image;
        Err(io::ErrorKind::Unsupported.into())
    }
}
