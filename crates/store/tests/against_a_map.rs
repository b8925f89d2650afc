//! The exact store must answer as a map from vectors to their references does.

use panoptes_store::{ExactStore, OutOfMemory, Prepared, StateRef, StateStore};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

#[test]
fn threads_insert_together() {
    const KEYS: usize = 20_000;
    let key =
        |index: usize| -> Vec<u8> { (0..index % 37 + 3).map(|at| (index >> (at % 3 * 8)) as u8).collect() };
    let distinct: std::collections::HashSet<Vec<u8>> = (0..KEYS).map(key).collect();
    let mut store = ExactStore::new();
    let news = AtomicUsize::new(0);
    let mut refused: Vec<usize> = (0..KEYS).collect();
    while !refused.is_empty() {
        store.make_room(&key(refused[0])).unwrap();
        let again = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (store, refused, again, news) = (&store, &refused, &again, &news);
                scope.spawn(move || {
                    // Every key goes to two threads.
                    for index in
                        refused.iter().copied().filter(|index| index % 4 == thread || index % 3 == thread)
                    {
                        let key = key(index);
                        match store.insert_shared(Prepared(panoptes_store::hash(&key)), &key) {
                            Ok((state, is_new)) => {
                                assert_eq!(store.get(state), key);
                                news.fetch_add(usize::from(is_new), Ordering::Relaxed);
                            }
                            Err(_) => again.lock().unwrap().push(index),
                        }
                    }
                });
            }
        });
        refused = again.into_inner().unwrap();
        refused.sort_unstable();
        refused.dedup();
    }
    assert_eq!((store.len(), news.into_inner()), (distinct.len(), distinct.len()));
    assert!(distinct.iter().all(|key| find(&mut store, key).is_some()));
}
