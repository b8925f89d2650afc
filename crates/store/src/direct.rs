//! A bit of its own for each state that there could be.
//!
//! Where every byte of a key has few values, their combinations can be numbered: the bytes are the digits of a number, each in
//! its own base. If an array has a bit for every number, a state is known by the bit at its number, and nothing is ever
//! taken for something else (Holzmann, *On Limits and Possibilities of Automated Protocol Analysis*, 1987, section 3). It
//! takes one bit for each *possible* state, reached or not.
//!
//! Keys of different lengths get different numbers if some byte tells the length; a byte that is not there counts as its
//! lowest value.

use crate::account::DirectAccount;
use crate::pages::Pages;
use crate::{
    Drafting, Flags, GrowthDue, ImageReader, ImageWriter, OutOfMemory, PathHooks, Prepared, ReadBack,
    SharedVisited, StateRef, StateStore, StoreAccount, StoreSettings, Visited, damaged, hash,
};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const WORD_BITS: u64 = 64;
/// One of several workers tells that it has stored so many.
const COUNT_AFTER: u64 = 64;

/// A byte of a key that has `count` values, from `low` on. Bytes that have one value only need not be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// Its place in the key.
    pub at: u32,
    pub low: u8,
    /// From 1 to 256.
    pub count: u16,
}

/// The digits of keys, and how many numbers they make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    list: Arc<[Digit]>,
    numbers: u64,
}

impl Digits {
    /// None if there are more numbers than 64 bits can tell.
    pub fn new(list: Vec<Digit>) -> Option<Digits> {
        assert!(list.iter().all(|digit| (1..=256).contains(&digit.count)), "a digit has values of one byte");
        let numbers = list.iter().try_fold(1u64, |product, digit| product.checked_mul(digit.count.into()))?;
        Some(Digits { list: list.into(), numbers })
    }

    /// How many different keys there could be.
    pub fn numbers(&self) -> u64 {
        self.numbers
    }

    /// The number of a key; none if it has a value that no digit was to have.
    #[inline]
    fn number(&self, key: &[u8]) -> Option<u64> {
        let mut number = 0;
        let mut fits = true;
        for digit in &*self.list {
            let value = key.get(digit.at as usize).map_or(0, |byte| byte.wrapping_sub(digit.low));
            fits &= u16::from(value) < digit.count;
            number = number * u64::from(digit.count) + u64::from(value);
        }
        fits.then_some(number)
    }
}

#[derive(Debug)]
pub struct DirectStore {
    digits: Option<Digits>,
    budget_bytes: Option<usize>,
    /// Empty until the first state comes.
    words: Pages<u64>,
    stored: AtomicU64,
    /// Keys without a number of their own. There should be none; if there are, states may be taken for others.
    misfits: AtomicU64,
}

impl Default for DirectStore {
    fn default() -> DirectStore {
        let (stored, misfits) = (AtomicU64::new(0), AtomicU64::new(0));
        DirectStore { digits: None, budget_bytes: None, words: Pages::EMPTY, stored, misfits }
    }
}

impl DirectStore {
    #[cold]
    fn allocate(&mut self) -> Result<(), OutOfMemory> {
        let words = self.numbers().div_ceil(WORD_BITS);
        let words = usize::try_from(words).map_err(|_| OutOfMemory)?;
        if self.budget_bytes.is_some_and(|budget| words.saturating_mul(8) > budget) {
            return Err(OutOfMemory);
        }
        self.words = Pages::zeroed(words)?;
        Ok(())
    }

    fn numbers(&self) -> u64 {
        self.digits.as_ref().expect("the settings of this store have digits").numbers
    }

    /// The number of a key, or for one that has none, one that it shares with others.
    #[inline]
    fn number(&self, key: &[u8]) -> Prepared {
        let digits = self.digits.as_ref().expect("the settings of this store have digits");
        Prepared(digits.number(key).unwrap_or_else(|| {
            self.misfits.fetch_add(1, Relaxed);
            hash(key) % digits.numbers
        }))
    }

    #[inline]
    fn place(number: u64) -> (usize, u64) {
        ((number / WORD_BITS) as usize, 1 << (number % WORD_BITS))
    }

    #[inline]
    fn is_known(&self, number: u64) -> bool {
        let (word, mask) = DirectStore::place(number);
        self.words.shared()[word].load(Relaxed) & mask != 0
    }
}

impl Visited for DirectStore {
    #[inline]
    fn prepare(&mut self, key: &[u8]) -> Result<Prepared, OutOfMemory> {
        if self.words.len() == 0 {
            self.allocate()?;
        }
        Ok(self.number(key))
    }

    #[inline]
    fn prefetch(&self, Prepared(number): Prepared) {
        self.words.prefetch(DirectStore::place(number).0);
    }

    #[inline]
    fn may_hold(&self, Prepared(number): Prepared) -> bool {
        self.is_known(number)
    }

    #[inline]
    fn insert(&mut self, Prepared(number): Prepared, _: &[u8]) -> Result<(StateRef, bool), OutOfMemory> {
        let (word, mask) = DirectStore::place(number);
        let word = &self.words.shared()[word];
        let before = word.load(Relaxed);
        let is_new = before & mask == 0;
        if is_new {
            word.store(before | mask, Relaxed);
            *self.stored.get_mut() += 1;
        }
        Ok((StateRef(number), is_new))
    }

    #[inline]
    fn find(&self, Prepared(number): Prepared, _: &[u8]) -> Option<StateRef> {
        self.is_known(number).then_some(StateRef(number))
    }
}

impl Drafting for DirectStore {}

impl ReadBack for DirectStore {
    const KEEPS_VECTORS: bool = false;

    fn read(&self, _: StateRef, _: &mut Vec<u8>) {
        unreachable!("a bit array has no vectors");
    }
}

impl PathHooks for DirectStore {
    const HEARS_MET: bool = false;
}

impl StateStore for DirectStore {
    const IS_FRUGAL: bool = true;

    fn configure(&mut self, settings: &StoreSettings) {
        assert_eq!(self.len(), 0, "a store is set up before it is used");
        self.digits = settings.digits.clone();
    }

    fn len(&self) -> usize {
        self.stored.load(Relaxed) as usize
    }

    fn bytes_in_use(&self) -> usize {
        self.words.bytes()
    }

    fn set_budget(&mut self, budget_bytes: usize) {
        self.budget_bytes = Some(budget_bytes);
    }

    const HAS_IMAGE: bool = true;

    fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        image.u64(self.numbers())?;
        image.u64(*self.stored.get_mut())?;
        image.u64(*self.misfits.get_mut())?;
        self.words.save(image)
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        if image.u64()? != self.numbers() {
            return Err(damaged("the bits stand for other states"));
        }
        *self.stored.get_mut() = image.u64()?;
        *self.misfits.get_mut() = image.u64()?;
        self.words = Pages::load(image)?;
        Ok(())
    }

    fn account(&self) -> StoreAccount {
        StoreAccount::Direct(DirectAccount {
            bits: self.numbers(),
            stored: self.stored.load(Relaxed),
            misfits: self.misfits.load(Relaxed),
        })
    }
}

impl SharedVisited for DirectStore {
    /// How many numbers the worker has stored that are not counted yet.
    type Scratch = u64;

    #[inline]
    fn prepare_shared(&self, _: &mut u64, key: &[u8]) -> Result<Prepared, GrowthDue> {
        if self.words.len() == 0 { Err(GrowthDue) } else { Ok(self.number(key)) }
    }

    #[inline]
    fn insert_shared(
        &self,
        stored: &mut u64,
        Prepared(number): Prepared,
        _: &[u8],
    ) -> Result<(StateRef, bool), GrowthDue> {
        let (word, mask) = DirectStore::place(number);
        let word = &self.words.shared()[word];
        let is_new = word.load(Relaxed) & mask == 0 && word.fetch_or(mask, Relaxed) & mask == 0;
        if is_new {
            *stored += 1;
            if *stored == COUNT_AFTER {
                self.retire(stored);
            }
        }
        Ok((StateRef(number), is_new))
    }

    fn retire(&self, stored: &mut u64) {
        self.stored.fetch_add(std::mem::take(stored), Relaxed);
    }

    fn make_room(&mut self, _: &[u8]) -> Result<(), OutOfMemory> {
        if self.words.len() == 0 { self.allocate() } else { Ok(()) }
    }
}

impl Flags for DirectStore {}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits() -> Digits {
        let digit = |at, low, count| Digit { at, low, count };
        Digits::new(vec![digit(0, 0, 3), digit(1, 5, 2), digit(3, 0, 256)]).unwrap()
    }

    fn store() -> DirectStore {
        let mut store = DirectStore::default();
        store.configure(&StoreSettings { digits: Some(digits()), ..StoreSettings::default() });
        store
    }

    fn insert(store: &mut DirectStore, key: &[u8]) -> bool {
        let prepared = store.prepare(key).unwrap();
        store.prefetch(prepared);
        let was_held = store.may_hold(prepared);
        assert_eq!(store.find(prepared, key).is_some(), was_held);
        let is_new = store.insert(prepared, key).unwrap().1;
        assert_eq!(is_new, !was_held);
        is_new
    }

    #[test]
    fn every_combination_has_a_number_of_its_own() {
        let digits = digits();
        assert_eq!(digits.numbers(), 3 * 2 * 256);
        let mut seen = vec![false; digits.numbers() as usize];
        for a in 0..3 {
            for b in 5..7 {
                for d in 0..=255 {
                    let number = digits.number(&[a, b, 99, d]).unwrap();
                    assert!(!std::mem::replace(&mut seen[number as usize], true));
                }
            }
        }
        assert_eq!(digits.number(&[1]), digits.number(&[1, 5, 0, 0]), "what is not there is lowest");
        assert_eq!(digits.number(&[3, 5, 0, 0]), None);
        assert_eq!(digits.number(&[0, 4, 0, 0]), None);
    }

    #[test]
    fn a_state_is_new_once() {
        let mut store = store();
        for round in 0..2 {
            for a in 0..3 {
                for d in 0..=255 {
                    assert_eq!(insert(&mut store, &[a, 6, 0, d]), round == 0);
                }
            }
        }
        assert_eq!(store.len(), 3 * 256);
        assert_eq!(store.bytes_in_use(), 3 * 2 * 256 / 8);
        assert!(store.account().is_exact());
    }

    #[test]
    fn a_key_without_a_number_is_owned_up_to() {
        let mut store = store();
        insert(&mut store, &[9, 6, 0, 0]);
        assert!(!store.account().is_exact());
    }

    #[test]
    fn the_array_keeps_to_the_budget() {
        let mut store = store();
        store.set_budget(100);
        assert_eq!(store.prepare(&[0, 5, 0, 0]), Err(OutOfMemory));
    }

    #[test]
    fn too_many_numbers_are_refused() {
        let digit = |at| Digit { at, low: 0, count: 256 };
        assert!(Digits::new((0..7).map(digit).collect()).is_some());
        assert!(Digits::new((0..9).map(digit).collect()).is_none());
    }
}
