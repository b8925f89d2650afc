//! A state-space cache: exact, but of the states that the search is done with it holds so many at most, and forgets one for
//! each new one when it is full.
//!
//! A depth-first search needs only the states of its path to go round in no circle; every other one merely saves work, for
//! what was forgotten is searched again when it is met again. So the answer is that of a full store whatever the size
//! (Holzmann, *Automated Protocol Validation in Argos*, 1987, section V), and the price is *double work*. States of the path are
//! never forgotten, and are held beside the others.
//!
//! Which state is forgotten is decided by a rule (`replacement.rs`). Blind ones are cheap and mostly good; where one is not, the same part of the
//! space is searched over and over, and unless the user chose the rule, another takes its place.
//!
//! A slot holds a vector; an open-addressing index of slot numbers finds it. What is taken out of the index closes its gap, so
//! that lookups stay short.

use crate::account::CacheAccount;
use crate::replacement::Victims;
use crate::{
    Drafting, Flags, Numbering, OutOfMemory, PathHooks, Prepared, ReadBack, Replacement, Sample, StateRef,
    StateStore, StoreAccount, StoreSettings, Visited, hash,
};

/// What a slot takes beside its vector: the box, the hash, and what the heap adds to each piece.
const SLOT_BYTES: usize = size_of::<Slot>() + 16;
const INDEX_MIN: usize = 64;
const EMPTY: u32 = u32::MAX;
/// When so many states were created for each different one, the rule that nobody asked for is given up.
const CREATED_MAX: f64 = 2.0;
/// The rule is judged each time so many states were replaced.
const JUDGED_EVERY: u64 = 256;

#[derive(Debug)]
pub struct CacheStore {
    settings: StoreSettings,
    budget_bytes: usize,
    slots: Vec<Slot>,
    /// Slots that hold nothing.
    free: Vec<u32>,
    /// Slot numbers by hash; at most three quarters full.
    index: Vec<u32>,
    victims: Victims,
    /// How many states had been created when the first rule was given up.
    gave_way_at: Option<u64>,
    vector_bytes: usize,
    replaced: u64,
    created: u64,
    held_max: usize,
    sample: Sample,
}

#[derive(Debug)]
struct Slot {
    vector: Box<[u8]>,
    hash: u64,
}

impl Default for CacheStore {
    fn default() -> CacheStore {
        let settings = StoreSettings::default();
        CacheStore {
            settings,
            budget_bytes: usize::MAX,
            slots: Vec::new(),
            free: Vec::new(),
            index: vec![EMPTY; INDEX_MIN],
            victims: Victims::new(Replacement::RoundRobin),
            gave_way_at: None,
            vector_bytes: 0,
            replaced: 0,
            created: 0,
            held_max: 0,
            sample: Sample::default(),
        }
    }
}

impl CacheStore {
    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.index.len() as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        if place + 1 == self.index.len() { 0 } else { place + 1 }
    }

    /// The place of the key in the index, or else the empty one where it belongs.
    #[inline]
    fn probe(&self, hash: u64, key: &[u8]) -> Result<usize, usize> {
        let mut place = self.home(hash);
        while self.index[place] != EMPTY {
            let slot = &self.slots[self.index[place] as usize];
            if slot.hash == hash && *slot.vector == *key {
                return Ok(place);
            }
            place = self.after(place);
        }
        Err(place)
    }

    /// Takes out what a place of the index holds, and moves up those that would no longer be found.
    fn unlink(&mut self, mut gap: usize) {
        let mut place = gap;
        loop {
            place = self.after(place);
            if self.index[place] == EMPTY {
                break;
            }
            let home = self.home(self.slots[self.index[place] as usize].hash);
            // May the one at `place` stand in the gap? Not if its home lies behind the gap.
            let len = self.index.len();
            if (place + len - home) % len >= (place + len - gap) % len {
                self.index[gap] = self.index[place];
                gap = place;
            }
        }
        self.index[gap] = EMPTY;
    }

    /// Forgets a state that is not on the path, if there is one.
    fn forget_one(&mut self) {
        let Some(victim) = self.victims.choose() else { return };
        let Slot { vector, hash } = &mut self.slots[victim as usize];
        let (vector, hash) = (std::mem::take(vector), *hash);
        self.vector_bytes -= vector.len();
        let mut place = self.home(hash);
        while self.index[place] != victim {
            place = self.after(place);
        }
        self.unlink(place);
        self.free.push(victim);
        self.replaced += 1;
        if self.replaced.is_multiple_of(JUDGED_EVERY) {
            self.judge_rule();
        }
    }

    fn judge_rule(&mut self) {
        let is_first = self.settings.replacement.is_none() && self.gave_way_at.is_none();
        if is_first && self.created as f64 > CREATED_MAX * self.sample.distinct() {
            self.victims.change_rule(Replacement::LargestClass);
            self.gave_way_at = Some(self.created);
        }
    }

    fn held(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn enlarge_index(&mut self) {
        let larger = self.index.len() * 2;
        self.index.clear();
        self.index.resize(larger, EMPTY);
        let is_free: std::collections::HashSet<u32> = self.free.iter().copied().collect();
        for slot in (0..self.slots.len() as u32).filter(|slot| !is_free.contains(slot)) {
            let place = self.empty_place(self.slots[slot as usize].hash);
            self.index[place] = slot;
        }
    }

    fn empty_place(&self, hash: u64) -> usize {
        let mut place = self.home(hash);
        while self.index[place] != EMPTY {
            place = self.after(place);
        }
        place
    }
}

impl Visited for CacheStore {
    /// Slots, used again when a vector is forgotten.
    const NUMBERING: Numbering = Numbering::Dense;

    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        Ok(Prepared(hash(key)))
    }

    #[inline]
    fn prefetch(&self, Prepared(hash): Prepared) {
        crate::pages::prefetch(self.index.as_ptr().wrapping_add(self.home(hash)));
    }

    fn insert(&mut self, Prepared(hash): Prepared, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        if let Ok(place) = self.probe(hash, key) {
            return Ok((StateRef(u64::from(self.index[place])), false));
        }
        if (self.held() + 1) * 4 > self.index.len() * 3 {
            if self.bytes_in_use() + self.index.len() * 8 > self.budget_bytes {
                return Err(OutOfMemory);
            }
            self.enlarge_index();
        }
        if self.bytes_in_use() + SLOT_BYTES + key.len() > self.budget_bytes
            || self.slots.len() >= EMPTY as usize
        {
            return Err(OutOfMemory);
        }
        let entry = Slot { vector: key.into(), hash };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = entry;
                slot
            }
            None => {
                self.slots.push(entry);
                self.slots.len() as u32 - 1
            }
        };
        let place = self.empty_place(hash);
        self.index[place] = slot;
        self.victims.add(slot);
        self.vector_bytes += key.len();
        self.created += 1;
        self.held_max = self.held_max.max(self.held());
        self.sample.note(hash, true);
        Ok((StateRef(u64::from(slot)), true))
    }

    #[inline]
    fn find(&self, Prepared(hash): Prepared, key: &[u8]) -> Option<StateRef> {
        self.probe(hash, key).ok().map(|place| StateRef(u64::from(self.index[place])))
    }
}

impl Drafting for CacheStore {}

impl ReadBack for CacheStore {
    fn read(&self, StateRef(slot): StateRef, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.slots[slot as usize].vector);
    }
}

impl PathHooks for CacheStore {
    const HEARS_MET: bool = true;

    fn met(&mut self, StateRef(slot): StateRef, depth: u32) -> bool {
        self.victims.met(slot as u32, depth);
        false
    }

    fn entered(&mut self, StateRef(slot): StateRef, depth: u32) {
        self.victims.entered(slot as u32, depth);
    }

    fn left(&mut self, StateRef(slot): StateRef) {
        while self.victims.len() >= self.settings.cache_states {
            self.forget_one();
        }
        self.victims.left(slot as u32, self.slots[slot as usize].hash);
    }
}

impl StateStore for CacheStore {
    fn configure(&mut self, settings: &StoreSettings) {
        assert_eq!(self.created, 0, "a store is set up before it is used");
        self.settings = StoreSettings { cache_states: settings.cache_states.max(1), ..settings.clone() };
        self.victims = Victims::new(settings.replacement.unwrap_or(Replacement::RoundRobin));
    }

    fn len(&self) -> usize {
        self.held()
    }

    fn bytes_in_use(&self) -> usize {
        self.slots.len() * SLOT_BYTES
            + self.vector_bytes
            + self.free.len() * size_of::<u32>()
            + self.index.len() * size_of::<u32>()
            + self.victims.heap_bytes()
            + self.sample.heap_bytes()
    }

    fn set_budget(&mut self, budget_bytes: usize) {
        self.budget_bytes = budget_bytes;
        self.sample.keep_within(budget_bytes);
    }

    fn account(&self) -> StoreAccount {
        StoreAccount::Cache(CacheAccount {
            capacity: self.settings.cache_states,
            replacement: self.settings.replacement.unwrap_or(Replacement::RoundRobin),
            gave_way_at: self.gave_way_at,
            replaced: self.replaced,
            created: self.created,
            // While nothing was forgotten, no state was created twice.
            distinct: if self.replaced == 0 {
                self.created
            } else {
                (self.sample.distinct() as u64).min(self.created)
            },
            is_estimate: self.replaced > 0 && self.sample.share() < 1.0,
            held_max: self.held_max,
        })
    }
}

impl Flags for CacheStore {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Replacement;
    use std::collections::HashMap;

    fn store(cache_states: usize, replacement: Replacement) -> CacheStore {
        let mut store = CacheStore::default();
        let replacement = Some(replacement);
        store.configure(&StoreSettings { cache_states, replacement, ..StoreSettings::default() });
        store
    }

    fn insert(store: &mut CacheStore, number: u32) -> (StateRef, bool) {
        let key = number.to_le_bytes();
        let prepared = store.prepare(&key).unwrap();
        store.prefetch(prepared);
        let found = store.find(prepared, &key);
        let inserted = store.insert(prepared, &key).unwrap();
        assert_eq!(found, (!inserted.1).then_some(inserted.0));
        inserted
    }

    /// States come and go in a random order; some of them are on a path, as a search would have it.
    #[test]
    fn the_path_is_kept_and_the_rest_is_what_it_says() {
        for replacement in Replacement::ALL {
            let mut store = store(50, replacement);
            let mut path: Vec<(StateRef, u32)> = Vec::new();
            let mut on_path: HashMap<u32, StateRef> = HashMap::new();
            let mut random = 1u64;
            for _ in 0..20_000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let number = (random >> 33) as u32 % 200;
                if random >> 60 < 8 && path.len() < 80 {
                    let (state, is_new) = insert(&mut store, number);
                    if let Some(known) = on_path.get(&number) {
                        assert_eq!((state, is_new), (*known, false));
                    }
                    if is_new {
                        store.entered(state, path.len() as u32);
                        path.push((state, number));
                        on_path.insert(number, state);
                    } else {
                        store.met(state, path.len() as u32);
                    }
                } else if let Some((state, number)) = path.pop() {
                    store.left(state);
                    on_path.remove(&number);
                }
                for (number, state) in &on_path {
                    let mut vector = Vec::new();
                    store.read(*state, &mut vector);
                    assert_eq!(vector, number.to_le_bytes());
                }
                assert!(store.len() <= 50 + path.len(), "{replacement:?}");
            }
            let StoreAccount::Cache(account) = store.account() else { panic!("a wrong account") };
            assert!(account.replaced > 100 && account.created > 200, "{account:?}");
            assert_eq!(account.distinct, 200);
            assert!(account.double_work() > 0.5);
        }
    }

    /// Which of four states are left after so many more.
    fn survivors(replacement: Replacement, count: u32) -> Vec<u32> {
        let mut store = store(4, replacement);
        // States 0 to 3, met never, once, twice and thrice again, the later ones deeper.
        for number in 0..4 {
            let (state, _) = insert(&mut store, number);
            store.entered(state, number * 10);
            for _ in 0..number {
                store.met(state, number * 10);
            }
            store.left(state);
        }
        for number in 4..4 + count {
            let (state, _) = insert(&mut store, number);
            store.entered(state, 0);
            // As often as none of the others, so that no rule prefers these.
            assert!((0..4).all(|_| !store.met(state, 0)));
            store.left(state);
        }
        let is_there = |number: &u32| {
            let key = number.to_le_bytes();
            store.find(Prepared(hash(&key)), &key).is_some()
        };
        (0..4).filter(is_there).collect()
    }

    #[test]
    fn each_rule_forgets_what_it_says() {
        assert_eq!(survivors(Replacement::MostVisited, 1), [0, 1, 2]);
        assert_eq!(survivors(Replacement::LeastVisited, 2), [2, 3]);
        assert_eq!(survivors(Replacement::OldestFirst, 1), [1, 2, 3]);
        assert_eq!(survivors(Replacement::OldestFirst, 3), [3]);
        assert_eq!(survivors(Replacement::RoundRobin, 1).len(), 3);
        assert_eq!(survivors(Replacement::SmallestSubtree, 2), [0, 1]);
        assert_eq!(survivors(Replacement::LargestClass, 1).len(), 3);
    }

    /// The pointer comes to every state, whenever it came: nobody stays for ever.
    #[test]
    fn round_robin_forgets_everybody_sooner_or_later() {
        let mut store = store(100, Replacement::RoundRobin);
        for number in 0..2000 {
            let (state, is_new) = insert(&mut store, number);
            assert!(is_new);
            store.entered(state, 0);
            store.left(state);
        }
        let numbers = |store: &CacheStore| {
            let mut vectors = store.slots.iter().map(|slot| slot.vector.to_vec()).collect::<Vec<_>>();
            vectors.retain(|vector| !vector.is_empty());
            vectors
                .into_iter()
                .map(|vector| u32::from_le_bytes(vector.try_into().unwrap()))
                .collect::<Vec<_>>()
        };
        let held = numbers(&store);
        assert_eq!(held.len(), 100);
        assert!(held.iter().all(|number| *number >= 1000), "{held:?}");
        // But not in the order in which they came.
        assert!(held.iter().any(|number| *number < 1900), "{held:?}");
    }

    /// The same thousand states over and over do not fit, and whoever did not choose that rule gets another.
    #[test]
    fn a_rule_that_nobody_asked_for_is_given_up_when_it_does_everything_twice() {
        for replacement in [None, Some(Replacement::RoundRobin)] {
            let mut store = CacheStore::default();
            store.configure(&StoreSettings { cache_states: 10, replacement, ..StoreSettings::default() });
            for number in (0..1000).cycle().take(10_000) {
                let (state, is_new) = insert(&mut store, number);
                if is_new {
                    store.entered(state, 0);
                    store.left(state);
                } else {
                    store.met(state, 0);
                }
                assert!(store.len() <= 11);
            }
            let StoreAccount::Cache(account) = store.account() else { panic!("a wrong account") };
            assert_eq!((account.replacement, account.distinct), (Replacement::RoundRobin, 1000));
            match replacement {
                None => assert!(account.gave_way_at.is_some_and(|created| created > 2000 && created < 4000)),
                Some(_) => assert_eq!(account.gave_way_at, None),
            }
        }
    }

    /// Also while the index is made larger, for which the old one and the new one are there together.
    #[test]
    fn a_budget_that_is_just_enough_is_enough() {
        let mut store = store(1000, Replacement::RoundRobin);
        let mut number = 0;
        for _ in 0..3 {
            while (store.held() + 1) * 4 <= store.index.len() * 3 {
                let needed = store.bytes_in_use() + SLOT_BYTES + 4;
                refuses_less_than(&mut store, needed, number);
                number += 1;
            }
            let needed = store.bytes_in_use() + 2 * size_of_val(&store.index[..]);
            refuses_less_than(&mut store, needed, number);
            number += 1;
        }
    }

    fn refuses_less_than(store: &mut CacheStore, needed: usize, number: u32) {
        let key = number.to_le_bytes();
        let prepared = store.prepare(&key).unwrap();
        store.set_budget(needed - 1);
        assert!(store.insert(prepared, &key).is_err(), "{number}");
        store.set_budget(needed);
        assert!(store.insert(prepared, &key).is_ok_and(|(_, is_new)| is_new), "{number}");
    }
}
