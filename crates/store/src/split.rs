//! A table like [`crate::lines::Lines`] whose entries have 40 or 48 bits.
//!
//! There are no machine words of that width, so an entry is in two places of its line: 32 bits in front, and eight or sixteen more behind those
//! of all entries. Twelve or ten entries fill 60 bytes of a line. Neither half of an entry is ever zero: who shares the
//! table claims the first half of an empty entry and then writes the second, and who finds a first half waits for the second.

use crate::lines::{LINE_BYTES, Plan, Spot};
use crate::pages::Pages;
use crate::snapshot::{self, Look};
use crate::spread::{Settle, Spread, cut};
use crate::word::{Cell, Word};
use crate::{ImageReader, ImageWriter, OutOfMemory, damaged};
use std::io;
use std::marker::PhantomData;
use std::ops::Range;

/// The first half has so many bits of the entry, and one that is always set.
const FIRST_BITS: u32 = 31;
const WORDS: usize = LINE_BYTES / size_of::<u64>();

#[derive(Debug)]
pub(crate) struct SplitLines<H: Word> {
    words: Pages<u64>,
    plan: Plan,
    half: PhantomData<H>,
}

/// A line: its words, of which nobody makes use but as a whole, and the halves of its entries.
type Line<'a, H> = (&'a [<u64 as Word>::Atomic], &'a [<u32 as Word>::Atomic], &'a [<H as Word>::Atomic]);

/// The two halves of an entry, neither of which is zero.
#[inline(always)]
fn halves<H: Word>(code: u64) -> (u32, H) {
    (code as u32 | 1 << FIRST_BITS, H::from_u64((code >> FIRST_BITS) + 1))
}

#[inline(always)]
fn code<H: Word>(first: u32, second: H) -> u64 {
    (second.to_u64() - 1) << FIRST_BITS | u64::from(first & !(1 << FIRST_BITS))
}

/// The halves of the entries of one line.
#[inline(always)]
fn entries<H: Word>(words: &mut [u64]) -> (&mut [u32], &mut [H]) {
    assert!(words.len() == WORDS, "a line, and nothing else");
    let (start, count) = (words.as_mut_ptr().cast::<u32>(), SplitLines::<H>::PER_LINE);
    // SAFETY: a line has 64 bytes, aligned to eight; the first halves are in front, the second behind them, and both end before the
    // line does. All are numbers, and the borrow is exclusive.
    unsafe {
        let second = start.add(count).cast::<H>();
        (std::slice::from_raw_parts_mut(start, count), std::slice::from_raw_parts_mut(second, count))
    }
}

impl<H: Word> SplitLines<H> {
    pub const PER_LINE: usize = (LINE_BYTES - 4) / (size_of::<u32>() + size_of::<H>());
    pub const ENTRY_BITS: u32 = u32::BITS + H::BITS;
    /// Entries are numbers below this.
    pub const CODES: u64 = ((1 << H::BITS) - 1) << FIRST_BITS;

    pub fn new(plan: Plan) -> Result<SplitLines<H>, OutOfMemory> {
        Ok(SplitLines { words: Pages::zeroed(plan.lines * WORDS)?, plan, half: PhantomData })
    }

    pub fn bytes(&self) -> usize {
        self.words.bytes()
    }

    pub fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        self.words.save(image)
    }

    /// For keys of so many bits.
    pub fn load(key_bits: u32, image: &mut ImageReader) -> io::Result<SplitLines<H>> {
        let words = Pages::<u64>::load(image)?;
        let plan = Plan::new(words.len() / WORDS, key_bits, Self::CODES);
        if !words.len().is_multiple_of(WORDS) || (words.len() > 0 && plan.reach == 0) {
            return Err(damaged("a table is too small"));
        }
        Ok(SplitLines { words, plan, half: PhantomData })
    }

    pub fn peak_bytes(&self, next_bytes: usize) -> usize {
        self.words.peak_bytes(next_bytes)
    }

    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The address of the first line.
    pub fn start(&self) -> usize {
        self.words.base().addr().get()
    }

    /// The halves of a line's entries.
    #[inline(always)]
    fn line(&mut self, line: usize) -> (&mut [u32], &mut [H]) {
        entries(&mut self.words.exclusive()[line * WORDS..][..WORDS])
    }

    /// The same for access from many threads, and the whole line.
    #[inline(always)]
    fn line_shared(&self, line: usize) -> Line<'_, H> {
        let words = &self.words.shared()[line * WORDS..][..WORDS];
        let start = words.as_ptr().cast::<<u32 as Word>::Atomic>();
        // SAFETY: as above. Shared access is only by atomics of these widths, never by whole words.
        unsafe {
            let second = start.add(Self::PER_LINE).cast::<H::Atomic>();
            let first = std::slice::from_raw_parts(start, Self::PER_LINE);
            (words, first, std::slice::from_raw_parts(second, Self::PER_LINE))
        }
    }

    #[inline(always)]
    fn next(&self, line: usize) -> usize {
        if line + 1 == self.plan.lines { 0 } else { line + 1 }
    }

    /// Looks for an entry in a line.
    #[inline(always)]
    fn look(&self, line: usize, entry: u64) -> Look {
        let (first, second) = halves::<H>(entry);
        let (words, firsts, seconds) = self.line_shared(line);
        let (equal, empty) = snapshot::masks_in_front(words, firsts, first);
        match find_second(equal, seconds, second) {
            Some(at) => Look::Found(at),
            None => Look::Filled((empty.trailing_zeros() as usize).min(Self::PER_LINE)),
        }
    }

    /// Where a key is.
    #[inline]
    pub fn index_of(&self, key: u64) -> Option<usize> {
        let (mut line, mut entry) = self.plan.divide(key);
        for _ in 0..self.plan.reach {
            if let Look::Found(at) = self.look(line, entry) {
                return Some(line * Self::PER_LINE + at);
            }
            entry += self.plan.range;
            line = self.next(line);
        }
        None
    }

    /// Where a key is or belongs. What this calls vacant may be taken at once, while other threads are adding.
    #[inline(always)]
    pub fn locate(&self, key: u64) -> Spot<u64> {
        self.locate_from(self.plan.divide(key))
    }

    /// The same for a key that was divided before: its home line and its remainder.
    #[inline(always)]
    pub fn locate_from(&self, (mut line, mut entry): (usize, u64)) -> Spot<u64> {
        for _ in 0..self.plan.reach {
            match self.look(line, entry) {
                Look::Found(_) => return Spot::Found,
                Look::Filled(count) if count < Self::PER_LINE => {
                    return Spot::Vacant(line * Self::PER_LINE + count, entry);
                }
                Look::Filled(_) => {}
            }
            entry += self.plan.range;
            line = self.next(line);
        }
        Spot::Crowded
    }

    /// See [`crate::lines::Lines::settle`].
    #[inline(always)]
    pub fn settle(&mut self, key: u64, filled: &mut [u8]) -> Option<usize> {
        let (mut line, mut entry) = self.plan.divide(key);
        for _ in 0..self.plan.reach {
            let count = usize::from(filled[line]);
            if count < Self::PER_LINE {
                let index = line * Self::PER_LINE + count;
                self.put(index, entry);
                filled[line] += 1;
                return Some(index);
            }
            entry += self.plan.range;
            line = self.next(line);
        }
        None
    }

    #[inline]
    pub fn put(&mut self, index: usize, entry: u64) {
        let (first, second) = halves::<H>(entry);
        let (firsts, seconds) = self.line(index / Self::PER_LINE);
        (firsts[index % Self::PER_LINE], seconds[index % Self::PER_LINE]) = (first, second);
    }

    /// Writes into what was vacant; false if another thread did so first.
    #[inline]
    pub fn claim(&self, index: usize, entry: u64) -> bool {
        let (_, firsts, seconds) = self.line_shared(index / Self::PER_LINE);
        let at = index % Self::PER_LINE;
        claim_both(&firsts[at], &seconds[at], halves::<H>(entry))
    }

    /// Takes all keys out, each with its index, in the order of their lines, and gives the memory back on the way.
    pub fn drain(mut self, mut each: impl FnMut(u64, usize)) {
        let plan = self.plan;
        for line in 0..plan.lines {
            let (firsts, seconds) = self.line(line);
            let first_key = line as u64 * plan.range;
            for (at, (first, second)) in
                firsts.iter().zip(&*seconds).enumerate().take_while(|(_, (first, _))| **first != 0)
            {
                let code = code(*first, *second);
                // Most keys are at home.
                let key = if code < plan.range { first_key + code } else { plan.key(line, code) };
                each(key, line * Self::PER_LINE + at);
            }
            self.words.release_before(line * WORDS);
        }
    }
}

/// Some lines of a table, for one of several threads that fill it.
pub(crate) struct Part<'a, H> {
    plan: Plan,
    /// The first of its lines.
    start: usize,
    words: &'a mut [u64],
    /// How many entries each line has.
    filled: &'a mut [u8],
    half: PhantomData<H>,
}

impl<H: Word> Settle for Part<'_, H> {
    #[inline(always)]
    fn settle(&mut self, key: u64) -> bool {
        let (home, mut entry) = self.plan.divide(key);
        let Some(mut line) = home.checked_sub(self.start) else { return false };
        for _ in 0..self.plan.reach {
            let Some(filled) = self.filled.get_mut(line) else { return false };
            let count = usize::from(*filled);
            if count < SplitLines::<H>::PER_LINE {
                let (firsts, seconds) = entries::<H>(&mut self.words[line * WORDS..][..WORDS]);
                (firsts[count], seconds[count]) = halves(entry);
                *filled += 1;
                return true;
            }
            entry += self.plan.range;
            line += 1;
        }
        false
    }
}

impl<H: Word> Spread for SplitLines<H> {
    type Part<'a> = Part<'a, H>;

    fn line_count(&self) -> usize {
        self.plan.lines
    }

    fn home(&self, key: u64) -> usize {
        self.plan.divide(key).0
    }

    fn first_key(&self, line: usize) -> u64 {
        line as u64 * self.plan.range
    }

    fn for_each_key(&self, lines: Range<usize>, mut each: impl FnMut(u64)) {
        for line in lines {
            let (_, firsts, seconds) = self.line_shared(line);
            for (first, second) in firsts.iter().map(Cell::load).zip(seconds).take_while(|pair| pair.0 != 0) {
                each(self.plan.key(line, code(first, second.load())));
            }
        }
    }

    fn parts<'a>(&'a mut self, starts: &[usize], filled: &'a mut [u8]) -> Vec<Part<'a, H>> {
        let plan = self.plan;
        let parts = cut(self.words.exclusive(), filled, WORDS, starts);
        let of = |((words, filled), start): (_, &usize)| Part {
            plan,
            start: *start,
            words,
            filled,
            half: PhantomData,
        };
        parts.into_iter().zip(starts).map(of).collect()
    }
}

/// Writes both halves of an entry where it is empty; false if another thread was there first.
#[inline]
pub(crate) fn claim_both<A, B>(first: &impl Cell<A>, second: &impl Cell<B>, halves: (A, B)) -> bool {
    let is_claimed = first.claim(halves.0).is_ok();
    if is_claimed {
        second.store(halves.1);
    }
    is_claimed
}

/// Which of the entries that have the first half has the second one, too. (Hardly ever another entry has the same first half.)
#[inline(always)]
pub(crate) fn find_second<W: Word, C: Cell<W>>(mut equal: u32, seconds: &[C], second: W) -> Option<usize> {
    while equal != 0 {
        let at = equal.trailing_zeros() as usize;
        if settled(&seconds[at]) == second {
            return Some(at);
        }
        equal &= equal - 1;
    }
    None
}

/// The second half of an entry whose first half is there.
#[inline]
fn settled<W: Word, C: Cell<W>>(second: &C) -> W {
    let mut round = 0;
    loop {
        let value = second.load();
        if value != W::ZERO {
            return value;
        }
        C::wait(round);
        round += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn keys(key_bits: u32, count: usize) -> HashSet<u64> {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random ^ random >> 32) & (u64::MAX >> (64 - key_bits))
        };
        let mut keys = HashSet::new();
        while keys.len() < count {
            keys.insert(next());
        }
        keys
    }

    fn table<H: Word>(lines: usize, key_bits: u32) -> SplitLines<H> {
        let plan = Plan::new(lines, key_bits, SplitLines::<H>::CODES);
        assert!(plan.reach > 20, "{}", plan.reach);
        SplitLines::new(plan).unwrap()
    }

    fn fill<H: Word>(lines: usize, key_bits: u32) {
        let mut table = table::<H>(lines, key_bits);
        let keys = keys(key_bits, lines * SplitLines::<H>::PER_LINE / 10 * 9);
        for key in &keys {
            match table.locate(*key) {
                Spot::Vacant(index, entry) => table.put(index, entry),
                other => panic!("{key} is not there yet, and there is room: {other:?}"),
            }
            assert!(matches!(table.locate(*key), Spot::Found));
        }
        assert!(keys.iter().all(|key| matches!(table.locate(*key), Spot::Found)));
        let places: HashMap<u64, usize> =
            keys.iter().map(|key| (*key, table.index_of(*key).unwrap())).collect();
        assert_eq!(places.values().collect::<HashSet<_>>().len(), keys.len());
        let (mut drained, mut again) = (HashSet::new(), self::table::<H>(lines, key_bits));
        let mut filled = vec![0; lines];
        table.drain(|key, index| {
            assert!(drained.insert(key) && places[&key] == index);
            again.settle(key, &mut filled).unwrap();
        });
        assert_eq!(drained, keys);
        assert!(keys.iter().all(|key| matches!(again.locate(*key), Spot::Found)));
    }

    #[test]
    fn what_is_put_in_comes_out_again() {
        fill::<u8>(5000, 43);
        fill::<u8>(37, 36);
        fill::<u16>(5000, 51);
        fill::<u16>(37, 44);
    }

    #[test]
    fn entries_of_any_value_are_told_apart_from_empty_ones() {
        for entry in [0, 1, (1 << 31) - 1, 1 << 31, 254 << 31, SplitLines::<u8>::CODES - 1] {
            let (first, second) = halves::<u8>(entry);
            assert!(first != 0 && second != 0);
            assert_eq!(code(first, second), entry);
        }
        let (first, second) = halves::<u16>(SplitLines::<u16>::CODES - 1);
        assert_eq!((first, second), (u32::MAX, u16::MAX));
        assert_eq!(code(first, second), SplitLines::<u16>::CODES - 1);
    }

    /// Several threads add the same keys: each is added once.
    fn share<H: Word>(key_bits: u32) {
        let lines = 200;
        let table = table::<H>(lines, key_bits);
        let keys: Vec<u64> = keys(key_bits, lines * SplitLines::<H>::PER_LINE / 10 * 8).into_iter().collect();
        let added = AtomicUsize::new(0);
        let add = |key: u64| loop {
            match table.locate(key) {
                Spot::Found => return,
                Spot::Vacant(index, entry) if table.claim(index, entry) => {
                    added.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                Spot::Vacant(..) => {}
                Spot::Crowded => panic!("there is room"),
            }
        };
        std::thread::scope(|scope| {
            for turn in 0..4 {
                let (keys, add) = (&keys, &add);
                scope.spawn(move || (0..keys.len()).for_each(|at| add(keys[(at + turn * 7) % keys.len()])));
            }
        });
        assert_eq!(added.into_inner(), keys.len());
        assert!(keys.iter().all(|key| table.index_of(*key).is_some()));
    }

    #[test]
    fn threads_add_each_key_once() {
        for _ in 0..20 {
            share::<u8>(40);
            share::<u16>(48);
        }
    }
}
