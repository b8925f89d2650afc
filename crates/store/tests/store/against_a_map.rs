//! The exact store must answer as a map from vectors to their references does, and the same whether keys come one by one or together.

use panoptes_store::{
    ByteSet, ExactStore, OutOfMemory, Prepared, StateRef, StateStore, StoreSettings, TreeStore, Varying,
    Visited,
};
use proptest::prelude::*;
use std::collections::HashMap;

fn insert(store: &mut ExactStore, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
    let prepared = store.prepare(key)?;
    store.insert(prepared, key)
}

fn find(store: &mut ExactStore, key: &[u8]) -> Option<StateRef> {
    let prepared = store.prepare(key).expect("an exact store prepares without memory");
    store.find(prepared, key)
}

/// Vectors of any length up to 80 of which many are equal, or differ in one byte.
fn similar_keys() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let key = (0usize..80, 0usize..80, 0u8..3).prop_map(|(length, at, byte)| {
        let mut key = vec![7; length];
        key.iter_mut().skip(at).take(1).for_each(|changed| *changed = byte);
        key
    });
    prop::collection::vec(key, 0..1500)
}

/// All keys, known ones passed over together: for each that was new its number and reference, and how it ended.
fn insert_all<S: StateStore>(
    store: &mut S,
    keys: &[Vec<u8>],
) -> (Vec<(usize, StateRef)>, Result<(), OutOfMemory>) {
    let (mut new, mut at) = (Vec::new(), 0);
    let prepared: Result<Vec<Prepared>, OutOfMemory> = keys.iter().map(|key| store.begin(key)).collect();
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(full) => return (new, Err(full)),
    };
    prepared.iter().for_each(|prepared| store.prefetch_further(*prepared));
    loop {
        match store.insert_until_new(&prepared, |number| &keys[number], &mut at) {
            Ok(Some(state)) => new.push((at - 1, state)),
            Ok(None) => {
                assert_eq!(at, keys.len());
                return (new, Ok(()));
            }
            Err(full) => {
                assert!(at < keys.len(), "one key was refused");
                return (new, Err(full));
            }
        }
    }
}

/// The same, one by one.
fn insert_each<S: StateStore>(
    store: &mut S,
    keys: &[Vec<u8>],
) -> (Vec<(usize, StateRef)>, Result<(), OutOfMemory>) {
    let mut new = Vec::new();
    for (number, key) in keys.iter().enumerate() {
        match store.prepare(key).and_then(|prepared| store.insert(prepared, key)) {
            Ok((state, true)) => new.push((number, state)),
            Ok(_) => {}
            Err(full) => return (new, Err(full)),
        }
    }
    (new, Ok(()))
}

/// A compressed store for vectors of that length which vary in few bits.
fn packing(length: usize) -> TreeStore {
    let mut few = ByteSet::default();
    [0, 7].into_iter().for_each(|byte| few.insert(byte));
    let mut store = TreeStore::new();
    store.configure(&StoreSettings {
        varying: Some(Varying::new(&vec![few; length])),
        ..StoreSettings::default()
    });
    store
}

/// A vector of twelve bytes: what a key has of them, and two of its number.
fn twelve_bytes(number: usize, key: &[u8]) -> Vec<u8> {
    let mut bytes = key.to_vec();
    bytes.resize(10, 0);
    bytes.extend([number as u8 & 7, (number / 8) as u8 & 1]);
    bytes
}

proptest! {
    #[test]
    fn keys_are_added_together_as_one_by_one(keys in similar_keys(), budget in 0usize..200_000) {
        let (mut together, mut alone) = (ExactStore::with_budget(budget), ExactStore::with_budget(budget));
        prop_assert_eq!(insert_all(&mut together, &keys), insert_each(&mut alone, &keys));
        prop_assert_eq!(together.len(), alone.len());
        let (mut together, mut alone) = (TreeStore::new(), TreeStore::new());
        prop_assert_eq!(insert_all(&mut together, &keys), insert_each(&mut alone, &keys));
        let (mut together, mut alone) = (packing(12), packing(12));
        let keys: Vec<Vec<u8>> = keys.into_iter().enumerate().map(|(number, key)| twelve_bytes(number, &key)).collect();
        prop_assert_eq!(insert_all(&mut together, &keys), insert_each(&mut alone, &keys));
    }

    #[test]
    fn answers_as_a_map(keys in prop::collection::vec(prop::collection::vec(0u8..3, 0..6), 0..2000)) {
        let mut store = ExactStore::new();
        let mut map: HashMap<Vec<u8>, StateRef> = HashMap::new();
        for key in &keys {
            prop_assert_eq!(find(&mut store, key), map.get(key).copied());
            let (state, is_new) = insert(&mut store, key).unwrap();
            prop_assert_eq!(is_new, !map.contains_key(key));
            prop_assert_eq!(*map.entry(key.clone()).or_insert(state), state);
            prop_assert_eq!(store.get(state), &key[..]);
        }
        prop_assert_eq!(store.len(), map.len());
        for (key, state) in &map {
            prop_assert_eq!(store.get(*state), &key[..]);
        }
    }

    #[test]
    fn a_full_store_keeps_what_it_has(
        keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..500),
        budget in 0usize..40_000,
    ) {
        let mut store = ExactStore::with_budget(budget);
        let mut map: HashMap<Vec<u8>, StateRef> = HashMap::new();
        for key in &keys {
            if let Ok((state, is_new)) = insert(&mut store, key) {
                prop_assert_eq!(is_new, map.insert(key.clone(), state).is_none());
            }
            prop_assert!(store.bytes_in_use() <= budget);
        }
        prop_assert_eq!(store.len(), map.len());
        prop_assert!(map.iter().all(|(key, state)| find(&mut store, key) == Some(*state)));
    }
}
