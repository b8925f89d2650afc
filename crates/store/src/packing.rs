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

/// A number has no more bits than this.
pub(crate) const BITS_MAX: u32 = 60;
/// A packing that begins with more bits than this would soon be frozen.
const BITS_AT_FIRST_MAX: u32 = 54;
/// Longer vectors are hardly ever told apart by so few bits.
const LENGTH_MAX: usize = 128;
/// More would make each number slow to compute.
const SEGMENTS_MAX: usize = 40;

const WORD_BYTES: usize = 8;
const WORDS_MAX: usize = LENGTH_MAX / WORD_BYTES;

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
    segments: Vec<Segment>,
    bits: u32,
    is_frozen: bool,
    has_bmi2: bool,
}

/// Eight bytes of a vector; the last ones overlap those before where the length is no multiple of eight.
#[derive(Clone, Copy, Debug)]
struct Word {
    at: usize,
    base: u64,
    /// The bits that are in numbers.
    mask: u64,
    /// The bits that belong to this word, and not to the one that it overlaps.
    own: u64,
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
            Word { at: *at, base: word_at(&varying.base, *at), mask: 0, own }
        };
        let words = ats.iter().enumerate().map(word).collect();
        let mut packing = Packing {
            length,
            words,
            segments: Vec::new(),
            bits: 0,
            is_frozen: false,
            has_bmi2: bits::has_fast_instructions(),
        };
        let masks: Vec<u64> = ats.iter().map(|at| word_at(&varying.spans, *at)).collect();
        (packing.add(&masks) && packing.bits <= BITS_AT_FIRST_MAX).then_some(packing)
    }

    /// How many bits numbers have by now.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    pub fn heap_bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>() + self.segments.capacity() * size_of::<Segment>()
    }

    /// The number of a vector.
    #[inline]
    pub fn pack(&self, key: &[u8]) -> Result<u64, Misfit> {
        if key.len() != self.length {
            return Err(Misfit::ForEver);
        }
        #[cfg(target_arch = "x86_64")]
        if self.has_bmi2 {
            // SAFETY: the processor has these instructions.
            return unsafe { self.pack_fast(key) };
        }
        self.pack_by(key, bits::extract)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2")]
    fn pack_fast(&self, key: &[u8]) -> Result<u64, Misfit> {
        self.pack_by(key, |value, mask| std::arch::x86_64::_pext_u64(value, mask))
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2")]
    fn unpack_fast(&self, number: u64, out: &mut Vec<u8>) {
        self.unpack_by(number, out, |value, mask| std::arch::x86_64::_pdep_u64(value, mask));
    }

    #[inline(always)]
    fn pack_by(&self, key: &[u8], extract: impl Fn(u64, u64) -> u64) -> Result<u64, Misfit> {
        let (mut differences, mut foreign) = ([0; WORDS_MAX], 0);
        for (difference, word) in differences.iter_mut().zip(&self.words) {
            *difference = word.difference(key);
            foreign |= *difference & word.own & !word.mask;
        }
        if foreign != 0 {
            return Err(if self.is_frozen { Misfit::ForEver } else { Misfit::ForNow });
        }
        let mut number = 0;
        for segment in &self.segments {
            number |= extract(differences[segment.word], segment.mask) << segment.shift;
        }
        Ok(number)
    }

    /// After [`Misfit::ForNow`]: adds the bits that the vector has and others had not, or freezes the packing. Who looks up vectors at the same
    /// time must not see it halfway.
    #[cold]
    pub fn extend(&mut self, key: &[u8]) {
        let masks: Vec<u64> = self.words.iter().map(|word| word.difference(key)).collect();
        if !self.add(&masks) {
            self.is_frozen = true;
        }
    }

    /// Adds bits, and those below them in the same byte: they are likely to vary next. False, and nothing is added, if there is no
    /// room.
    fn add(&mut self, masks: &[u64]) -> bool {
        let new = |(word, mask): (&Word, &u64)| filled(*mask) & word.own & !word.mask;
        let new: Vec<u64> = self.words.iter().zip(masks).map(new).collect();
        let bits: u32 = new.iter().map(|mask| mask.count_ones()).sum();
        let segments = new.iter().filter(|mask| **mask != 0).count();
        if self.bits + bits > BITS_MAX || self.segments.len() + segments > SEGMENTS_MAX {
            return false;
        }
        for (word, mask) in new.into_iter().enumerate().filter(|(_, mask)| *mask != 0) {
            self.words[word].mask |= mask;
            self.segments.push(Segment { word, mask, shift: self.bits });
            self.bits += mask.count_ones();
        }
        true
    }

    /// Appends the vector that has this number.
    #[inline]
    pub fn unpack(&self, number: u64, out: &mut Vec<u8>) {
        #[cfg(target_arch = "x86_64")]
        if self.has_bmi2 {
            // SAFETY: the processor has these instructions.
            return unsafe { self.unpack_fast(number, out) };
        }
        self.unpack_by(number, out, bits::deposit);
    }

    #[inline(always)]
    fn unpack_by(&self, number: u64, out: &mut Vec<u8>, deposit: impl Fn(u64, u64) -> u64) {
        let mut differences = [0; WORDS_MAX];
        for segment in &self.segments {
            differences[segment.word] |= deposit(number >> segment.shift, segment.mask);
        }
        let start = out.len();
        out.resize(start + self.length, 0);
        // The last word first: those before it put right what they share with it.
        for (word, difference) in self.words.iter().zip(differences).rev() {
            let value = add_bytes(word.base, difference);
            out[start + word.at..][..WORD_BYTES].copy_from_slice(&value.to_le_bytes());
        }
    }
}

impl Word {
    /// How far each byte of the vector is from its base.
    #[inline(always)]
    fn difference(&self, key: &[u8]) -> u64 {
        subtract_bytes(word_at(key, self.at), self.base)
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

/// Bits of a word that are put side by side, and back.
mod bits {
    /// The bits of a mask, side by side.
    pub fn extract(value: u64, mut mask: u64) -> u64 {
        let (mut out, mut at) = (0, 0);
        while mask != 0 {
            out |= (value >> mask.trailing_zeros() & 1) << at;
            mask &= mask - 1;
            at += 1;
        }
        out
    }

    /// The other way round.
    pub fn deposit(mut value: u64, mut mask: u64) -> u64 {
        let mut out = 0;
        while mask != 0 {
            out |= (value & 1) << mask.trailing_zeros();
            value >>= 1;
            mask &= mask - 1;
        }
        out
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub fn has_fast_instructions() -> bool {
        false
    }

    #[cfg(target_arch = "x86_64")]
    pub fn has_fast_instructions() -> bool {
        std::arch::is_x86_feature_detected!("bmi2")
    }
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
        let has_bmi2 = std::mem::replace(&mut packing.has_bmi2, false);
        assert_eq!(packing.pack(key), Ok(number));
        let mut out = vec![7];
        packing.unpack(number, &mut out);
        packing.has_bmi2 = has_bmi2;
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
