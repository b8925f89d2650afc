//! Workers that share a store, with vectors of very different lengths: every vector is new once and stays what it is.

use panoptes_store::{
    BitStore, CacheStore, Digit, Digits, DirectStore, ExactStore, FingerprintStore, Flags, Prepared,
    ReadBack, Seat, Session, Shared, SharedVisited, StateRef, StateStore, StoreAccount, StoreSettings,
    TreeStore, Varying, Visited,
};
use std::collections::HashSet;

const WORKERS: u64 = 8;
const KEYS: u64 = 12_000;

/// Mostly short ones, and a few so long that they do not fit where others still do.
fn key(number: u64) -> Vec<u8> {
    let length = match number % 97 {
        0 => 3000 + number as usize % 5000,
        1 => 70_000,
        2..8 => 300 + number as usize % 700,
        _ => 8 + number as usize % 60,
    };
    let mut key = vec![number as u8; length];
    key[..8].copy_from_slice(&number.to_le_bytes());
    key
}

/// What one worker was told is new. All get all keys, each in another order.
fn work<S: SharedVisited + ReadBack>(mut seat: Seat<'_, S>, worker: u64) -> Vec<(u64, StateRef)> {
    let (mut news, mut read) = (Vec::new(), Vec::new());
    for first in (0..KEYS).step_by(5) {
        let mut session = seat.enter();
        for step in first..first + 5 {
            let number = (step * 7 + worker * 1501) % KEYS;
            let key = key(number);
            let prepared = session.prepare(&key).unwrap();
            session.prefetch(prepared);
            let found = session.find(prepared, &key);
            assert!(session.may_hold(prepared) || found.is_none());
            let (state, is_new) = session.insert(prepared, &key).unwrap();
            assert!(found.is_none_or(|found| (found, false) == (state, is_new)));
            assert_eq!(session.find(prepared, &key), Some(state));
            if S::KEEPS_VECTORS {
                read.clear();
                session.read(state, &mut read);
                assert_eq!(read, key);
            }
            if is_new {
                news.push((number, state));
            }
        }
    }
    news
}

fn stress<S: SharedVisited + StateStore>(store: S) -> S {
    let shared = Shared::new(store, WORKERS as usize);
    let news: Vec<(u64, StateRef)> = std::thread::scope(|scope| {
        let start = |worker| {
            let seat = shared.seat().expect("one for each worker");
            scope.spawn(move || work(seat, worker))
        };
        let workers: Vec<_> = (0..WORKERS).map(start).collect();
        assert!(shared.seat().is_none());
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let mut store = shared.into_inner();
    assert_eq!((news.len(), store.len()), (KEYS as usize, KEYS as usize));
    assert_eq!(news.iter().map(|(_, state)| *state).collect::<HashSet<_>>().len(), KEYS as usize);
    for (number, state) in news {
        let key = key(number);
        let prepared = store.prepare(&key).unwrap();
        assert_eq!(store.insert(prepared, &key), Ok((state, false)));
    }
    store
}

#[test]
fn the_exact_store_under_stress() {
    (0..4).for_each(|_| drop(stress(ExactStore::new())));
}

#[test]
fn the_compressed_store_under_stress() {
    stress(TreeStore::new());
}

/// A compressed store that knows the values of the first byte of vectors that are so long, and learns of the others.
fn packing(length: usize) -> TreeStore {
    let mut store = TreeStore::new();
    let (base, mut spans) = (vec![0; length], vec![0; length]);
    spans[0] = u8::MAX;
    let varying = Some(Varying { base, spans });
    store.configure(&StoreSettings { varying, ..StoreSettings::default() });
    store
}

#[test]
fn the_compressed_store_with_packed_vectors_under_stress() {
    stress(packing(8));
    stress(packing(20));
}

#[test]
fn the_fingerprint_store_under_stress() {
    (0..4).for_each(|_| drop(stress(FingerprintStore::default())));
}

#[test]
fn the_array_of_all_possible_states_under_stress() {
    let mut store = DirectStore::default();
    let digit = |at, count| Digit { at, low: 0, count };
    let digits = Digits::new(vec![digit(1, 256), digit(0, 256)]);
    store.configure(&StoreSettings { digits, ..StoreSettings::default() });
    assert!(stress(store).account().is_exact());
}

/// Flags that are set while the store grows are not lost.
fn flags_under_stress<S: SharedVisited + Flags>(mut store: S) {
    store.keep_flags();
    let shared = Shared::new(store, 4);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let mut seat = shared.seat().unwrap();
            scope.spawn(move || {
                for number in 0..KEYS {
                    let key = number.to_le_bytes();
                    let mut session = seat.enter();
                    let prepared = session.prepare(&key).unwrap();
                    let (state, _) = session.insert(prepared, &key).unwrap();
                    assert_eq!(session.set_flags(state, 1 << worker) >> worker & 1, 0);
                }
            });
        }
    });
    let mut store = shared.into_inner();
    for number in 0..KEYS {
        let key = number.to_le_bytes();
        let prepared = store.prepare(&key).unwrap();
        assert_eq!(store.flags(store.find(prepared, &key).unwrap()), 0b1111);
    }
}

#[test]
fn flags_survive_growth() {
    flags_under_stress(ExactStore::new());
    flags_under_stress(TreeStore::new());
    flags_under_stress(packing(8));
    flags_under_stress(FingerprintStore::default());
}

/// Who finds no more memory says so, and the others go on.
#[test]
fn a_full_store_refuses_and_keeps_what_it_has() {
    let shared = Shared::new(ExactStore::with_budget(300_000), 3);
    let news: Vec<u64> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|_| {
                let mut seat = shared.seat().unwrap();
                scope.spawn(move || {
                    let insert = |number: &u64| {
                        let (mut session, key) = (seat.enter(), number.to_le_bytes());
                        let prepared = session.prepare(&key).unwrap();
                        session.insert(prepared, &key).is_ok_and(|(_, is_new)| is_new)
                    };
                    (0..100_000).filter(insert).collect::<Vec<u64>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let mut store = shared.into_inner();
    assert!(store.bytes_in_use() <= 300_000 && news.len() == store.len() && news.len() > 5000);
    for number in news {
        let key = number.to_le_bytes();
        let prepared = store.prepare(&key).unwrap();
        assert!(store.find(prepared, &key).is_some());
    }
}

/// What threads share can be shared, and what each of them has can be given to it.
#[test]
fn what_threads_share_is_sync() {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<Shared<ExactStore>>();
    is_shared::<Shared<TreeStore>>();
    is_shared::<Shared<FingerprintStore>>();
    is_shared::<Shared<DirectStore>>();
    is_shared::<BitStore>();
    is_shared::<CacheStore>();
    is_shared::<(StateRef, Prepared, StoreAccount, StoreSettings)>();
    is_sent::<Seat<'static, TreeStore>>();
    is_sent::<Session<'static, 'static, ExactStore>>();
}
