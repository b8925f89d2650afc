//! The flags of states are those that were set, whatever else happens in the store.

use panoptes_store::{
    ExactStore, FLAG_BITS, FingerprintStore, Flags, OutOfMemory, StateRef, StateStore, TreeStore,
};
use std::collections::HashMap;

fn insert<S: StateStore>(store: &mut S, key: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
    let prepared = store.prepare(key)?;
    store.prefetch(prepared);
    store.insert(prepared, key)
}

/// Vectors of different lengths, some of them longer than two bytes with flags can tell.
fn key(number: u32) -> Vec<u8> {
    let mut key = number.to_le_bytes().to_vec();
    key.resize(4 + number as usize % 50, number as u8);
    if number.is_multiple_of(500) {
        key.resize(4090 + number as usize / 500 % 10, 1);
    }
    key
}

/// Answers as a map of flags does, while the store grows from nothing.
fn answers_as_a_map<S: StateStore + Flags + Default>() {
    let mut store = S::default();
    store.keep_flags();
    let mut map: HashMap<StateRef, u8> = HashMap::new();
    let mut states = Vec::new();
    let mut random = 1u64;
    let mut next = |bound: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % bound
    };
    for number in 0..60_000 {
        let (state, is_new) = insert(&mut store, &key(number)).unwrap();
        assert!(is_new);
        assert_eq!(store.flags(state), 0);
        map.insert(state, 0);
        states.push(state);
        for _ in 0..2 {
            let (state, mask) = (states[next(states.len())], next(1 << FLAG_BITS) as u8);
            let flags = map.get_mut(&state).unwrap();
            let before = *flags;
            let was = if next(3) > 0 {
                *flags |= mask;
                store.set_flags(state, mask)
            } else {
                *flags &= !mask;
                store.clear_flags(state, mask)
            };
            assert_eq!((was, store.flags(state)), (before, *flags));
        }
    }
    assert!(map.iter().all(|(state, flags)| store.flags(*state) == *flags));
    for (number, state) in (0..).zip(&states) {
        assert_eq!(insert(&mut store, &key(number)), Ok((*state, false)));
        if S::KEEPS_VECTORS {
            let mut read = Vec::new();
            store.read(*state, &mut read);
            assert_eq!(read, key(number));
        }
    }
}

#[test]
fn flags_are_as_in_a_map() {
    answers_as_a_map::<ExactStore>();
    answers_as_a_map::<TreeStore>();
    answers_as_a_map::<FingerprintStore>();
}

/// Every thread has a flag of its own: none is lost when all set theirs.
fn threads_set_their_own<S: StateStore + Flags + Default + Sync>() {
    let mut store = S::default();
    store.keep_flags();
    let states: Vec<StateRef> =
        (0..20_000).map(|number| insert(&mut store, &key(number)).unwrap().0).collect();
    let firsts: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..FLAG_BITS)
            .map(|bit| {
                let (store, states) = (&store, &states);
                scope.spawn(move || {
                    states.iter().filter(|state| store.set_flags(**state, 1 << bit) == 0).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(firsts, states.len(), "one thread was the first at each state");
    assert!(states.iter().all(|state| store.flags(*state) == (1 << FLAG_BITS) - 1));
}

#[test]
fn threads_set_flags_together() {
    threads_set_their_own::<ExactStore>();
    threads_set_their_own::<TreeStore>();
    threads_set_their_own::<FingerprintStore>();
}

/// Flags count against the budget.
fn the_budget_is_kept<S: StateStore + Flags + Default>() {
    for budget in [400_000, 3_000_000, 20_000_000] {
        let mut store = S::default();
        store.keep_flags();
        store.set_budget(budget);
        let mut states = Vec::new();
        while let Ok((state, _)) = insert(&mut store, &(states.len() as u32).to_le_bytes()) {
            assert!(store.bytes_in_use() <= budget, "{} of {budget}", store.bytes_in_use());
            store.set_flags(state, states.len() as u8);
            states.push(state);
        }
        let mut flags = states.iter().zip(0..);
        assert!(flags.all(|(state, number)| store.flags(*state) == number as u8 % (1 << FLAG_BITS)));
        assert!(states.len() * 100 > budget, "{} in {budget}", states.len());
    }
}

#[test]
fn a_store_with_flags_keeps_to_its_budget() {
    the_budget_is_kept::<ExactStore>();
    the_budget_is_kept::<FingerprintStore>();
    the_budget_is_kept::<TreeStore>();
}

/// The most bytes a state that flags add while a store grows.
fn bytes_for_flags<S: StateStore + Flags + Default>() -> f64 {
    let (mut with, mut without) = (S::default(), S::default());
    with.keep_flags();
    let mut most = 0.0f64;
    for number in 0..200_000u32 {
        insert(&mut with, &number.to_le_bytes()).unwrap();
        insert(&mut without, &number.to_le_bytes()).unwrap();
        if number >= 10_000 {
            most = most.max((with.bytes_in_use() - without.bytes_in_use()) as f64 / f64::from(number));
        }
    }
    most
}

#[test]
fn flags_take_little_room() {
    assert_eq!(bytes_for_flags::<ExactStore>(), 0.0);
    // Half a byte a slot.
    assert!(bytes_for_flags::<FingerprintStore>() < 1.4);
    assert!(bytes_for_flags::<TreeStore>() < 1.2);
}
