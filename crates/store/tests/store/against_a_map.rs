//! The exact store must answer as a map from vectors to their references does.

use panoptes_store::{ExactStore, OutOfMemory, StateRef, StateStore, Visited};
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

proptest! {
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
