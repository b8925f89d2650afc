//! Novelty: states come first that show something no state with the same estimate has shown before (Lipovetzky and Geffner, *Best-First
//! Width Search*, 2017).
//!
//! A fact is a byte of the vector and its value. A state with a fact that is new among the states of its estimate has rank 0, one with a
//! new pair of facts rank 1, all others rank 2. What was seen is kept in a table of bits by hash: a collision makes a state seem less new.

use super::Heuristic;

pub(crate) struct Novelty<'m> {
    /// What tells how far states are.
    base: Box<dyn Heuristic + 'm>,
    base_name: &'static str,
    seen: Vec<u64>,
    hidden_bytes: usize,
}

/// Bits of the table.
const BITS: u32 = 22;
/// Of a longer vector only single facts are looked at: its pairs are too many.
const PAIRED_MAX: usize = 40;

impl<'m> Novelty<'m> {
    pub fn new(base: Box<dyn Heuristic + 'm>, base_name: &'static str, hidden_bytes: usize) -> Novelty<'m> {
        Novelty { base, base_name, seen: vec![0; 1 << (BITS - 6)], hidden_bytes }
    }

    /// Notes what a hash stands for; was it new?
    fn is_new(&mut self, hash: u64) -> bool {
        let bit = hash >> (64 - BITS);
        let (word, mask) = ((bit >> 6) as usize, 1 << (bit & 63));
        let is_new = self.seen[word] & mask == 0;
        self.seen[word] |= mask;
        is_new
    }
}

/// A fact, among the states of an estimate.
fn fact(estimate: u32, at: usize, value: u8) -> u64 {
    let number = u64::from(estimate) << 32 | (at as u64) << 8 | u64::from(value);
    (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Heuristic for Novelty<'_> {
    fn estimate(&mut self, vector: &[u8]) -> u32 {
        self.base.estimate(vector)
    }

    fn rank(&mut self, vector: &[u8], estimate: u32) -> u32 {
        let vector = &vector[self.hidden_bytes..];
        let mut is_new = false;
        for (at, value) in vector.iter().enumerate() {
            is_new |= self.is_new(fact(estimate, at, *value));
        }
        let mut is_new_pair = false;
        if vector.len() <= PAIRED_MAX {
            for (at, value) in vector.iter().enumerate() {
                let first = fact(estimate, at, *value).rotate_left(17);
                for (later, other) in vector.iter().enumerate().skip(at + 1) {
                    let pair = (first ^ fact(0, later, *other)).wrapping_mul(0xd6e8_feb8_6659_fd93);
                    is_new_pair |= self.is_new(pair);
                }
            }
        }
        match (is_new, is_new_pair) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        }
    }

    fn explain(&self) -> Vec<String> {
        let mut lines = vec![
            "states come first that show a value, or a pair of values, that no state of the same estimate has shown".to_string(),
            format!("the estimate is that of `{}`:", self.base_name),
        ];
        lines.extend(self.base.explain());
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Zero;

    impl Heuristic for Zero {
        fn estimate(&mut self, _: &[u8]) -> u32 {
            0
        }

        fn explain(&self) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn values_and_pairs_are_new_once() {
        let mut novelty = Novelty::new(Box::new(Zero), "zero", 1);
        assert_eq!(novelty.rank(&[9, 1, 1], 4), 0);
        assert_eq!(novelty.rank(&[8, 1, 1], 4), 2, "what is hidden does not count");
        assert_eq!(novelty.rank(&[9, 2, 2], 4), 0);
        assert_eq!(novelty.rank(&[9, 1, 2], 4), 1, "both values are known, but not together");
        assert_eq!(novelty.rank(&[9, 1, 2], 4), 2);
        assert_eq!(novelty.rank(&[9, 1, 2], 5), 0, "with another estimate it is new");
    }
}
