//! The plain exact visited set: every vector is kept whole, so an answer is never wrong.
//!
//! A flat open-addressing table holds 64-bit entries: 24 bits of the hash, and the place of the vector in an arena plus
//! one (zero is an empty slot). A probe reads a vector only when the 24 bits agree, so a lookup usually costs one miss in
//! the table and, if the vector is there, one in the arena; a search that prepares many lookups at once waits for
//! neither. A large table is filled from the one before it, in order ([`crate::stretch`]), which then goes to the arena. A small one, and
//! any where memory is short, is filled from the arena: then never two tables are alive.
//!
//! Many threads may look up and add at once through [`SharedVisited`] ([`crate::claim`]). Growing is done by
//! one alone.

use crate::arena::{Arena, Block, Offset, PLACE_BITS};
use crate::bump::{Bump, Quota};
use crate::claim;
use crate::pages::Pages;
use crate::stretch::{self, free_slot, slot_of, tag_of};
use crate::{
    Drafting, Flags, GrowthDue, ImageReader, ImageWriter, Numbering, OutOfMemory, PathHooks, Prepared,
    ReadBack, SharedVisited, StateRef, StateStore, Visited, damaged, hash,
};
use std::io;
use std::sync::atomic::Ordering::Relaxed;

const SLOTS_MIN: usize = 64;
/// Smaller tables grow faster.
const SLOTS_SMALL: usize = 1 << 18;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;
/// In a slot whose vector is being written.
const BUSY: u64 = u64::MAX;
/// So many entries are looked at for a first answer.
const GLANCE_SLOTS: usize = 8;
/// How many entries of a new table are underway at once when it is filled.
const REBUILD_BATCH: usize = 32;

#[derive(Debug)]
pub struct ExactStore {
    table: Pages<u64>,
    arena: Arena,
    held: Bump,
    budget_bytes: usize,
    /// Grow when this many vectors are held.
    grow_at: usize,
    /// So many threads may work on growing.
    workers: usize,
}

/// What a worker has for the vectors that it adds, so that workers seldom write to the same place.
#[derive(Debug, Default)]
pub struct Allotment {
    block: Block,
    /// Of the vectors held: counted, and not added yet.
    quota: Quota,
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
        let (table, arena, held) = (Pages::EMPTY, Arena::default(), Bump::default());
        ExactStore { table, arena, held, budget_bytes, grow_at: 0, workers: 1 }
    }

    /// The vector at a reference.
    #[inline]
    pub fn get(&mut self, state: StateRef) -> &[u8] {
        self.arena.get(Offset(state.0))
    }

    /// Where a probe for the key starts.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        slot_of(hash, self.table.len())
    }

    /// The entry of the key, or else the empty slot where it belongs, if there is a table at all.
    #[inline(always)]
    fn probe(&mut self, hash: u64, key: &[u8]) -> Result<u64, usize> {
        let mut slot = self.home(hash);
        // Nobody else is here, so no slot is busy.
        let (table, mut arena) = (self.table.exclusive(), self.arena.reader());
        while let Some(entry) = table.get(slot).copied().filter(|entry| *entry != 0) {
            if is_tagged(entry, hash) && arena.is_at(place_of(entry), key) {
                return Ok(entry);
            }
            slot = claim::after(slot, table.len());
        }
        Err(slot)
    }

    /// Adds a vector that is new, in the slot where it belongs.
    #[inline(never)]
    fn add(&mut self, mut slot: usize, hash: u64, key: &[u8]) -> Result<StateRef, OutOfMemory> {
        if self.len() >= self.grow_at {
            self.grow()?;
            slot = free_slot(self.table.exclusive(), hash);
        }
        let place = self.arena.push(key, self.budget_bytes.saturating_sub(self.table.bytes()))?;
        self.table.exclusive()[slot] = entry(hash, place);
        self.held.take_alone(1, usize::MAX);
        Ok(StateRef(place.0))
    }

    /// Is this the entry of the key? Any number of threads may ask, also while others add.
    #[inline]
    fn is_of(&self, entry: u64, hash: u64, key: &[u8]) -> bool {
        is_tagged(entry, hash) && self.arena.holds(place_of(entry), key)
    }

    /// A larger table: twice as large (at first four times) or, where the budget does not allow that, a little larger; and where not even
    /// that is allowed, the old one is filled further, up to 15/16.
    #[cold]
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let slots = self.table.len();
        let allowed = self.budget_bytes.saturating_sub(self.arena.bytes_in_use()) / size_of::<u64>();
        let faster = if slots < SLOTS_SMALL.min(allowed / 64) { slots * 4 } else { 0 };
        let wanted = [faster, slots.max(SLOTS_MIN / 2) * 2, slots + slots / 4].into_iter();
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
        let Ok(table) = Pages::zeroed(slots) else { return false };
        let mut before = std::mem::replace(&mut self.table, table);
        // The arena takes an old table over, for it needs no cleared memory. If memory is short the system gets it back, before the
        // new one is written and takes real memory.
        let may_donate = self.bytes_in_use().saturating_add(before.bytes()) <= self.budget_bytes / 2;
        if may_donate && stretch::can_stretch(before.len(), slots) {
            let arena = &self.arena;
            let hash_of = |entry| {
                let mut vector = Vec::new();
                arena.read(place_of(entry), &mut vector);
                hash(&vector)
            };
            stretch::stretch(before.exclusive(), self.table.exclusive(), self.workers, hash_of);
            self.arena.donate(before);
            return true;
        }
        if may_donate {
            self.arena.donate(before);
        } else {
            drop(before);
        }
        self.fill_from_arena();
        true
    }

    /// Fills an empty table.
    fn fill_from_arena(&mut self) {
        let ExactStore { table, arena, .. } = self;
        let slots = table.len();
        let mut batch = [(0, Offset(0)); REBUILD_BATCH];
        let mut count = 0;
        let put = |table: &mut Pages<u64>, batch: &[(u64, Offset)]| {
            for (hash, place) in batch {
                let table = table.exclusive();
                table[free_slot(table, *hash)] = entry(*hash, *place);
            }
        };
        arena.for_each(|place, vector| {
            let hash = hash(vector);
            table.prefetch(slot_of(hash, slots));
            batch[count] = (hash, place);
            count += 1;
            if count == REBUILD_BATCH {
                put(table, &batch);
                count = 0;
            }
        });
        put(table, &batch[..count]);
    }
}

impl Visited for ExactStore {
    /// Places in the arena, which is only appended to.
    const NUMBERING: Numbering = Numbering::Growing;

    /// The hash.
    #[inline(always)]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        Ok(Prepared(hash(key)))
    }

    fn prepares_freely(&self) -> bool {
        true
    }

    #[inline(always)]
    fn prefetch(&self, Prepared(hash): Prepared) {
        self.table.prefetch(slot_of(hash, self.table.len()));
    }

    /// The vector that the key is likely to be compared with.
    #[inline(always)]
    fn prefetch_further(&self, Prepared(hash): Prepared) {
        let table = self.table.shared();
        let first = slot_of(hash, table.len());
        for slot in first..first + GLANCE_SLOTS {
            let Some(entry) = table.get(slot).map(|word| word.load(Relaxed)) else { return };
            if entry == 0 {
                return;
            }
            if is_tagged(entry, hash) {
                return self.arena.prefetch(place_of(entry));
            }
        }
    }

    #[inline]
    fn may_hold(&self, Prepared(hash): Prepared) -> bool {
        let table = self.table.shared();
        if table.is_empty() {
            return false;
        }
        let slot = slot_of(hash, table.len());
        for word in &table[slot..table.len().min(slot + GLANCE_SLOTS)] {
            let entry = word.load(Relaxed);
            if entry == 0 {
                return false;
            }
            if entry == BUSY {
                return true;
            }
            if is_tagged(entry, hash) {
                self.arena.prefetch(place_of(entry));
                return true;
            }
        }
        true
    }

    #[inline(always)]
    fn insert(&mut self, Prepared(hash): Prepared, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        debug_assert_eq!(hash, crate::hash(key));
        match self.probe(hash, key) {
            Ok(entry) => Ok((reference(entry), false)),
            Err(slot) => Ok((self.add(slot, hash, key)?, true)),
        }
    }

    #[inline(always)]
    fn insert_until_new<'k>(
        &mut self,
        prepared: &[Prepared],
        key: impl Fn(usize) -> &'k [u8],
        at: &mut usize,
    ) -> Result<Option<StateRef>, OutOfMemory> {
        // What does not change while all are known stays in registers.
        let (table, mut arena) = (self.table.exclusive(), self.arena.reader());
        for (number, Prepared(hash)) in (*at..).zip(&prepared[*at..]) {
            let (hash, key) = (*hash, key(number));
            let mut slot = slot_of(hash, table.len());
            let is_known = loop {
                match table.get(slot) {
                    None | Some(0) => break false,
                    Some(entry) if is_tagged(*entry, hash) && arena.is_at(place_of(*entry), key) => {
                        break true;
                    }
                    _ => slot = claim::after(slot, table.len()),
                }
            };
            if !is_known {
                *at = number;
                let state = self.add(slot, hash, key)?;
                *at += 1;
                return Ok(Some(state));
            }
        }
        *at = prepared.len();
        Ok(None)
    }

    #[inline]
    fn find(&self, Prepared(hash): Prepared, key: &[u8]) -> Option<StateRef> {
        if self.table.len() == 0 {
            return None;
        }
        let is_it = |entry| self.is_of(entry, hash, key);
        claim::find(self.table.shared(), self.home(hash), BUSY, is_it).ok().map(reference)
    }

    #[inline(always)]
    fn find_alone(&mut self, Prepared(hash): Prepared, key: &[u8]) -> Option<StateRef> {
        self.probe(hash, key).ok().map(reference)
    }
}

impl Drafting for ExactStore {}

impl ReadBack for ExactStore {
    #[inline]
    fn read(&self, state: StateRef, out: &mut Vec<u8>) {
        self.arena.read(Offset(state.0), out);
    }

    #[inline(always)]
    fn read_origin(&mut self, state: StateRef, out: &mut Vec<u8>) {
        self.arena.append_to(Offset(state.0), out);
    }
}

impl PathHooks for ExactStore {
    const HEARS_MET: bool = false;
}

impl StateStore for ExactStore {
    #[inline]
    fn len(&self) -> usize {
        self.held.taken()
    }

    fn bytes_in_use(&self) -> usize {
        self.table.bytes() + self.arena.bytes_in_use()
    }

    fn set_budget(&mut self, budget_bytes: usize) {
        self.budget_bytes = budget_bytes;
    }

    const HAS_IMAGE: bool = true;

    /// The vectors alone: the table is made of them again.
    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        image.usize(self.held.taken())?;
        image.usize(self.grow_at)?;
        image.usize(self.table.len())?;
        self.arena.save(image)
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        self.held.set(image.usize()?);
        self.grow_at = image.usize()?;
        let slots = image.usize()?;
        self.arena = Arena::load(image)?;
        if self.held.taken() > slots {
            return Err(damaged("the table is too small"));
        }
        self.table = Pages::zeroed(slots)?;
        self.fill_from_arena();
        Ok(())
    }
}

impl SharedVisited for ExactStore {
    type Scratch = Allotment;

    #[inline]
    fn prepare_shared(&self, _: &mut Allotment, key: &[u8]) -> Result<Prepared, GrowthDue> {
        Ok(Prepared(hash(key)))
    }

    #[inline]
    fn insert_shared(
        &self,
        allotment: &mut Allotment,
        Prepared(hash): Prepared,
        key: &[u8],
    ) -> Result<(StateRef, bool), GrowthDue> {
        let table = self.table.shared();
        if table.is_empty() {
            return Err(GrowthDue);
        }
        let home = self.home(hash);
        let is_it = |entry| self.is_of(entry, hash, key);
        let add = || {
            let Allotment { block, quota } = allotment;
            if !quota.has_one(&self.held, self.grow_at) {
                return None;
            }
            let place = self.arena.push_shared(block, key)?;
            quota.spend_one();
            Some(entry(hash, place))
        };
        let (entry, is_new) = claim::find_or_add(table, home, BUSY, is_it, add)?;
        Ok((reference(entry), is_new))
    }

    fn share_among(&mut self, workers: usize) {
        self.workers = workers;
    }

    fn retire(&self, allotment: &mut Allotment) {
        allotment.quota.give_back(&self.held);
    }

    fn make_room(&mut self, key: &[u8]) -> Result<(), OutOfMemory> {
        if self.len() >= self.grow_at {
            self.grow()?;
        }
        // Room for many: whoever needed more than what is left must not stand in the way of the others again and again.
        let allowed = self.budget_bytes.saturating_sub(self.table.bytes());
        let plenty = (64 * key.len()).max(self.arena.bytes_in_use() / 16);
        self.arena.make_room(plenty, allowed).or_else(|_| self.arena.make_room(key.len(), allowed))
    }
}

/// In the word that the vector's length is in, which a lookup has just read.
impl Flags for ExactStore {
    const HAS_FLAGS: bool = true;

    #[inline]
    fn flags(&self, state: StateRef) -> u8 {
        self.arena.flags(Offset(state.0)).get()
    }

    #[inline]
    fn set_flags(&self, state: StateRef, mask: u8) -> u8 {
        self.arena.flags(Offset(state.0)).set(mask)
    }

    #[inline]
    fn clear_flags(&self, state: StateRef, mask: u8) -> u8 {
        self.arena.flags(Offset(state.0)).clear(mask)
    }
}

#[inline]
fn entry(hash: u64, place: Offset) -> u64 {
    tag_of(hash) << PLACE_BITS | (place.0 + 1)
}

#[inline]
fn reference(entry: u64) -> StateRef {
    StateRef(place_of(entry).0)
}

#[inline]
fn is_tagged(entry: u64, hash: u64) -> bool {
    entry >> PLACE_BITS == tag_of(hash)
}

#[inline]
fn place_of(entry: u64) -> Offset {
    Offset((entry & PLACE_MASK) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(store: &mut ExactStore, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        let prepared = store.prepare(key)?;
        store.insert(prepared, key)
    }

    fn find(store: &mut ExactStore, key: &[u8]) -> Option<StateRef> {
        let prepared = store.prepare(key).unwrap();
        store.find(prepared, key)
    }

    #[test]
    fn equal_vectors_have_one_reference() {
        let mut store = ExactStore::new();
        assert_eq!(find(&mut store, b"a"), None);
        let (a, is_new) = insert(&mut store, b"a").unwrap();
        assert!(is_new);
        let (b, _) = insert(&mut store, b"b").unwrap();
        let (empty, is_new) = insert(&mut store, b"").unwrap();
        assert!(is_new && a != b && b != empty);
        assert_eq!(insert(&mut store, b"a"), Ok((a, false)));
        assert_eq!(insert(&mut store, b""), Ok((empty, false)));
        assert!(a < b && b < empty, "later ones are greater");
        assert_eq!(find(&mut store, b"b"), Some(b));
        assert_eq!(store.get(b), b"b");
        assert_eq!(store.len(), 3);
    }

    #[test]
    fn a_hundred_thousand_vectors_are_found_again() {
        let mut store = ExactStore::new();
        let refs: Vec<StateRef> =
            (0..100_000u32).map(|i| insert(&mut store, &i.to_le_bytes()).unwrap().0).collect();
        assert!(refs.is_sorted(), "whatever chunks the vectors are in");
        for i in 0..100_000u32 {
            let state = refs[i as usize];
            let prepared = store.prepare(&i.to_le_bytes()).unwrap();
            store.prefetch(prepared);
            store.prefetch_further(prepared);
            assert_eq!(store.insert(prepared, &i.to_le_bytes()), Ok((state, false)));
            assert_eq!(store.get(state), i.to_le_bytes());
        }
        // Four bytes of vector, its length, padding, eight for an entry at a load between 3/8 and 3/4, and slack.
        assert!(store.bytes_per_state() < 34.0, "{}", store.bytes_per_state());
    }

    #[test]
    fn a_glance_tells_most_vectors_that_are_not_there() {
        let mut store = ExactStore::new();
        let glance = |store: &mut ExactStore, number: u32| {
            let prepared = store.prepare(&number.to_le_bytes()).unwrap();
            store.may_hold(prepared)
        };
        assert!(!glance(&mut store, 0));
        (0..1000u32).for_each(|number| assert!(insert(&mut store, &number.to_le_bytes()).unwrap().1));
        assert!((0..1000).all(|number| glance(&mut store, number)), "all that are there may be");
        let doubtful = (1000..2000).filter(|number| glance(&mut store, *number)).count();
        assert!(doubtful < 100, "{doubtful} of 1000");
    }

    /// Another thread may have claimed a slot on the way; its mark shows the same hash bits as some keys.
    #[test]
    fn a_claimed_slot_is_no_entry() {
        let mut store = ExactStore::new();
        insert(&mut store, b"a").unwrap();
        // All ones in the tag, whatever bits that is, and a slot that is not the last.
        let prepared = Prepared(u64::MAX >> 1);
        let slot = slot_of(prepared.0, store.table.len());
        store.table.exclusive()[slot] = BUSY;
        assert!(store.may_hold(prepared));
        store.prefetch_further(prepared);
        assert_eq!(store.find(prepared, b"b"), None);
    }

    #[test]
    fn the_budget_is_kept_at_every_moment() {
        for budget in [0, 500, 10_000, 123_456, 1_000_000] {
            let mut store = ExactStore::with_budget(budget);
            let mut inserted = 0u32;
            while insert(&mut store, &inserted.to_le_bytes()).is_ok() {
                inserted += 1;
                assert!(store.bytes_in_use() <= budget, "{} of {budget}", store.bytes_in_use());
            }
            assert_eq!(store.len(), inserted as usize);
            assert!((0..inserted).all(|i| find(&mut store, &i.to_le_bytes()).is_some()));
            assert_eq!(find(&mut store, &inserted.to_le_bytes()), None);
            // It gives up only when the budget is well used.
            assert!(budget < 5_000 || inserted as usize * 24 > budget, "{inserted} in {budget}");
            store.set_budget(usize::MAX);
            assert!(insert(&mut store, &inserted.to_le_bytes()).unwrap().1);
        }
    }
}
