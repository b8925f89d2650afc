//! A store that was written and read again is the same store: what it holds, its references, and what it does next.

use panoptes_store::{
    BitStore, ExactStore, FingerprintStore, ImageReader, ImageWriter, StateRef, StateStore, StoreSettings,
    TreeStore,
};
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn key(number: u32) -> Vec<u8> {
    let mut key = number.wrapping_mul(0x9e37_79b9).to_le_bytes().to_vec();
    key.resize(4 + number as usize % 70, number as u8);
    if number.is_multiple_of(1000) {
        key.resize(5000, 1);
    }
    key
}

fn insert<S: StateStore>(store: &mut S, number: u32) -> (StateRef, bool) {
    let key = key(number);
    let prepared = store.prepare(&key).unwrap();
    store.insert(prepared, &key).unwrap()
}

fn new<S: StateStore + Default>() -> S {
    let mut store = S::default();
    store.configure(&StoreSettings { bits: Some(1 << 18), ..StoreSettings::default() });
    store
}

fn goes_on<S: StateStore + Default>(has_flags: bool) {
    for count in [0, 1, 3000, 40_000] {
        let mut store: S = new();
        if has_flags {
            store.keep_flags();
        }
        let states: Vec<(StateRef, bool)> = (0..count).map(|number| insert(&mut store, number)).collect();
        if has_flags {
            states.iter().step_by(3).for_each(|(state, _)| _ = store.set_flags(*state, 5));
        }
        let file = Memory::default();
        let mut image = ImageWriter::new(Box::new(file.clone())).unwrap();
        store.save(&mut image).unwrap();
        image.finish().unwrap();
        let bytes = std::mem::take(&mut *file.0.lock().unwrap());
        let mut image = ImageReader::new(Box::new(Cursor::new(bytes))).unwrap();
        let mut read: S = new();
        read.load(&mut image).unwrap();
        image.finish().unwrap();
        assert_eq!(read.len(), store.len());
        for (number, (state, _)) in (0..count).zip(&states) {
            assert_eq!(insert(&mut read, number), (*state, false));
            if S::KEEPS_VECTORS {
                let mut vector = Vec::new();
                read.read(*state, &mut vector);
                assert_eq!(vector, key(number));
            }
            if has_flags {
                assert_eq!(read.flags(*state), store.flags(*state));
            }
        }
        for number in count..count + 20_000 {
            let (there, here) = (insert(&mut store, number), insert(&mut read, number));
            assert_eq!(here.1, there.1, "{number} after {count}");
        }
        assert_eq!(read.account(), store.account());
    }
}

#[test]
fn vectors() {
    goes_on::<ExactStore>(true);
}

#[test]
fn compressed_vectors() {
    goes_on::<TreeStore>(true);
    goes_on::<TreeStore>(false);
}

#[test]
fn fingerprints() {
    goes_on::<FingerprintStore>(true);
    goes_on::<FingerprintStore>(false);
}

#[test]
fn bits() {
    goes_on::<BitStore>(false);
}
