//! The exact store must answer as a map from vectors to their numbers does.

use panoptes_store::{ExactStore, StateIndex};
use proptest::prelude::*;
use std::collections::HashMap;

proptest! {
    #[test]
    fn answers_as_a_map(keys in prop::collection::vec(prop::collection::vec(0u8..3, 0..6), 0..2000)) {
        let mut store = ExactStore::new();
        let mut map: HashMap<Vec<u8>, StateIndex> = HashMap::new();
        for key in &keys {
            prop_assert_eq!(store.find(key), map.get(key).copied());
            let next = StateIndex(map.len() as u32);
            let known = map.get(key).copied();
            let expected = (known.unwrap_or(next), known.is_none());
            map.entry(key.clone()).or_insert(next);
            prop_assert_eq!(store.insert(key), Ok(expected));
            prop_assert_eq!(store.get(expected.0), &key[..]);
        }
        prop_assert_eq!(store.len(), map.len());
        for (key, index) in &map {
            prop_assert_eq!(store.get(*index), &key[..]);
        }
    }

    #[test]
    fn a_full_store_keeps_what_it_has(
        keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..500),
        budget in 0usize..40_000,
    ) {
        let mut store = ExactStore::with_budget(budget);
        let mut map: HashMap<Vec<u8>, StateIndex> = HashMap::new();
        for key in &keys {
            if let Ok((index, is_new)) = store.insert(key) {
                prop_assert_eq!(is_new, map.insert(key.clone(), index).is_none());
            }
            prop_assert!(store.bytes_in_use() <= budget);
        }
        prop_assert_eq!(store.len(), map.len());
        prop_assert!(map.iter().all(|(key, index)| store.find(key) == Some(*index)));
    }
}
