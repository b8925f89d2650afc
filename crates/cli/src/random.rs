//! Random choices that a seed repeats: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).

use std::hash::{BuildHasher, RandomState};

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A seed that nobody chose, short enough to be typed.
    pub fn fresh_seed() -> u64 {
        RandomState::new().hash_one(std::process::id()) % 1_000_000_000
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_choices() {
        let run = |seed| (0..20).map(|_| Random::new(seed).below(6)).collect::<Vec<_>>();
        assert_eq!(run(7), run(7));
        let mut random = Random::new(1);
        let mut seen = [false; 6];
        (0..200).for_each(|_| seen[random.below(6)] = true);
        assert_eq!(seen, [true; 6]);
    }
}
