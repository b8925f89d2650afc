//! The compressed store against a plain set: answers, reading back and budgets.

use panoptes_store::{
    Draft, Drafting, OutOfMemory, ReadBack, StateRef, StateStore, StoreSettings, TreeStore, Varying, Visited,
    hash,
};
use proptest::prelude::*;
use std::collections::HashMap;

fn insert(store: &mut TreeStore, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
    let prepared = store.prepare(key)?;
    store.prefetch(prepared);
    store.insert(prepared, key)
}

fn find(store: &mut TreeStore, key: &[u8]) -> Option<StateRef> {
    let prepared = store.prepare(key).unwrap();
    store.find(prepared, key)
}

/// Every vector is found and can be read back.
fn assert_all_there(store: &mut TreeStore, model: &HashMap<Vec<u8>, StateRef>) {
    let mut read = Vec::new();
    for (key, state) in model {
        read.clear();
        store.read(*state, &mut read);
        assert_eq!(&read, key);
        assert_eq!(find(store, key), Some(*state));
    }
}

/// Inserts all and checks every answer on the way, then reads all back.
fn check(store: &mut TreeStore, keys: impl Iterator<Item = Vec<u8>>) {
    let mut model: HashMap<Vec<u8>, StateRef> = HashMap::new();
    for key in keys {
        let known = model.get(&key).copied();
        assert_eq!(find(store, &key), known);
        let (state, is_new) = insert(store, &key).unwrap();
        assert_eq!(is_new, known.is_none());
        assert!(known.is_none_or(|known| known == state));
        model.insert(key, state);
        assert_eq!(store.len(), model.len());
    }
    assert_all_there(store, &model);
    let mut states: Vec<StateRef> = model.into_values().collect();
    states.sort_unstable();
    assert!(states.is_sorted_by(|a, b| a < b), "references are unique");
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (hash(&self.0.to_le_bytes()) % n as u64) as usize
    }
}

/// Small changes to earlier vectors; now and then a process comes or goes.
fn walk(seed: u64, steps: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut random = Random(seed << 32);
    let mut past = vec![vec![0; 40]];
    (0..steps).map(move |_| {
        let mut vector = past[random.below(past.len())].clone();
        for _ in 0..1 + random.below(3) {
            match random.below(40) {
                0 if vector.len() < 400 => vector.extend_from_slice(&[1; 13]),
                1 if vector.len() > 20 => vector.truncate(vector.len() - 13),
                _ => {
                    let at = random.below(vector.len());
                    vector[at] = random.below(4) as u8;
                }
            }
        }
        if past.len() < 5000 {
            past.push(vector.clone());
        } else {
            let at = random.below(5000);
            past[at] = vector.clone();
        }
        vector
    })
}

#[test]
fn walks_with_changing_lengths() {
    for seed in 0..3 {
        check(&mut TreeStore::new(), walk(seed, 60_000));
    }
}

#[test]
fn lengths_and_zeros_are_told_apart() {
    let zeros = (0..600).map(|length| vec![0; length]);
    let ones = (0..600).map(|length| vec![1; length]);
    let last = (1..600).map(|length| [vec![0; length - 1], vec![7]].concat());
    check(&mut TreeStore::new(), zeros.clone().chain(ones).chain(last).chain(zeros));
}

#[test]
fn counters_grow_through_all_widths() {
    // Every chunk is new each time, so the numbers of both halves outgrow what was mixed at first.
    let dense =
        (0..300_000u64).map(|i| [(i * 3).to_le_bytes(), i.to_le_bytes(), (i ^ 1).to_le_bytes()].concat());
    check(&mut TreeStore::new(), dense);
    // Few halves, many pairs: the entries get narrow.
    let square = (0..400_000u64).map(|i| {
        let mut key = vec![0; 32];
        key[0..2].copy_from_slice(&((i % 700) as u16).to_le_bytes());
        key[16..18].copy_from_slice(&((i / 700) as u16).to_le_bytes());
        key
    });
    let mut store = TreeStore::new();
    check(&mut store, square);
    assert!(store.bytes_per_state() < 4.0, "{}", store.bytes_per_state());
}

#[test]
fn the_budget_is_kept_at_every_moment() {
    for budget in [0, 5_000, 200_000, 300_000, 1_000_000, 12_000_000] {
        let mut store = TreeStore::with_budget(budget);
        let mut held: Vec<(Vec<u8>, StateRef)> = Vec::new();
        let mut random = Random(budget as u64);
        loop {
            let mut key = vec![0; 60];
            for _ in 0..12 {
                key[random.below(60)] = random.below(3) as u8;
            }
            let inserted = insert(&mut store, &key);
            assert!(store.bytes_in_use() <= budget, "{} of {budget}", store.bytes_in_use());
            match inserted {
                Ok((state, true)) => held.push((key, state)),
                Ok((_, false)) => {}
                Err(OutOfMemory) => break,
            }
        }
        assert_eq!(store.len(), held.len());
        assert!(budget < 300_000 || held.len() * 200 > budget, "{} in {budget}", held.len());
        let mut read = Vec::new();
        for (key, state) in &held {
            assert_eq!(insert(&mut store, key), Ok((*state, false)));
            read.clear();
            store.read(*state, &mut read);
            assert_eq!(&read, key);
        }
        store.set_budget(usize::MAX);
        assert!(matches!(insert(&mut store, &[9; 60]), Ok((_, true))));
    }
}

/// States made of the same few parts fill the sets, and then new parts fill the tables: the budget is for both, for short
/// vectors and for long ones.
#[test]
fn the_budget_is_for_sets_and_tables_together() {
    for (budget, more_bytes) in (5..15).flat_map(|tenth| [(tenth * 100_000, 0), (tenth * 100_000, 32)]) {
        let bytes = |part: u64| hash(&part.to_le_bytes()).to_le_bytes().repeat(2);
        let key = |parts: [u64; 3]| [parts.map(bytes).concat(), vec![1; more_bytes]].concat();
        let mut store = TreeStore::with_budget(budget);
        let mut number = 0;
        while store.bytes_in_use() < budget / 3 {
            let parts = [number % 64, number / 64 % 64, number / 4096];
            assert!(insert(&mut store, &key(parts)).is_ok_and(|(_, is_new)| is_new), "{number}");
            number += 1;
        }
        let is_room = |number: &u64| {
            let is_room = insert(&mut store, &key([*number; 3])).is_ok();
            assert!(store.bytes_in_use() <= budget, "{} bytes", store.bytes_in_use());
            is_room
        };
        assert!((1000..).take_while(is_room).count() > 100);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_vectors(keys in prop::collection::vec(prop::collection::vec(0u8..3, 0..70), 0..300)) {
        check(&mut TreeStore::new(), keys.into_iter());
    }
}

/// Drafts of some keys, then other keys by `prepare`, then what came of the drafts: as if each had been prepared.
#[test]
fn drafts_come_to_what_prepare_gives() {
    for seed in 0..20 {
        let mut random = Random(seed << 40);
        let keys = walk(100 + seed, 6000).filter(|key| !key.is_empty());
        let mut store = TreeStore::new();
        let mut model: HashMap<Vec<u8>, StateRef> = HashMap::new();
        let mut drafts = Vec::new();
        for key in keys {
            match random.below(12) {
                // Both halves at once, while drafts are waiting.
                0 => {
                    let known = model.get(&key).copied();
                    let (state, is_new) = insert(&mut store, &key).unwrap();
                    assert_eq!(is_new, known.is_none());
                    assert!(known.is_none_or(|known| known == state));
                    model.insert(key, state);
                }
                // What a selection among successors asks.
                1 => assert_eq!(find(&mut store, &key), model.get(&key).copied()),
                // Refused for lack of room: nothing of it may stay behind.
                2 => {
                    store.set_budget(store.bytes_in_use());
                    let _ = store.draft(&key);
                    store.set_budget(usize::MAX);
                }
                3 => conclude(&mut store, &mut drafts, &mut model),
                _ => {
                    let draft = store.draft(&key).unwrap();
                    drafts.push((key, draft));
                }
            }
        }
        conclude(&mut store, &mut drafts, &mut model);
        assert_eq!(store.len(), model.len());
        assert_all_there(&mut store, &model);
    }
}

/// The second and third pass over all drafts, and the lookups.
fn conclude(
    store: &mut TreeStore,
    drafts: &mut Vec<(Vec<u8>, Draft)>,
    model: &mut HashMap<Vec<u8>, StateRef>,
) {
    drafts.iter().for_each(|(_, draft)| store.advance(draft));
    let concluded: Vec<_> = drafts.iter().map(|(_, draft)| store.conclude(draft).unwrap()).collect();
    for ((key, _), prepared) in drafts.drain(..).zip(concluded) {
        assert_eq!(store.prepare(&key), Ok(prepared));
        let known = model.get(&key).copied();
        assert_eq!(store.may_hold(prepared), known.is_some());
        let (state, is_new) = store.insert(prepared, &key).unwrap();
        assert_eq!(is_new, known.is_none());
        assert!(known.is_none_or(|known| known == state));
        model.insert(key, state);
    }
}

/// A store that knows, as a search does after a first look, which values the bytes of some vectors have.
fn packed(base: &[u8], spans: &[u8]) -> TreeStore {
    let mut store = TreeStore::new();
    let varying = Some(Varying { base: base.to_vec(), spans: spans.to_vec() });
    assert!(varying.as_ref().is_some_and(Varying::is_packable));
    store.configure(&StoreSettings { varying, ..StoreSettings::default() });
    store
}

#[test]
fn packed_vectors_are_told_apart_and_come_back() {
    // Bytes of four values, as is known from the start.
    let mut random = Random(1);
    let keys = (0..60_000).map(move |_| (0..20).map(|_| random.below(4) as u8).collect());
    let mut store = packed(&[0; 20], &[3; 20]);
    check(&mut store, keys);
    assert!(store.bytes_per_state() < 11.0, "{} bytes a state", store.bytes_per_state());
}

#[test]
fn vectors_that_do_not_fit_are_kept_beside_the_packed_ones() {
    // Some bytes have more values than was known, and some vectors another length: bits are added until there are too many.
    let mut random = Random(2);
    let keys = (0..60_000).map(move |number: usize| {
        let length = if random.below(5) == 0 { 19 } else { 20 };
        let mut key: Vec<u8> = (0..length).map(|_| random.below(3) as u8).collect();
        if random.below(50) == 0 {
            key[random.below(length)] = (1 << random.below(1 + number / 8_000)) as u8;
        }
        key
    });
    check(&mut packed(&[0; 20], &[3; 20]), keys);
}

#[test]
fn small_packed_vectors_take_little() {
    let keys =
        (0..200_000u32).map(|i| (i * 7919 % (1 << 20)).to_le_bytes().into_iter().chain([5; 6]).collect());
    let mut store = packed(&[0, 0, 0, 0, 5, 5, 5, 5, 5, 5], &[255, 255, 15, 0, 0, 0, 0, 0, 0, 0]);
    check(&mut store, keys);
    assert!(store.bytes_per_state() < 6.0, "{} bytes a state", store.bytes_per_state());
}
