//! A weak hash, for tests: whatever a store does where hashes collide happens to every key, and not to one in millions.

use crate::{CacheStore, ExactStore, Prepared, SharedVisited, StateRef, StateStore, TreeStore, hash};
use std::cell::Cell;
use std::collections::HashMap;

thread_local! {
    static KEPT_BITS: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Leaves of a hash what the test at hand wants.
pub(crate) fn weaken(hash: u64) -> u64 {
    hash & KEPT_BITS.get()
}

/// Runs a test with hashes of which only those bits are left.
fn with_bits<R>(kept: u64, test: impl FnOnce() -> R) -> R {
    KEPT_BITS.set(kept);
    let result = test();
    KEPT_BITS.set(u64::MAX);
    result
}

/// All hashes are equal; all tags are and slots are few; all slots are and tags (of any store) are few; both are few.
const KEPT: [u64; 5] =
    [0, 0b111 << 61, 0b11 << 38 | 0b11, 0b11 << 62 | 0b1 << 31 | 0b11, 0b11 << 62 | 0b11 << 38];

/// Short and long vectors, many of them alike, some of them prefixes of others.
fn key(number: u32) -> Vec<u8> {
    let length = [0, 1, 2, 3, 4, 17, 33, 50, 80][number as usize % 9];
    (0..length).map(|at| if at % 16 == 0 { (number / 9) as u8 } else { (at / 16) as u8 }).collect()
}

/// The store answers as a map does; returns what it said of each key.
fn answers_as_a_map<S: StateStore>(mut store: S) -> HashMap<Vec<u8>, StateRef> {
    let mut map: HashMap<Vec<u8>, StateRef> = HashMap::new();
    for number in (0..700).chain(300..900) {
        let key = key(number);
        let prepared = store.prepare(&key).expect("memory");
        store.prefetch(prepared);
        assert_eq!(store.find(prepared, &key), map.get(&key).copied(), "{key:?}");
        assert!(store.may_hold(prepared) || !map.contains_key(&key), "{key:?}");
        let (state, is_new) = store.insert(prepared, &key).expect("memory");
        assert_eq!(is_new, !map.contains_key(&key), "{key:?}");
        assert_eq!(*map.entry(key).or_insert(state), state);
    }
    assert_eq!(store.len(), map.len());
    let places: std::collections::HashSet<StateRef> = map.values().copied().collect();
    assert_eq!(places.len(), map.len(), "two vectors share a place");
    for (key, state) in &map {
        let mut read = Vec::new();
        store.read(*state, &mut read);
        assert_eq!(read, *key);
    }
    map
}

#[test]
fn stores_that_keep_vectors_tell_them_apart_by_more_than_their_hashes() {
    for kept in KEPT {
        with_bits(kept, || answers_as_a_map(ExactStore::new()));
        with_bits(kept, || answers_as_a_map(TreeStore::new()));
        with_bits(kept, || answers_as_a_map(CacheStore::default()));
    }
}

#[test]
fn the_shared_way_into_the_exact_store_too() {
    for kept in KEPT {
        with_bits(kept, || {
            let mut store = ExactStore::new();
            let (mut map, mut allotment) = (HashMap::new(), Default::default());
            for key in (0..500).chain(0..900).map(key) {
                let prepared = Prepared(hash(&key));
                let (state, is_new) = loop {
                    match store.insert_shared(&mut allotment, prepared, &key) {
                        Ok(answer) => break answer,
                        Err(_) => store.make_room(&key).expect("memory"),
                    }
                };
                assert_eq!(store.get(state), key);
                assert_eq!(is_new, map.insert(key, state).is_none_or(|before| before != state));
            }
            store.retire(&mut allotment);
            assert_eq!(store.len(), map.len());
        });
    }
}
