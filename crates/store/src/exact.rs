//! The plain exact visited set: every vector is kept whole, so an answer is never wrong.
//!
//! A flat open-addressing table holds 64-bit entries: 32 bits of the hash, and the number of the vector plus one (zero
//! is an empty slot). The vectors stand in an arena. A probe reads a vector only when 32 hash bits agree, so a lookup
//! usually costs one miss in the table and one in the arena. The slot comes from the high hash bits, the tag from the
//! low ones: they stay independent at any size. Growing forgets the old table first and rebuilds the new one from the
//! arena in the order of insertion, so that never two tables are alive and the reading is sequential.

use crate::{OutOfMemory, StateIndex, arena::Arena, hash};

const SLOTS_MIN: usize = 64;

#[derive(Debug)]
pub struct ExactStore {
    table: Vec<u64>,
    arena: Arena,
    budget_bytes: usize,
    /// Grow when this many vectors are held.
    grow_at: usize,
}

impl Default for ExactStore {
    fn default() -> ExactStore {
        ExactStore::new()
    }
}

impl ExactStore {
    /// An empty store without a limit.
    pub fn new() -> ExactStore {
        ExactStore::with_budget(usize::MAX)
    }

    /// An empty store that refuses to take more than `budget_bytes`.
    pub fn with_budget(budget_bytes: usize) -> ExactStore {
        ExactStore { table: Vec::new(), arena: Arena::default(), budget_bytes, grow_at: 0 }
    }

    /// Changes the limit; what is held already stays.
    pub fn set_budget(&mut self, budget_bytes: usize) {
        self.budget_bytes = budget_bytes;
    }

    /// How many vectors are held.
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Everything the store takes, slack included.
    pub fn bytes_in_use(&self) -> usize {
        self.table.capacity() * size_of::<u64>() + self.arena.heap_bytes()
    }

    pub fn bytes_per_state(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.bytes_in_use() as f64 / self.len() as f64 }
    }

    /// The vector with that number.
    #[inline]
    pub fn get(&self, index: StateIndex) -> &[u8] {
        self.arena.get(index.index())
    }

    pub fn find(&self, key: &[u8]) -> Option<StateIndex> {
        self.find_hashed(hash(key), key)
    }

    /// [`Self::find`] for a caller that has `hash(key)` already.
    #[inline]
    pub fn find_hashed(&self, hash: u64, key: &[u8]) -> Option<StateIndex> {
        if self.table.is_empty() { None } else { self.probe(hash, key).ok() }
    }

    /// The number of the vector, and whether it is new.
    pub fn insert(&mut self, key: &[u8]) -> Result<(StateIndex, bool), OutOfMemory> {
        self.insert_hashed(hash(key), key)
    }

    /// [`Self::insert`] for a caller that has `hash(key)` already.
    #[inline]
    pub fn insert_hashed(&mut self, hash: u64, key: &[u8]) -> Result<(StateIndex, bool), OutOfMemory> {
        debug_assert_eq!(hash, crate::hash(key));
        if self.table.is_empty() {
            self.grow()?;
        }
        let mut slot = match self.probe(hash, key) {
            Ok(index) => return Ok((index, false)),
            Err(slot) => slot,
        };
        if self.len() >= self.grow_at {
            self.grow()?;
            slot = self.free_slot(hash);
        }
        let number = self.len();
        if number >= u32::MAX as usize {
            return Err(OutOfMemory);
        }
        let table_bytes = self.table.capacity() * size_of::<u64>();
        self.arena.push(key, self.budget_bytes.saturating_sub(table_bytes))?;
        self.table[slot] = entry(hash, number);
        Ok((StateIndex(number as u32), true))
    }

    /// The number of the key, or else the empty slot where it belongs.
    #[inline]
    fn probe(&self, hash: u64, key: &[u8]) -> Result<StateIndex, usize> {
        let mut slot = slot_of(hash, self.table.len());
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                return Err(slot);
            }
            if (entry >> 32) as u32 == hash as u32 {
                let index = StateIndex(entry as u32 - 1);
                if self.get(index) == key {
                    return Ok(index);
                }
            }
            slot = if slot + 1 == self.table.len() { 0 } else { slot + 1 };
        }
    }

    fn free_slot(&self, hash: u64) -> usize {
        let mut slot = slot_of(hash, self.table.len());
        while self.table[slot] != 0 {
            slot = if slot + 1 == self.table.len() { 0 } else { slot + 1 };
        }
        slot
    }

    /// A larger table: twice as large or, where the budget does not allow that, a little larger; and where not even
    /// that is allowed, the old one is filled further, up to 15/16.
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let slots = self.table.len();
        let allowed = self.budget_bytes.saturating_sub(self.arena.heap_bytes()) / size_of::<u64>();
        let wanted = [slots.max(SLOTS_MIN / 2) * 2, slots + slots / 4].into_iter();
        for larger in wanted.filter(|larger| *larger > slots && *larger <= allowed) {
            if self.rebuild(larger) {
                self.grow_at = larger / 4 * 3;
                return Ok(());
            }
        }
        self.grow_at = slots / 16 * 15;
        if self.len() < self.grow_at { Ok(()) } else { Err(OutOfMemory) }
    }

    /// False, and nothing changed, if the memory is not to be had.
    fn rebuild(&mut self, slots: usize) -> bool {
        let mut table = Vec::new();
        if table.try_reserve_exact(slots).is_err() {
            return false;
        }
        // Only now is the old table given back; the new one takes real memory when it is first written.
        self.table = Vec::new();
        table.resize(slots, 0);
        self.table = table;
        for number in 0..self.len() {
            let hash = hash(self.arena.get(number));
            let slot = self.free_slot(hash);
            self.table[slot] = entry(hash, number);
        }
        true
    }
}

#[inline]
fn slot_of(hash: u64, slots: usize) -> usize {
    ((u128::from(hash) * slots as u128) >> 64) as usize
}

#[inline]
fn entry(hash: u64, number: usize) -> u64 {
    hash << 32 | (number as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_vectors_have_one_number() {
        let mut store = ExactStore::new();
        assert_eq!(store.find(b"a"), None);
        assert_eq!(store.insert(b"a"), Ok((StateIndex(0), true)));
        assert_eq!(store.insert(b"b"), Ok((StateIndex(1), true)));
        assert_eq!(store.insert(b""), Ok((StateIndex(2), true)));
        assert_eq!(store.insert(b"a"), Ok((StateIndex(0), false)));
        assert_eq!(store.insert(b""), Ok((StateIndex(2), false)));
        assert_eq!(store.find(b"b"), Some(StateIndex(1)));
        assert_eq!(store.get(StateIndex(1)), b"b");
        assert_eq!(store.len(), 3);
    }

    #[test]
    fn a_hundred_thousand_vectors_are_found_again() {
        let mut store = ExactStore::new();
        for i in 0..100_000u32 {
            assert_eq!(store.insert(&i.to_le_bytes()), Ok((StateIndex(i), true)));
        }
        for i in 0..100_000u32 {
            assert_eq!(store.insert(&i.to_le_bytes()), Ok((StateIndex(i), false)));
            assert_eq!(store.get(StateIndex(i)), i.to_le_bytes());
        }
        // Four bytes of vector, four of its end, eight for an entry at a load between 3/8 and 3/4, and slack.
        assert!(store.bytes_per_state() < 34.0, "{}", store.bytes_per_state());
    }

    #[test]
    fn the_budget_is_kept_at_every_moment() {
        for budget in [0, 500, 10_000, 123_456, 1_000_000] {
            let mut store = ExactStore::with_budget(budget);
            let mut inserted = 0u32;
            while store.insert(&inserted.to_le_bytes()).is_ok() {
                inserted += 1;
                assert!(store.bytes_in_use() <= budget, "{} of {budget}", store.bytes_in_use());
            }
            assert_eq!(store.len(), inserted as usize);
            assert!((0..inserted).all(|i| store.find(&i.to_le_bytes()) == Some(StateIndex(i))));
            assert_eq!(store.find(&inserted.to_le_bytes()), None);
            // It gives up only when the budget is well used.
            assert!(budget < 1_000 || inserted as usize * 24 > budget, "{inserted} in {budget}");
            store.set_budget(usize::MAX);
            assert_eq!(store.insert(&inserted.to_le_bytes()), Ok((StateIndex(inserted), true)));
        }
    }
}
