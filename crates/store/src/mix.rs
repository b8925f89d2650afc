//! A mixing of pairs of numbers that can be undone: what a compact hash set has instead of a hash.
//!
//! The low bits of both numbers, the *base*, are mixed by multiplications and shifts that are bijections on that many
//! bits. Numbers may later outgrow the base: their high bits, the *extension*, are hashed and xored onto the mixed base,
//! and stand behind it as they are. So the whole is a bijection too, and widening the extension changes only the low
//! end: the order of the keys known before stays the same, which lets a table be rebuilt from front to back.

const MULTIPLIERS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xa076_1d64_78bd_642f];

/// How many bits the two numbers of a pair may have, and how many of these are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mixer {
    base: [u32; 2],
    width: [u32; 2],
}

impl Mixer {
    /// Mixes all of `base` bits. Both have 1 to 32.
    pub fn new(base: [u32; 2]) -> Mixer {
        assert!(base.iter().all(|bits| (1..=32).contains(bits)));
        Mixer { base, width: base }
    }

    /// The same order for pairs that need more bits.
    pub fn widened(self, width: [u32; 2]) -> Mixer {
        Mixer { base: self.base, width: [self.width[0].max(width[0]), self.width[1].max(width[1])] }
    }

    pub fn width(&self) -> [u32; 2] {
        self.width
    }

    pub fn bits(&self) -> u32 {
        self.width[0] + self.width[1]
    }

    pub fn base_bits(&self) -> u32 {
        self.base[0] + self.base[1]
    }

    #[inline]
    pub fn fits(&self, pair: [u32; 2]) -> bool {
        (u64::from(pair[0]) >> self.width[0]) | (u64::from(pair[1]) >> self.width[1]) == 0
    }

    /// A number of [`Self::bits`] bits.
    #[inline]
    pub fn mix(&self, pair: [u32; 2]) -> u64 {
        debug_assert!(self.fits(pair));
        let [left, right] = pair.map(u64::from);
        let [base_left, base_right] = self.base;
        let packed = (left & mask(base_left)) << base_right | (right & mask(base_right));
        let mixed = self.scramble(packed);
        if self.width == self.base {
            return mixed;
        }
        let extension = [left >> base_left, right >> base_right];
        let shift = self.width[1] - base_right;
        let tail = extension[0] << shift | extension[1];
        (mixed ^ self.fold(extension)) << (self.bits() - base_left - base_right) | tail
    }

    #[inline]
    pub fn unmix(&self, mixed: u64) -> [u32; 2] {
        let [base_left, base_right] = self.base;
        let shift = self.width[1] - base_right;
        let tail_bits = self.bits() - base_left - base_right;
        let tail = mixed & mask(tail_bits);
        let extension = [tail >> shift, tail & mask(shift)];
        let packed = self.unscramble((mixed >> tail_bits) ^ self.fold(extension));
        let left = extension[0] << base_left | packed >> base_right;
        let right = extension[1] << base_right | packed & mask(base_right);
        [left as u32, right as u32]
    }

    /// What the mixing of a pair becomes in a mixer that is [`Self::widened`].
    #[inline]
    pub fn remix(&self, mixed: u64, wider: &Mixer) -> u64 {
        debug_assert!(self.base == wider.base);
        if self.width == wider.width {
            return mixed;
        }
        let base_bits = self.base[0] + self.base[1];
        let (old, new) = (self.width[1] - self.base[1], wider.width[1] - wider.base[1]);
        let tail = mixed & mask(self.bits() - base_bits);
        let tail = (tail >> old) << new | tail & mask(old);
        (mixed >> (self.bits() - base_bits)) << (wider.bits() - base_bits) | tail
    }

    /// A bijection on the bits of the base.
    #[inline]
    fn scramble(&self, mut x: u64) -> u64 {
        let bits = self.base[0] + self.base[1];
        let (mask, shift) = (mask(bits), bits.div_ceil(2));
        for multiplier in MULTIPLIERS {
            // A shift by at least half of the bits is its own inverse, an odd factor has one.
            x ^= x >> shift;
            x = x.wrapping_mul(multiplier) & mask;
        }
        x ^ x >> shift
    }

    #[inline]
    fn unscramble(&self, mut x: u64) -> u64 {
        let bits = self.base[0] + self.base[1];
        let (mask, shift) = (mask(bits), bits.div_ceil(2));
        x ^= x >> shift;
        for multiplier in MULTIPLIERS.into_iter().rev() {
            x = x.wrapping_mul(const_inverse(multiplier)) & mask;
            x ^= x >> shift;
        }
        x
    }

    /// A hash of an extension, zero for none.
    #[inline]
    fn fold(&self, extension: [u64; 2]) -> u64 {
        let packed = extension[0] << 32 | extension[1];
        let product = packed.wrapping_mul(MULTIPLIERS[0]);
        (product ^ product >> 32).wrapping_mul(MULTIPLIERS[1]) >> (64 - self.base[0] - self.base[1])
    }
}

#[inline]
fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each round doubles the number of right bits.
const fn const_inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixers() -> Vec<Mixer> {
        let bases = [[1, 1], [3, 9], [16, 16], [12, 20], [32, 32], [7, 32]];
        let plain = bases.map(Mixer::new);
        let wide =
            plain.map(|mixer| mixer.widened([mixer.base[0] + 5, mixer.base[1] + 3].map(|bits| bits.min(32))));
        let one_side = plain.map(|mixer| mixer.widened([1, 32]));
        [plain, wide, one_side].concat()
    }

    /// Small, dense, large and random numbers of a width.
    fn numbers(bits: u32) -> Vec<u32> {
        let random = (1..200u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) & mask(bits));
        let mut numbers: Vec<u32> = (0..50).chain(random).map(|n| (n & mask(bits)) as u32).collect();
        numbers.extend([mask(bits) as u32, mask(bits) as u32 / 2]);
        numbers
    }

    #[test]
    fn mixing_can_be_undone() {
        for mixer in mixers() {
            for left in numbers(mixer.width[0]) {
                for right in numbers(mixer.width[1]) {
                    let mixed = mixer.mix([left, right]);
                    assert_eq!(mixed & !mask(mixer.bits()), 0, "{mixer:?}");
                    assert_eq!(mixer.unmix(mixed), [left, right], "{mixer:?}");
                }
            }
        }
    }

    #[test]
    fn small_widths_are_permuted() {
        for mixer in [Mixer::new([5, 8]), Mixer::new([5, 4]).widened([7, 5]), Mixer::new([1, 1])] {
            let mut seen = vec![false; 1 << mixer.bits()];
            for left in 0..1 << mixer.width[0] {
                for right in 0..1 << mixer.width[1] {
                    let mixed = mixer.mix([left, right]) as usize;
                    assert!(!std::mem::replace(&mut seen[mixed], true));
                }
            }
        }
    }

    #[test]
    fn widening_keeps_the_order() {
        let steps =
            [Mixer::new([4, 6]), Mixer::new([4, 6]).widened([4, 8]), Mixer::new([4, 6]).widened([7, 9])];
        for pair in steps.windows(2) {
            let [old, new] = [pair[0], pair[1]];
            let mut keys: Vec<(u64, u64)> = Vec::new();
            for left in 0..1 << old.width[0] {
                for right in 0..1 << old.width[1] {
                    let mixed = old.mix([left, right]);
                    keys.push((mixed, new.mix([left, right])));
                    assert_eq!(old.remix(mixed, &new), new.mix([left, right]));
                }
            }
            keys.sort_unstable();
            assert!(keys.is_sorted_by_key(|(_, wide)| *wide));
        }
    }

    #[test]
    fn structured_pairs_are_spread_evenly_over_the_high_bits() {
        type Pairs = Box<dyn Iterator<Item = [u32; 2]>>;
        let square: fn() -> Pairs = || Box::new((0..512).flat_map(|l| (0..512).map(move |r| [l, r])));
        let diagonal: fn() -> Pairs =
            || Box::new((0..1 << 16).flat_map(|i| (0..4).map(move |d| [i, (i + d) & 0xffff])));
        let column: fn() -> Pairs = || Box::new((0..1 << 17).flat_map(|r| [[3, r], [4, r]]));
        let outgrown: fn() -> Pairs =
            || Box::new((0..64).flat_map(|l| (0..4096).map(move |r| [l << 10, r << 6 | 5])));
        let cases = [
            ("square", square, Mixer::new([9, 9])),
            ("square", square, Mixer::new([16, 16])),
            ("square", square, Mixer::new([8, 8]).widened([12, 12])),
            ("diagonal", diagonal, Mixer::new([16, 16])),
            ("column", column, Mixer::new([16, 16]).widened([16, 17])),
            ("outgrown", outgrown, Mixer::new([16, 16]).widened([16, 18])),
        ];
        for (name, pairs, mixer) in cases {
            let mut buckets = vec![0u32; 1 << 12];
            let mut count = 0.0;
            for pair in pairs() {
                buckets[(mixer.mix(pair) >> (mixer.bits() - 12)) as usize] += 1;
                count += 1.0;
            }
            let expected = count / buckets.len() as f64;
            let chi: f64 = buckets.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
            // 4095 degrees of freedom: mean 4095, deviation about 90. More even than chance does no harm.
            assert!(chi < 4600.0, "{name} in {mixer:?}: chi squared {chi}");
        }
    }
}
