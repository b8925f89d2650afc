//! Threads that insert together, vectors of very different lengths: every vector is new once and stays what it is.

use panoptes_store::{
    ExactStore, GrowthDue, OutOfMemory, Prepared, Scratch, StateRef, StateStore, TreeStore, hash,
};
use std::collections::HashSet;
use std::sync::RwLock;

const THREADS: u64 = 8;
const KEYS: u64 = 12_000;

/// What a thread asks of a store that it shares.
trait Shared: StateStore + Default + Send + Sync {
    fn insert(&self, scratch: &mut Scratch, key: &[u8]) -> Result<(StateRef, bool), GrowthDue>;
    fn make_room(&mut self, key: &[u8]) -> Result<(), OutOfMemory>;
}

impl Shared for ExactStore {
    fn insert(&self, _: &mut Scratch, key: &[u8]) -> Result<(StateRef, bool), GrowthDue> {
        self.insert_shared(Prepared(hash(key)), key)
    }

    fn make_room(&mut self, key: &[u8]) -> Result<(), OutOfMemory> {
        self.make_room(key)
    }
}

impl Shared for TreeStore {
    fn insert(&self, scratch: &mut Scratch, key: &[u8]) -> Result<(StateRef, bool), GrowthDue> {
        self.insert_shared(self.prepare_shared(scratch, key)?)
    }

    fn make_room(&mut self, key: &[u8]) -> Result<(), OutOfMemory> {
        self.make_room(key)
    }
}

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

fn stress<S: Shared>() {
    let store = RwLock::new(S::default());
    let work = |thread: u64| {
        let (mut scratch, mut news, mut read) = (Scratch::default(), Vec::new(), Vec::new());
        // All threads get all keys, each in another order.
        for step in 0..KEYS {
            let number = (step * 7 + thread * 1501) % KEYS;
            let key = key(number);
            let (state, is_new) = loop {
                let shared = store.read().unwrap();
                match shared.insert(&mut scratch, &key) {
                    Ok(answer) => {
                        read.clear();
                        shared.read(answer.0, &mut read);
                        assert_eq!(read, key);
                        break answer;
                    }
                    Err(GrowthDue) => {
                        drop(shared);
                        store.write().unwrap().make_room(&key).unwrap();
                    }
                }
            };
            if is_new {
                news.push((number, state));
            }
        }
        news
    };
    let news: Vec<(u64, StateRef)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn({
                    let work = &work;
                    move || work(thread)
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut store = store.into_inner().unwrap();
    assert_eq!((news.len(), store.len()), (KEYS as usize, KEYS as usize));
    assert_eq!(news.iter().map(|(_, state)| *state).collect::<HashSet<_>>().len(), KEYS as usize);
    for (number, state) in news {
        let key = key(number);
        let prepared = store.prepare(&key).unwrap();
        assert_eq!(StateStore::insert(&mut store, prepared, &key), Ok((state, false)));
    }
}

#[test]
fn the_exact_store_under_stress() {
    (0..4).for_each(|_| stress::<ExactStore>());
}

#[test]
fn the_compressed_store_under_stress() {
    stress::<TreeStore>();
}
