//! Short vectors as numbers: of each vector only the bits that ever vary.
//!
//! Most bytes of a vector have few values: a control state below 20, a flag, a counter that stays below 4. A *packing* knows for each byte
//! the least value, the base, and which bits of the differences to it vary. A vector whose differences have these bits alone is the
//! number that they make, put side by side. If they are few enough, the number stands for the whole vector, and nothing has to be
//! looked up to get from one to the other.
//!
//! A vector may have a bit that none had before. Then bits are added behind those there are. In the numbers given so far
//! they are zero, which is right: those vectors did not have them. When there are too many bits, the packing is *frozen*, and such
//! vectors have no number. So a vector that had no number never gets one later.
//!
//! Differences are taken modulo 256, so a byte that is 255 or below 3 has four values in a row.

use crate::gather::Gather;

/// A number has no more bits than this.
pub(crate) const BITS_MAX: u32 = 60;
/// A packing that begins with more bits than this would soon be frozen.
const BITS_AT_FIRST_MAX: u32 = 54;
/// Longer vectors are hardly ever told apart by so few bits.
const LENGTH_MAX: usize = 128;
/// More would make each number slow to compute.
const SEGMENTS_MAX: usize = 40;

const WORD_BYTES: usize = 8;

/// Which values the bytes of keys have, as far as is known before a search: what a [`crate::StoreSettings`] can tell a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varying {
    /// Of each byte the first of its values, counted modulo 256.
    pub base: Vec<u8>,
    /// How far the last one is from the first.
    pub spans: Vec<u8>,
}

impl Varying {
    /// Of bytes with these values, at least one each.
    pub fn new(values: &[ByteSet]) -> Varying {
        let (base, spans) = values.iter().map(ByteSet::interval).unzip();
        Varying { base, spans }
    }

    /// Can a store take keys for numbers?
    pub fn is_packable(&self) -> bool {
        Packing::new(self).is_some()
    }
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    #[inline]
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }

    /// The shortest interval modulo 256 that has all of them: where it begins, and how far its last byte is from there.
    fn interval(&self) -> (u8, u8) {
        let held: Vec<u8> = (0..=u8::MAX).filter(|byte| self.contains(*byte)).collect();
        // It ends before the longest gap between two that follow each other, and begins behind it.
        let behind = held.iter().cycle().skip(1);
        let ends = held.iter().zip(behind).map(|(last, first)| (*first, last.wrapping_sub(*first)));
        ends.min_by_key(|(_, span)| *span).unwrap_or((0, 0))
    }
}

#[derive(Debug)]
pub(crate) struct Packing {
    length: usize,
    words: Vec<Word>,
    /// The bits that were added later.
    added: Vec<Segment>,
    bits: u32,
    is_frozen: bool,
    gather: Gather,
}

/// Eight bytes of a vector, at a place within it; the last ones overlap those before where the length is no multiple of eight.
#[derive(Clone, Copy, Debug)]
struct Word {
    at: usize,
    base: u64,
    /// The bits that were in numbers from the start, and where they stand there.
    mask: u64,
    shift: u32,
    /// The bits that belong to this word, and not to the one that it overlaps, and are in no numbers.
    foreign: u64,
}

/// Some bits of a word, and where they stand in a number.
#[derive(Clone, Copy, Debug)]
struct Segment {
    word: usize,
    mask: u64,
    shift: u32,
}

/// Why a vector has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// It never will.
    ForEver,
    /// Bits have to be added first.
    ForNow,
}

impl Packing {
    /// None if the vectors are too long or vary in too many bits.
    pub fn new(varying: &Varying) -> Option<Packing> {
        let length = varying.base.len();
        if !(WORD_BYTES..=LENGTH_MAX).contains(&length) || varying.spans.len() != length {
            return None;
        }
        let mut ats: Vec<usize> = (0..=length - WORD_BYTES).step_by(WORD_BYTES).collect();
        if !length.is_multiple_of(WORD_BYTES) {
            ats.push(length - WORD_BYTES);
        }
        let word = |(index, at): (usize, &usize)| {
            let overlap = (index * WORD_BYTES - at) * 8;
            let own = u64::MAX.checked_shl(overlap as u32).unwrap_or(0);
            Word { at: *at, base: word_at(&varying.base, *at), mask: 0, shift: 0, foreign: own }
        };
        let words = ats.iter().enumerate().map(word).collect();
        let mut packing =
            Packing { length, words, added: Vec::new(), bits: 0, is_frozen: false, gather: Gather::new() };
        let masks: Vec<u64> = ats.iter().map(|at| word_at(&varying.spans, *at)).collect();
        let is_packed = packing.add(&masks) && packing.bits <= BITS_AT_FIRST_MAX;
        for Segment { word, mask, shift } in std::mem::take(&mut packing.added) {
            let word = &mut packing.words[word];
            (word.mask, word.shift) = (mask, shift);
        }
        is_packed.then_some(packing)
    }

    /// How many bits numbers have by now.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    pub fn heap_bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>() + self.added.capacity() * size_of::<Segment>()
    }

    /// The number of a vector.
    #[inline(always)]
    pub fn pack(&self, key: &[u8]) -> Result<u64, Misfit> {
        if key.len() != self.length {
            return Err(Misfit::ForEver);
        }
        let (mut number, mut foreign) = (0, 0);
        for word in &self.words {
            let difference = word.difference(key);
            foreign |= difference & word.foreign;
            number |= self.gather.extract(difference, word.mask) << word.shift;
        }
        if foreign != 0 {
            return Err(if self.is_frozen { Misfit::ForEver } else { Misfit::ForNow });
        }
        for segment in &self.added {
            let difference = self.words[segment.word].difference(key);
            number |= self.gather.extract(difference, segment.mask) << segment.shift;
        }
        Ok(number)
    }

    /// After [`Misfit::ForNow`]: adds the bits that the vector has and others had not, or freezes the packing. Who looks up vectors at the same
    /// time must not see it halfway.
    #[cold]
    pub fn extend(&mut self, key: &[u8]) {
        assert_eq!(key.len(), self.length, "another length never fits");
        let masks: Vec<u64> = self.words.iter().map(|word| word.difference(key)).collect();
        if !self.add(&masks) {
            self.is_frozen = true;
        }
    }

    /// Adds bits, and those below them in the same byte: they are likely to vary next. False, and nothing is added, if there is no
    /// room.
    fn add(&mut self, masks: &[u64]) -> bool {
        let new = |(word, mask): (&Word, &u64)| filled(*mask) & word.foreign;
        let new: Vec<u64> = self.words.iter().zip(masks).map(new).collect();
        let bits: u32 = new.iter().map(|mask| mask.count_ones()).sum();
        let segments = new.iter().filter(|mask| **mask != 0).count();
        if self.bits + bits > BITS_MAX || self.added.len() + segments > SEGMENTS_MAX {
            return false;
        }
        for (word, mask) in new.into_iter().enumerate().filter(|(_, mask)| *mask != 0) {
            self.words[word].foreign &= !mask;
            self.added.push(Segment { word, mask, shift: self.bits });
            self.bits += mask.count_ones();
        }
        true
    }

    /// Appends the vector that has this number.
    #[inline]
    pub fn unpack(&self, number: u64, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + self.length, 0);
        let out = &mut out[start..];
        // The last word first: those before it put right what they share with it.
        for (index, word) in self.words.iter().enumerate().rev() {
            let mut difference = self.gather.deposit(number >> word.shift, word.mask);
            for segment in self.added.iter().filter(|segment| segment.word == index) {
                difference |= self.gather.deposit(number >> segment.shift, segment.mask);
            }
            let value = add_bytes(word.base, difference);
            out[word.at..][..WORD_BYTES].copy_from_slice(&value.to_le_bytes());
        }
    }
}

impl Word {
    /// How far each byte of a vector, which has the length of all that are packed, is from its base.
    #[inline(always)]
    fn difference(&self, key: &[u8]) -> u64 {
        debug_assert!(self.at + WORD_BYTES <= key.len());
        // SAFETY: the word lies within vectors of that length, and who asks has compared the length.
        let value = unsafe { key.as_ptr().add(self.at).cast::<[u8; WORD_BYTES]>().read() };
        subtract_bytes(u64::from_le_bytes(value), self.base)
    }
}

/// The highest bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Byte by byte, modulo 256: what one byte borrows does not reach the next.
#[inline(always)]
fn subtract_bytes(from: u64, what: u64) -> u64 {
    ((from | HIGH) - (what & !HIGH)) ^ ((from ^ !what) & HIGH)
}

#[inline(always)]
fn add_bytes(to: u64, what: u64) -> u64 {
    ((to & !HIGH) + (what & !HIGH)) ^ ((to ^ what) & HIGH)
}

/// All bits up to the highest one that is set, byte by byte.
fn filled(mask: u64) -> u64 {
    u64::from_le_bytes(mask.to_le_bytes().map(|byte| match byte {
        0 => 0,
        byte => u8::MAX >> byte.leading_zeros(),
    }))
}

#[inline(always)]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("a word lies within the vector"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packing(base: &[u8], spans: &[u8]) -> Option<Packing> {
        Packing::new(&Varying { base: base.to_vec(), spans: spans.to_vec() })
    }

    /// Packs and unpacks, with the processor's instructions and without.
    fn there_and_back(packing: &mut Packing, key: &[u8]) -> Result<u64, Misfit> {
        let number = packing.pack(key)?;
        let gather = std::mem::replace(&mut packing.gather, Gather::slow());
        assert_eq!(packing.pack(key), Ok(number));
        let mut out = vec![7];
        packing.unpack(number, &mut out);
        packing.gather = gather;
        packing.unpack(number, &mut out);
        assert_eq!(out, [&[7], key, key].concat());
        Ok(number)
    }

    #[test]
    fn vectors_of_every_length_come_back() {
        for length in 8..40 {
            let base: Vec<u8> = (0..length).map(|at| (at as u8).wrapping_mul(37)).collect();
            let mut packing = packing(&base, &vec![1; length]).expect("one bit a byte");
            assert_eq!(packing.bits() as usize, length);
            let mut seen = std::collections::HashSet::new();
            for at in 0..length {
                let mut key = base.clone();
                key[at] = key[at].wrapping_add(1);
                if at != length / 2 {
                    key[length / 2] = key[length / 2].wrapping_add(1);
                }
                let number = there_and_back(&mut packing, &key).expect("it varies there");
                assert!(seen.insert(number));
            }
        }
    }

    #[test]
    fn numbers_stay_when_bits_are_added() {
        let mut packing = packing(&[5; 19], &[3; 19]).expect("38 bits");
        let mut key = [5; 19];
        key[18] = 6;
        let before = there_and_back(&mut packing, &key);
        let mut other = key;
        other[18] = 5 + 8;
        assert_eq!(packing.pack(&other), Err(Misfit::ForNow));
        packing.extend(&other);
        // The bit itself and the one below it that did not vary so far.
        assert_eq!(packing.bits(), 38 + 2);
        assert_eq!(there_and_back(&mut packing, &key), before);
        assert!(there_and_back(&mut packing, &other).is_ok_and(|number| Ok(number) != before));
    }

    #[test]
    fn a_packing_that_is_full_takes_no_more_bits() {
        let mut packing = packing(&[0; 16], &[7; 16]).expect("48 bits");
        let mut misfits = Vec::new();
        for at in 0..16 {
            let mut key = [0; 16];
            key[at] = 128;
            if packing.pack(&key) == Err(Misfit::ForNow) {
                packing.extend(&key);
            }
            misfits.push((key, there_and_back(&mut packing, &key).is_err()));
        }
        assert!(packing.is_frozen && packing.bits() <= BITS_MAX);
        for (key, is_misfit) in misfits {
            assert_eq!(packing.pack(&key).is_err(), is_misfit, "once without a number, always without one");
        }
        assert_eq!(packing.pack(&[0; 17]), Err(Misfit::ForEver));
        assert_eq!(packing.pack(&[0; 16]), Ok(0));
    }

    #[test]
    fn the_interval_of_a_byte_may_go_past_255() {
        let interval = |bytes: &[u8]| {
            let mut set = ByteSet::default();
            bytes.iter().for_each(|byte| set.insert(*byte));
            set.interval()
        };
        assert_eq!(interval(&[7]), (7, 0));
        assert_eq!(interval(&[3, 9, 5]), (3, 6));
        assert_eq!(interval(&[0, 1, 2, 255]), (255, 3));
        assert_eq!(interval(&[255, 0]), (255, 1));
        assert_eq!(interval(&(0..=255).collect::<Vec<u8>>()).1, 255);
        let mut packing = packing(&[255; 9], &[3; 9]).expect("18 bits");
        let keys = [[0; 9], [255; 9], [2; 9], [1, 255, 0, 2, 1, 0, 255, 2, 0]];
        let numbers = keys.map(|key| there_and_back(&mut packing, &key).expect("within"));
        assert!(numbers.iter().all(|number| *number < 1 << 18));
    }

    #[test]
    fn bytes_are_added_and_subtracted_one_by_one() {
        let bytes = [0u8, 1, 127, 128, 129, 254, 255];
        for a in bytes {
            for b in bytes {
                let (left, right) = (
                    u64::from_le_bytes([a, b, 255, 0, a, a, 1, b]),
                    u64::from_le_bytes([b, a, 1, 1, 0, b, 255, b]),
                );
                let by_one = |of: fn(u8, u8) -> u8| {
                    let pairs = left.to_le_bytes().into_iter().zip(right.to_le_bytes());
                    pairs.map(|(left, right)| of(left, right)).collect::<Vec<u8>>()
                };
                assert_eq!(subtract_bytes(left, right).to_le_bytes().to_vec(), by_one(u8::wrapping_sub));
                assert_eq!(add_bytes(left, right).to_le_bytes().to_vec(), by_one(u8::wrapping_add));
            }
        }
    }

    #[test]
    fn long_vectors_and_those_that_vary_much_are_not_packed() {
        assert!(packing(&[0; 7], &[1; 7]).is_none());
        assert!(packing(&[0; 200], &[0; 200]).is_none());
        assert!(packing(&[0; 20], &[255; 20]).is_none());
        assert!(packing(&[0; 20], &[1; 19]).is_none());
    }
}
