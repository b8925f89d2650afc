//! A set of hashes in a bounded number of bits, which may take a hash for one of its own but never overlooks one.
//!
//! All bits of a hash stand in one cache line (a blocked Bloom filter).

const LINE_WORDS: usize = 8;
/// Bits for each hash.
const HASHES: u32 = 4;

pub(super) struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// Takes about so many bytes; the system gives them when they are touched.
    pub fn new(bytes: usize) -> Filter {
        let lines = (bytes / (LINE_WORDS * 8)).max(1);
        Filter { words: vec![0; lines * LINE_WORDS] }
    }

    pub fn insert(&mut self, hash: u64) {
        let line = self.line(hash);
        for (word, bit) in places(hash) {
            self.words[line + word] |= bit;
        }
    }

    /// False only if the hash was never inserted.
    #[inline]
    pub fn may_hold(&self, hash: u64) -> bool {
        let line = self.line(hash);
        places(hash).all(|(word, bit)| self.words[line + word] & bit != 0)
    }

    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    #[inline]
    fn line(&self, hash: u64) -> usize {
        let lines = (self.words.len() / LINE_WORDS) as u64;
        ((u128::from(hash) * u128::from(lines)) >> 64) as usize * LINE_WORDS
    }
}

/// The words of the line, and a bit in each.
#[inline]
fn places(hash: u64) -> impl Iterator<Item = (usize, u64)> {
    // The line is chosen by the upper bits.
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..HASHES).map(move |number| {
        let nine = mixed >> (64 - 9 * (number + 1)) & 0x1ff;
        ((nine >> 6) as usize, 1 << (nine & 63))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash_seeded;

    #[test]
    fn nothing_is_overlooked_and_little_confused() {
        let hash = |number: u64| hash_seeded(&number.to_le_bytes(), 0);
        let mut filter = Filter::new(12_500);
        (0..10_000).for_each(|number| filter.insert(hash(number)));
        assert!((0..10_000).all(|number| filter.may_hold(hash(number))));
        let confused = (10_000..110_000).filter(|number| filter.may_hold(hash(*number))).count();
        assert!(confused < 3000, "{confused} of 100,000 at ten bits each");
        assert!(!Filter::new(0).may_hold(7));
    }
}
