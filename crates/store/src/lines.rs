//! A table of cache lines that keeps of each key only what its place does not tell.
//!
//! After Cleary (1984): a key is divided by a constant; the quotient is the *home* line, and only the remainder has to
//! be stored. A key that finds its home full goes to one of the next lines; how far it went is stored with the
//! remainder, so that from an entry and its place the key can be computed again. Entries are never taken out, and a line
//! is filled from its first entry to its last: a line whose last entry is empty ends a probe.

use crate::pages::Pages;
use crate::snapshot::{self, Look};
use crate::spread::{Settle, Spread, cut};
use crate::word::{Cell, Word};
use crate::{ImageReader, ImageWriter, OutOfMemory, damaged};
use std::io;
use std::ops::Range;

pub(crate) const LINE_BYTES: usize = 64;
/// How far from home a key can go at most, in lines, if its entry has bits enough to tell.
const REACH_MAX: u64 = 256;

#[derive(Debug)]
pub(crate) struct Lines<W: Word> {
    words: Pages<W>,
    plan: Plan,
}

/// How keys are laid over lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub lines: usize,
    /// How many keys share a home: the divisor.
    pub range: u64,
    /// 2^64 / range, rounded down.
    reciprocal: u64,
    /// How many lines a key may be put into, its home included.
    pub reach: u64,
}

/// Where a key is or belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot<W> {
    Found,
    /// The index of the first empty entry, and what to write there.
    Vacant(usize, W),
    /// All lines within reach are full.
    Crowded,
}

impl Plan {
    /// Lines for all keys of that many bits, in entries that have so many values.
    pub fn new(lines: usize, key_bits: u32, codes: u64) -> Plan {
        let range = (1u128 << key_bits).div_ceil(lines.max(2) as u128) as u64;
        Plan { lines, range, reciprocal: u64::MAX / range, reach: (codes / range).min(REACH_MAX) }
    }

    /// The key of what an entry says, which stands in a line.
    #[inline]
    pub fn key(&self, line: usize, code: u64) -> u64 {
        let (distance, remainder) = self.divide(code);
        let home = if distance > line { line + self.lines - distance } else { line - distance };
        home as u64 * self.range + remainder
    }

    /// The home line of a key and its remainder.
    #[inline]
    pub fn divide(&self, key: u64) -> (usize, u64) {
        let quotient = ((u128::from(key) * u128::from(self.reciprocal)) >> 64) as u64;
        let remainder = key - quotient * self.range;
        // The reciprocal is rounded down, so the quotient may be too small by one.
        let short = u64::from(remainder >= self.range);
        ((quotient + short) as usize, remainder - short * self.range)
    }
}

/// Some lines of a table, for one of several threads that fill it.
pub(crate) struct Part<'a, W> {
    plan: Plan,
    /// The first of its lines.
    start: usize,
    words: &'a mut [W],
    /// How many entries each line has.
    filled: &'a mut [u8],
}

impl<W: Word> Settle for Part<'_, W> {
    #[inline(always)]
    fn settle(&mut self, key: u64) -> bool {
        let (home, remainder) = self.plan.divide(key);
        let Some(mut line) = home.checked_sub(self.start) else { return false };
        let mut code = remainder + 1;
        for _ in 0..self.plan.reach {
            let Some(filled) = self.filled.get_mut(line) else { return false };
            let count = usize::from(*filled);
            if count < Lines::<W>::PER_LINE {
                self.words[line * Lines::<W>::PER_LINE + count] = W::from_u64(code);
                *filled += 1;
                return true;
            }
            code += self.plan.range;
            line += 1;
        }
        false
    }
}

impl<W: Word> Lines<W> {
    pub const PER_LINE: usize = LINE_BYTES / size_of::<W>();
    pub const ENTRY_BITS: u32 = W::BITS;
    /// Entries have so many values beside zero, which is an empty one.
    pub const CODES: u64 = u64::MAX >> (64 - W::BITS);

    /// No lines: nothing may be looked for.
    pub fn empty(key_bits: u32) -> Lines<W> {
        Lines { words: Pages::EMPTY, plan: Plan::new(0, key_bits, Self::CODES) }
    }

    pub fn new(plan: Plan) -> Result<Lines<W>, OutOfMemory> {
        Ok(Lines { words: Pages::zeroed(plan.lines * Self::PER_LINE)?, plan })
    }

    pub fn bytes(&self) -> usize {
        self.words.bytes()
    }

    pub fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        self.words.save(image)
    }

    /// For keys of so many bits.
    pub fn load(key_bits: u32, image: &mut ImageReader) -> io::Result<Lines<W>> {
        let words = Pages::<W>::load(image)?;
        let plan = Plan::new(words.len() / Self::PER_LINE, key_bits, Self::CODES);
        if !words.len().is_multiple_of(Self::PER_LINE) || (words.len() > 0 && plan.reach == 0) {
            return Err(damaged("a table is too small"));
        }
        Ok(Lines { words, plan })
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

    /// Where a key is.
    #[inline]
    pub fn index_of(&self, key: u64) -> Option<usize> {
        let (mut line, remainder) = self.plan.divide(key);
        let mut code = remainder + 1;
        for _ in 0..self.plan.reach {
            if let Look::Found(at) = snapshot::look(self.line(line), W::from_u64(code)) {
                return Some(line * Self::PER_LINE + at);
            }
            code += self.plan.range;
            line = if line + 1 == self.plan.lines { 0 } else { line + 1 };
        }
        None
    }

    /// Where a key is or belongs. What this calls vacant may be taken at once, while other threads are adding.
    #[inline(always)]
    pub fn locate(&self, key: u64) -> Spot<W> {
        self.locate_from(self.plan.divide(key))
    }

    /// The same for a key that was divided before: its home line and its remainder.
    #[inline(always)]
    pub fn locate_from(&self, (mut line, remainder): (usize, u64)) -> Spot<W> {
        let mut code = remainder + 1;
        for _ in 0..self.plan.reach {
            let entry = W::from_u64(code);
            match snapshot::look(self.line(line), entry) {
                Look::Found(_) => return Spot::Found,
                Look::Filled(count) if count < Self::PER_LINE => {
                    return Spot::Vacant(line * Self::PER_LINE + count, entry);
                }
                Look::Filled(_) => {}
            }
            code += self.plan.range;
            line = if line + 1 == self.plan.lines { 0 } else { line + 1 };
        }
        Spot::Crowded
    }

    /// Puts a key in that is known not to be there, given how full each line is, and says where; none if all lines within
    /// reach are full.
    ///
    /// The lines could be asked themselves, as [`Self::locate`] does. But keys come nearly in order when a table is
    /// rebuilt, and a line that was written to a moment ago is slow to read as a whole.
    #[inline(always)]
    pub fn settle(&mut self, key: u64, filled: &mut [u8]) -> Option<usize> {
        let (mut line, remainder) = self.plan.divide(key);
        let mut code = remainder + 1;
        for _ in 0..self.plan.reach {
            let count = usize::from(filled[line]);
            if count < Self::PER_LINE {
                let index = line * Self::PER_LINE + count;
                self.words.exclusive()[index] = W::from_u64(code);
                filled[line] += 1;
                return Some(index);
            }
            code += self.plan.range;
            line = if line + 1 == self.plan.lines { 0 } else { line + 1 };
        }
        None
    }

    #[inline]
    pub fn put(&mut self, index: usize, entry: W) {
        self.words.exclusive()[index] = entry;
    }

    #[inline]
    fn line(&self, line: usize) -> &[W::Atomic] {
        &self.words.shared()[line * Self::PER_LINE..][..Self::PER_LINE]
    }

    /// Writes into what was vacant; false if another thread did so first.
    #[inline]
    pub fn claim(&self, index: usize, entry: W) -> bool {
        self.words.shared()[index].claim(entry).is_ok()
    }

    /// Takes all keys out, each with its index, in the order of their lines, and gives the memory back on the way.
    pub fn drain(mut self, mut each: impl FnMut(u64, usize)) {
        let plan = self.plan;
        for line in 0..plan.lines {
            let (start, first_key) = (line * Self::PER_LINE, line as u64 * plan.range);
            for (at, entry) in self.words.exclusive()[start..][..Self::PER_LINE].iter().enumerate() {
                if *entry == W::ZERO {
                    break;
                }
                let code = entry.to_u64() - 1;
                // Most keys are at home.
                each(if code < plan.range { first_key + code } else { plan.key(line, code) }, start + at);
            }
            self.words.release_before(start);
        }
    }
}

impl<W: Word> Spread for Lines<W> {
    type Part<'a> = Part<'a, W>;

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
            for entry in self.line(line).iter().map(Cell::load).take_while(|entry| *entry != W::ZERO) {
                each(self.plan.key(line, entry.to_u64() - 1));
            }
        }
    }

    fn parts<'a>(&'a mut self, starts: &[usize], filled: &'a mut [u8]) -> Vec<Part<'a, W>> {
        let plan = self.plan;
        let parts = cut(self.words.exclusive(), filled, Self::PER_LINE, starts);
        let of = |((words, filled), start): (_, &usize)| Part { plan, start: *start, words, filled };
        parts.into_iter().zip(starts).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn fill<W: Word>(lines: usize, key_bits: u32, load: f64) {
        let mut table = Lines::<W>::new(Plan::new(lines, key_bits, Lines::<W>::CODES)).unwrap();
        let mut model = HashSet::new();
        let mut random = 1u64;
        while (model.len() as f64) < load * (lines * Lines::<W>::PER_LINE) as f64 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let key = (random ^ random >> 32) & (u64::MAX >> (64 - key_bits));
            match table.locate(key) {
                Spot::Found => assert!(model.contains(&key)),
                Spot::Vacant(index, entry) => {
                    assert!(model.insert(key), "{key}");
                    table.put(index, entry);
                }
                Spot::Crowded => panic!("crowded at {} of {lines} lines", model.len()),
            }
        }
        assert!(model.iter().all(|key| matches!(table.locate(*key), Spot::Found)));
        let mut larger = Lines::<u64>::new(Plan::new(lines, key_bits.max(8), u64::MAX)).unwrap();
        let mut filled = vec![0; lines];
        let mut drained = HashSet::new();
        let is_enough = Lines::<W>::PER_LINE == Lines::<u64>::PER_LINE;
        let places: std::collections::HashMap<u64, usize> =
            model.iter().map(|key| (*key, table.index_of(*key).unwrap())).collect();
        table.drain(|key, index| {
            assert!(drained.insert(key));
            assert_eq!(places[&key], index);
            assert!(!is_enough || larger.settle(key, &mut filled).is_some());
        });
        assert_eq!(drained, model);
        assert!(!is_enough || model.iter().all(|key| matches!(larger.locate(*key), Spot::Found)));
    }

    #[test]
    fn what_is_put_in_comes_out_again() {
        fill::<u16>(5000, 22, 0.9);
        fill::<u32>(5000, 36, 0.94);
        fill::<u32>(37, 20, 0.9);
        fill::<u64>(5000, 64, 0.9);
        fill::<u64>(3, 58, 0.9);
    }

    #[test]
    fn division_is_exact() {
        for (lines, bits) in [(2, 64), (3, 64), (1000, 64), (7, 33), (12_345, 40), (64, 6), (100, 5)] {
            let plan = Plan::new(lines, bits, u64::MAX);
            let last = u64::MAX >> (64 - bits);
            for key in [0, 1, last / 2, last / 3, last - 1, last] {
                for key in
                    [key, (key / plan.range * plan.range).saturating_sub(1), key / plan.range * plan.range]
                {
                    assert_eq!(plan.divide(key), ((key / plan.range) as usize, key % plan.range));
                    assert!(plan.divide(key).0 < lines);
                }
            }
        }
    }
}
