//! Numbers for values of sixteen bytes: each value has one, and the value can be read back by it.
//!
//! The values stand in the order of their numbers; an open-addressing index of 32-bit entries finds the number of a
//! value. An entry holds the number plus one and, in the bits that numbers do not need, a part of the hash, so that a
//! probe looks at a value only when it is most likely the right one.
//!
//! Threads can add values together ([`crate::claim`]). Growing needs the table alone.

use crate::bump::Bump;
use crate::claim;
use crate::pages::Pages;
use crate::word::Cell;
use crate::{ImageReader, ImageWriter, OutOfMemory, damaged, hash::fold};
use std::io;
use std::sync::atomic::Ordering;

const VALUES_MIN: usize = 256;
/// Numbers are below this, so that no entry looks like [`BUSY`].
const VALUES_MAX: usize = u32::MAX as usize - 2;
/// Claimed by a thread that is about to publish.
const BUSY: u32 = u32::MAX;

/// So many entries are looked at to guess where a value is.
const GLANCE_SLOTS: usize = 8;

/// Sixteen bytes.
pub(crate) type Value = [u64; 2];

#[derive(Debug)]
pub(crate) struct Interner {
    /// Two words each.
    values: Pages<u64>,
    index: Pages<u32>,
    /// The low bits of an entry that hold the number plus one.
    number_bits: u32,
    len: Bump,
    /// Grow when this many values are held.
    grow_at: usize,
}

/// The table has to grow before it can take more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrowthDue;

impl Interner {
    pub fn new() -> Interner {
        Interner {
            values: Pages::EMPTY,
            index: Pages::EMPTY,
            number_bits: 1,
            len: Bump::default(),
            grow_at: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.len.taken()
    }

    pub fn bytes(&self) -> usize {
        self.values.bytes() + self.index.bytes()
    }

    #[inline]
    pub fn value(&self, number: u32) -> Value {
        let words = &self.values.shared()[2 * number as usize..][..2];
        [words[0].load(Ordering::Relaxed), words[1].load(Ordering::Relaxed)]
    }

    /// The values alone: the index is made of them again.
    pub fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        let len = self.len();
        image.usize(len)?;
        image.usize(self.room())?;
        image.usize(self.index.len())?;
        image.usize(self.grow_at)?;
        image.raw(&self.values.as_bytes()[..len * size_of::<Value>()])
    }

    pub fn load(image: &mut ImageReader) -> io::Result<Interner> {
        let (len, room, slots, grow_at) = (image.usize()?, image.usize()?, image.usize()?, image.usize()?);
        if len > room || (slots > 0 && len >= slots) || room > VALUES_MAX || slots > VALUES_MAX {
            return Err(damaged("a table is too small"));
        }
        let mut interner = Interner { values: Pages::zeroed(2 * room)?, grow_at, ..Interner::new() };
        image.raw(&mut interner.values.as_bytes()[..len * size_of::<Value>()])?;
        interner.len.set(len);
        if slots > 0 {
            interner.fill_index(Pages::zeroed(slots)?);
        }
        Ok(interner)
    }

    /// How many values there is room for.
    fn room(&self) -> usize {
        self.values.len() / 2
    }

    /// The number of a value, which is added if it is not there. Any number of threads may do this at once.
    #[inline(always)]
    pub fn intern(&self, value: Value) -> Result<u32, GrowthDue> {
        let index = self.index.shared();
        if index.is_empty() {
            return Err(GrowthDue);
        }
        let (home, tag) = self.place(value);
        let tag_bits = u32::MAX.checked_shl(self.number_bits).unwrap_or(0);
        let is_it =
            |entry: u32| (entry ^ tag) & tag_bits == 0 && self.value((entry & !tag_bits) - 1) == value;
        let (entry, _) = claim::find_or_add(index, home, BUSY, is_it, || self.add(value, tag))?;
        Ok((entry & !tag_bits) - 1)
    }

    /// Asks for the memory where [`Self::intern`] starts.
    #[inline]
    pub fn prefetch(&self, value: Value) {
        if self.index.len() > 0 {
            self.index.prefetch(self.place(value).0);
        }
    }

    /// Some time later: asks for the value that it compares with first.
    #[inline]
    pub fn prefetch_value(&self, value: Value) {
        let index = self.index.shared();
        if index.is_empty() {
            return;
        }
        let (slot, tag) = self.place(value);
        let tag_bits = u32::MAX.checked_shl(self.number_bits).unwrap_or(0);
        for place in &index[slot..index.len().min(slot + GLANCE_SLOTS)] {
            let entry = Cell::load(place);
            if entry == 0 || entry == BUSY {
                return;
            }
            if (entry ^ tag) & tag_bits == 0 {
                return self.values.prefetch(2 * ((entry & !tag_bits) - 1) as usize);
            }
        }
    }

    /// Writes a value that is not there, and makes its entry; none if there is no room.
    #[cold]
    fn add(&self, value: Value, tag: u32) -> Option<u32> {
        let number = self.len.take(1, self.grow_at)?;
        for (place, word) in self.values.shared()[2 * number..].iter().zip(value) {
            place.store(word, Ordering::Relaxed);
        }
        Some(tag | (number as u32 + 1))
    }

    /// The slot where probing starts, and the hash bits that an entry shows, in their place.
    #[inline]
    fn place(&self, value: Value) -> (usize, u32) {
        let hash = fold(value[0] ^ 0x8ebc_6af0_9c88_c6e3, value[1] ^ 0x9e37_79b9_7f4a_7c15);
        #[cfg(test)]
        let hash = crate::weak::weaken(hash);
        let slot = ((hash >> 32) * self.index.len() as u64) >> 32;
        (slot as usize, (hash as u32).checked_shl(self.number_bits).unwrap_or(0))
    }

    /// Makes room for more values within `allowed` more bytes, also while it grows.
    pub fn grow(&mut self, allowed: usize) -> Result<(), OutOfMemory> {
        let len = self.len();
        let limit = self.bytes().saturating_add(allowed);
        if len >= self.room() {
            self.grow_values(allowed)?;
        }
        if len >= self.index.len() / 5 * 4 {
            self.grow_index(limit - self.bytes())?;
        }
        let filled = if self.index.len() / 5 * 4 > len { 80 } else { 95 };
        self.grow_at = (self.index.len() * filled / 100).min(self.room());
        if len < self.grow_at { Ok(()) } else { Err(OutOfMemory) }
    }

    fn grow_values(&mut self, allowed: usize) -> Result<(), OutOfMemory> {
        let old = self.room();
        let wanted = [old + old / 4, old + old / 16].map(|len| len.clamp(VALUES_MIN, VALUES_MAX));
        let peak = |len: usize| self.values.peak_bytes(len * size_of::<Value>()) - self.values.bytes();
        let len = wanted.into_iter().find(|len| *len > old && peak(*len) <= allowed).ok_or(OutOfMemory)?;
        let mut values = Pages::<u64>::zeroed(2 * len)?;
        const STEP: usize = 1 << 16;
        for start in (0..2 * old).step_by(STEP) {
            let range = start..(start + STEP).min(2 * old);
            values.exclusive()[range.clone()].copy_from_slice(&self.values.exclusive()[range.clone()]);
            self.values.release_before(range.end);
        }
        self.values = values;
        Ok(())
    }

    /// A larger index; if there is no memory for one, the old stays.
    fn grow_index(&mut self, allowed: usize) -> Result<(), OutOfMemory> {
        let old = self.index.len();
        let slots = (old + old / 5 * 2).max(VALUES_MIN * 2);
        if slots * size_of::<u32>() > allowed || slots > VALUES_MAX {
            return if old > 0 { Ok(()) } else { Err(OutOfMemory) };
        }
        let Ok(index) = Pages::<u32>::zeroed(slots) else {
            return if old > 0 { Ok(()) } else { Err(OutOfMemory) };
        };
        self.fill_index(index);
        Ok(())
    }

    /// Puts all values into an index that is empty.
    fn fill_index(&mut self, index: Pages<u32>) {
        let slots = index.len();
        self.index = index;
        self.number_bits = usize::BITS - (slots + 2).leading_zeros();
        for number in 0..self.len() {
            let (mut slot, tag) = self.place(self.value(number as u32));
            let index = self.index.exclusive();
            while index[slot] != 0 {
                slot = if slot + 1 == slots { 0 } else { slot + 1 };
            }
            index[slot] = tag | (number as u32 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intern(interner: &mut Interner, value: Value) -> u32 {
        loop {
            match interner.intern(value) {
                Ok(number) => return number,
                Err(GrowthDue) => interner.grow(usize::MAX).unwrap(),
            }
        }
    }

    #[test]
    fn numbers_are_dense_and_stay() {
        let mut interner = Interner::new();
        let value = |i: u64| if i.is_multiple_of(2) { [i, 0] } else { [i << 32, i / 4] };
        for i in 0..200_000 {
            assert_eq!(intern(&mut interner, value(i)), i as u32);
        }
        for i in 0..200_000 {
            assert_eq!(intern(&mut interner, value(i)), i as u32);
            assert_eq!(interner.value(i as u32), value(i));
        }
        assert_eq!(interner.len(), 200_000);
    }

    #[test]
    fn growth_stays_within_what_is_allowed() {
        for budget in [0, 10_000, 100_000, 20_000_000] {
            let mut interner = Interner::new();
            let mut held = 0;
            loop {
                match interner.intern([held, 7]) {
                    Ok(number) => assert_eq!(u64::from(number), held),
                    Err(GrowthDue) if interner.grow(budget - interner.bytes()).is_ok() => continue,
                    Err(GrowthDue) => break,
                }
                held += 1;
                assert!(interner.bytes() <= budget);
            }
            assert!(budget == 0 || held as usize * 50 > budget, "{held} in {budget}");
            assert!((0..held).all(|value| interner.intern([value, 7]) == Ok(value as u32)));
            interner.grow(usize::MAX).unwrap();
            assert_eq!(interner.intern([held, 7]), Ok(held as u32));
        }
    }

    #[test]
    fn threads_agree_on_numbers() {
        let mut interner = Interner::new();
        (0..48_000).for_each(|i| assert_eq!(intern(&mut interner, [i, 1]), i as u32));
        interner.len.set(0);
        interner.index.exclusive().fill(0);
        let numbers: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4u64)
                .map(|thread| {
                    let interner = &interner;
                    scope.spawn(move || {
                        (0..20_000).map(|i| interner.intern([i * (1 + thread % 2), 0]).unwrap()).collect()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(numbers[0], numbers[2]);
        assert_eq!(numbers[1], numbers[3]);
        assert!((0..10_000).all(|i| numbers[0][2 * i] == numbers[1][i]));
        assert_eq!(interner.len(), 30_000);
    }
}
