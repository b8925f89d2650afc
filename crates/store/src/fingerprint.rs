//! Hash compaction: of every state a fingerprint of 64 bits is kept, and nothing else.
//!
//! Two states with the same fingerprint are taken for one. Among `n` states there are `n² / 2` pairs, each equal with
//! probability `2^-64`: a million states give one chance in 37 million of any mistake, a thousand million states one in 37.
//! (Wolper and Leroy, *Reliable Hashing without Collision Detection*, 1993.)
//!
//! The table is flat, with linear probing. A fingerprint's place is its share of the table's length, so the fingerprints stand nearly
//! in order, and a larger table is filled front to back while the old one is given back.

use crate::account::FingerprintAccount;
use crate::bump::{Bump, Quota};
use crate::claim;
use crate::flags::FlagTable;
use crate::pages::Pages;
use crate::{
    Drafting, Flags, GrowthDue, ImageReader, ImageWriter, OutOfMemory, PathHooks, Prepared, ReadBack,
    SharedVisited, StateRef, StateStore, StoreAccount, Visited, hash,
};
use std::io;

const SLOTS_MIN: usize = 1 << 12;

#[derive(Debug)]
pub struct FingerprintStore {
    /// Zero is an empty slot.
    table: Pages<u64>,
    flags: FlagTable,
    held: Bump,
    grow_at: usize,
    budget_bytes: usize,
}

impl Default for FingerprintStore {
    fn default() -> FingerprintStore {
        let (table, flags) = (Pages::EMPTY, FlagTable::NONE);
        FingerprintStore { table, flags, held: Bump::default(), grow_at: 0, budget_bytes: usize::MAX }
    }
}

impl FingerprintStore {
    /// The slot where the fingerprint is, or else where it belongs.
    #[inline]
    fn probe(&self, fingerprint: u64) -> Result<usize, usize> {
        let table = self.table.shared();
        let mut slot = slot_of(fingerprint, table.len());
        loop {
            match table[slot].load(std::sync::atomic::Ordering::Relaxed) {
                0 => return Err(slot),
                found if found == fingerprint => return Ok(slot),
                _ => slot = if slot + 1 == table.len() { 0 } else { slot + 1 },
            }
        }
    }

    #[cold]
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let slots = self.table.len();
        for larger in [(slots * 2).max(SLOTS_MIN), slots + slots / 4] {
            if larger > slots
                && self.table.peak_bytes(larger * 8) + self.flags.bytes() + self.flags.bytes_for(larger)
                    <= self.budget_bytes
                && self.rebuild(larger)
            {
                self.grow_at = larger / 4 * 3;
                return Ok(());
            }
        }
        self.grow_at = slots / 16 * 15;
        if self.len() < self.grow_at { Ok(()) } else { Err(OutOfMemory) }
    }

    /// False, and nothing changed, if the memory is not to be had.
    fn rebuild(&mut self, slots: usize) -> bool {
        let Ok(table) = Pages::zeroed(slots) else { return false };
        let Ok(flags) = self.flags.for_slots(slots) else { return false };
        let mut before = std::mem::replace(&mut self.table, table);
        let flags_before = std::mem::replace(&mut self.flags, flags);
        for index in 0..before.len() {
            let fingerprint = before.exclusive()[index];
            if fingerprint != 0
                && let Err(slot) = self.probe(fingerprint)
            {
                self.table.exclusive()[slot] = fingerprint;
                self.flags.take_over(slot, &flags_before, index);
            }
            if index.is_multiple_of(1 << 16) {
                before.release_before(index);
            }
        }
        true
    }
}

impl Visited for FingerprintStore {
    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        Ok(Prepared(hash(key).max(1)))
    }

    #[inline]
    fn prefetch(&self, Prepared(fingerprint): Prepared) {
        if self.table.len() > 0 {
            let slot = slot_of(fingerprint, self.table.len());
            self.table.prefetch(slot);
            self.flags.prefetch(slot);
        }
    }

    #[inline]
    fn insert(&mut self, Prepared(fingerprint): Prepared, _: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        if self.table.len() == 0 {
            self.grow()?;
        }
        let Err(mut slot) = self.probe(fingerprint) else { return Ok((StateRef(fingerprint), false)) };
        if self.len() >= self.grow_at {
            self.grow()?;
            slot = self.probe(fingerprint).expect_err("it is not there");
        }
        self.table.exclusive()[slot] = fingerprint;
        self.held.take_alone(1, usize::MAX);
        Ok((StateRef(fingerprint), true))
    }

    #[inline]
    fn may_hold(&self, prepared: Prepared) -> bool {
        self.find(prepared, &[]).is_some()
    }

    #[inline]
    fn find(&self, Prepared(fingerprint): Prepared, _: &[u8]) -> Option<StateRef> {
        if self.table.len() == 0 {
            return None;
        }
        self.probe(fingerprint).ok().map(|_| StateRef(fingerprint))
    }
}

impl Drafting for FingerprintStore {}

impl ReadBack for FingerprintStore {
    const KEEPS_VECTORS: bool = false;

    fn read(&self, _: StateRef, _: &mut Vec<u8>) {
        unreachable!("fingerprints are not vectors");
    }
}

impl PathHooks for FingerprintStore {
    const HEARS_MET: bool = false;
}

impl StateStore for FingerprintStore {
    #[inline]
    fn len(&self) -> usize {
        self.held.taken()
    }

    fn bytes_in_use(&self) -> usize {
        self.table.bytes() + self.flags.bytes()
    }

    fn set_budget(&mut self, budget_bytes: usize) {
        self.budget_bytes = budget_bytes;
    }

    const HAS_IMAGE: bool = true;

    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        image.usize(self.held.taken())?;
        image.usize(self.grow_at)?;
        self.table.save(image)?;
        self.flags.save(image)
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        self.held.set(image.usize()?);
        self.grow_at = image.usize()?;
        self.table = Pages::load(image)?;
        self.flags.load(self.table.len(), image)
    }

    fn account(&self) -> StoreAccount {
        let states = self.len() as f64;
        let omitted = states * states / 2f64.powi(65);
        StoreAccount::HashCompact(FingerprintAccount {
            collision_probability: -(-omitted).exp_m1(),
            omitted,
            coverage: 1.0 - omitted / states.max(1.0),
        })
    }
}

/// The fingerprints that a worker has counted, and not added yet.
#[derive(Debug, Default)]
pub struct Counted(Quota);

impl SharedVisited for FingerprintStore {
    type Scratch = Counted;

    #[inline]
    fn prepare_shared(&self, _: &mut Counted, key: &[u8]) -> Result<Prepared, GrowthDue> {
        Ok(Prepared(hash(key).max(1)))
    }

    #[inline]
    fn insert_shared(
        &self,
        Counted(quota): &mut Counted,
        Prepared(fingerprint): Prepared,
        _: &[u8],
    ) -> Result<(StateRef, bool), GrowthDue> {
        let table = self.table.shared();
        if table.is_empty() {
            return Err(GrowthDue);
        }
        let home = slot_of(fingerprint, table.len());
        let has_room = || quota.has_one(&self.held, self.grow_at);
        let is_new = claim::find_or_put(table, home, fingerprint, has_room)?;
        if is_new {
            quota.spend_one();
        }
        Ok((StateRef(fingerprint), is_new))
    }

    fn retire(&self, Counted(quota): &mut Counted) {
        quota.give_back(&self.held);
    }

    fn make_room(&mut self, _: &[u8]) -> Result<(), OutOfMemory> {
        if self.len() < self.grow_at { Ok(()) } else { self.grow() }
    }
}

impl FingerprintStore {
    #[inline]
    fn slot(&self, StateRef(fingerprint): StateRef) -> usize {
        assert!(self.table.len() > 0, "a store that is empty has no states");
        self.probe(fingerprint).expect("the state is there")
    }
}

impl Flags for FingerprintStore {
    const HAS_FLAGS: bool = true;

    fn keep_flags(&mut self) {
        self.flags.keep();
    }

    #[inline]
    fn flags(&self, state: StateRef) -> u8 {
        self.flags.get(self.slot(state))
    }

    #[inline]
    fn set_flags(&self, state: StateRef, mask: u8) -> u8 {
        self.flags.set(self.slot(state), mask)
    }

    #[inline]
    fn clear_flags(&self, state: StateRef, mask: u8) -> u8 {
        self.flags.clear(self.slot(state), mask)
    }
}

#[inline]
fn slot_of(fingerprint: u64, slots: usize) -> usize {
    ((u128::from(fingerprint) * slots as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(store: &mut FingerprintStore, number: u32) -> Result<bool, OutOfMemory> {
        let prepared = store.prepare(&number.to_le_bytes())?;
        store.prefetch(prepared);
        let known = store.find(prepared, &[]).is_some();
        let is_new = store.insert(prepared, &[])?.1;
        assert_eq!(known, !is_new);
        Ok(is_new)
    }

    #[test]
    fn fingerprints_are_found_again() {
        let mut store = FingerprintStore::default();
        for number in 0..1_000_000 {
            assert_eq!(insert(&mut store, number), Ok(true));
        }
        for number in 0..1_000_000 {
            assert_eq!(insert(&mut store, number), Ok(false));
        }
        assert_eq!(store.len(), 1_000_000);
        assert!(store.bytes_per_state() < 22.0);
    }

    #[test]
    fn the_budget_is_kept() {
        for budget in [0, 40_000, 1_000_000, 20_000_000] {
            let mut store = FingerprintStore { budget_bytes: budget, ..FingerprintStore::default() };
            let mut count = 0;
            while insert(&mut store, count).is_ok() {
                count += 1;
                assert!(store.bytes_in_use() <= budget);
            }
            assert!(budget < 40_000 || count as usize * 20 > budget, "{count} in {budget}");
            assert!((0..count).all(|number| insert(&mut store, number) == Ok(false)));
        }
    }

    #[test]
    fn the_chance_of_a_mistake_is_that_of_the_birthday_problem() {
        let mut store = FingerprintStore::default();
        store.held.set(1_000_000);
        let StoreAccount::HashCompact(account) = store.account() else { panic!("a wrong account") };
        assert!((account.collision_probability * 36.9e6 - 1.0).abs() < 0.01);
        store.held.set(1 << 33);
        let StoreAccount::HashCompact(account) = store.account() else { panic!("a wrong account") };
        assert!((account.collision_probability - 0.865).abs() < 0.001);
    }
}
