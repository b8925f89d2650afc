//! What a search asks of a visited set.
//!
//! A lookup has two halves, so that a search can start many of them before it ends the first: between the two the
//! memory system brings what the second half will touch.

use crate::OutOfMemory;

/// Where a stored vector can be read back: opaque, valid as long as the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateRef(pub u64);

/// What the first half of a lookup gives to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared(pub u64);

pub trait StateStore {
    /// First half of a lookup: all that does not need the main table (exact: the hash; tree: interning the subtrees).
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory>;

    /// Asks the memory system for what `insert` will touch.
    fn prefetch(&self, prepared: Prepared);

    /// Second half: the reference of the vector and whether it is new.
    fn insert(&mut self, prepared: Prepared, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory>;

    fn find(&self, prepared: Prepared, key: &[u8]) -> Option<StateRef>;

    /// Appends the vector to `out`.
    fn read(&self, state: StateRef, out: &mut Vec<u8>);

    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bytes_in_use(&self) -> usize;

    fn set_budget(&mut self, budget_bytes: usize);
}
