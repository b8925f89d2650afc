//! A mixing of tuples of numbers that can be undone: what a compact hash set has instead of a hash.
//!
//! The low bits of the numbers, the *base*, are mixed by multiplications and shifts that are bijections on that many
//! bits. Numbers may later outgrow the base: their high bits, the *extension*, are hashed and xored onto the mixed base,
//! and stand behind it as they are. So the whole is a bijection too, and widening the extension changes only the low
//! end: the order of the keys known before stays the same, which lets a table be rebuilt from front to back.

const MULTIPLIERS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// The numbers that are mixed into one.
pub(crate) type Tuple = [u32; 3];

/// How many bits the numbers of a tuple may have, and how many of these are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mixer {
    base: [u32; 3],
    width: [u32; 3],
    /// The widths of the extension.
    tail: [u32; 3],
    base_bits: u32,
    tail_bits: u32,
    /// What the base keeps of each number.
    masks: [u64; 3],
    /// The bits of the whole base.
    mask: u64,
    /// Half of them.
    half: u32,
}

impl Mixer {
    /// Mixes all of `base` bits: at least one in all, at most 64.
    pub fn new(base: [u32; 3]) -> Mixer {
        assert!(base.iter().all(|bits| *bits <= 32) && (1..=64).contains(&base.iter().sum::<u32>()));
        Mixer::of(base, base)
    }

    /// The same order for tuples that need more bits.
    pub fn widened(self, width: [u32; 3]) -> Mixer {
        Mixer::of(self.base, [0, 1, 2].map(|at| self.width[at].max(width[at])))
    }

    fn of(base: [u32; 3], width: [u32; 3]) -> Mixer {
        let tail = [0, 1, 2].map(|at| width[at] - base[at]);
        let base_bits: u32 = base.iter().sum();
        Mixer {
            base,
            width,
            tail,
            base_bits,
            tail_bits: tail.iter().sum(),
            masks: base.map(mask),
            mask: mask(base_bits),
            half: base_bits.div_ceil(2),
        }
    }

    /// What makes it: the bits of the base, and all.
    pub fn parts(&self) -> [[u32; 3]; 2] {
        [self.base, self.width]
    }

    /// None if these are no parts.
    pub fn of_parts([base, width]: [[u32; 3]; 2]) -> Option<Mixer> {
        let are_wide = (0..3).all(|at| base[at] <= width[at] && width[at] <= 32);
        let sum = |bits: [u32; 3]| bits.iter().sum::<u32>();
        (are_wide && sum(base) >= 1 && sum(width) <= 64).then(|| Mixer::of(base, width))
    }

    pub fn width(&self) -> [u32; 3] {
        self.width
    }

    pub fn bits(&self) -> u32 {
        self.base_bits + self.tail_bits
    }

    pub fn base_bits(&self) -> u32 {
        self.base_bits
    }

    #[inline(always)]
    pub fn fits(&self, tuple: Tuple) -> bool {
        let [a, b, c] = tuple.map(u64::from);
        (a >> self.width[0]) | (b >> self.width[1]) | (c >> self.width[2]) == 0
    }

    /// A number of [`Self::bits`] bits.
    #[inline(always)]
    pub fn mix(&self, tuple: Tuple) -> u64 {
        debug_assert!(self.fits(tuple));
        let [a, b, c] = tuple.map(u64::from);
        let base = [a & self.masks[0], b & self.masks[1], c & self.masks[2]];
        let mixed = self.scramble(pack(base, self.base));
        if self.tail_bits == 0 {
            return mixed;
        }
        let extension = [a >> self.base[0], b >> self.base[1], c >> self.base[2]];
        // A shift by all 64 bits cannot be: the base has one at least.
        (mixed ^ self.fold(extension)) << self.tail_bits | pack(extension, self.tail)
    }

    pub fn unmix(&self, mixed: u64) -> Tuple {
        let extension = unpack(mixed & mask(self.tail_bits), self.tail);
        let base = self.unscramble((mixed >> self.tail_bits) ^ self.fold(extension));
        let base = unpack(base, self.base);
        [0, 1, 2].map(|at| (extension[at] << self.base[at] | base[at]) as u32)
    }

    /// What the mixing of a tuple becomes in a mixer that is [`Self::widened`].
    #[inline]
    pub fn remix(&self, mixed: u64, wider: &Mixer) -> u64 {
        debug_assert!(self.base == wider.base);
        if self.width == wider.width {
            return mixed;
        }
        let extension = unpack(mixed & mask(self.tail_bits), self.tail);
        (mixed >> self.tail_bits) << wider.tail_bits | pack(extension, wider.tail)
    }

    /// A bijection on the bits of the base.
    #[inline(always)]
    fn scramble(&self, mut x: u64) -> u64 {
        let (mask, shift) = (self.mask, self.half);
        for multiplier in MULTIPLIERS {
            // A shift by at least half of the bits is its own inverse, an odd factor has one.
            x ^= x >> shift;
            x = x.wrapping_mul(multiplier) & mask;
        }
        x ^ x >> shift
    }

    #[inline]
    fn unscramble(&self, mut x: u64) -> u64 {
        let (mask, shift) = (self.mask, self.half);
        x ^= x >> shift;
        for multiplier in [MULTIPLIERS[1], MULTIPLIERS[0]] {
            x = x.wrapping_mul(const_inverse(multiplier)) & mask;
            x ^= x >> shift;
        }
        x
    }

    /// A hash of an extension, zero for none. It must not depend on the widths.
    #[inline(always)]
    fn fold(&self, extension: [u64; 3]) -> u64 {
        let all = extension[0] ^ extension[1] << 21 ^ extension[2] << 42;
        let all = all.wrapping_mul(MULTIPLIERS[0]);
        (all ^ all >> 32).wrapping_mul(MULTIPLIERS[1]) >> (64 - self.base_bits)
    }
}

/// Numbers of these widths side by side.
#[inline(always)]
fn pack(numbers: [u64; 3], widths: [u32; 3]) -> u64 {
    ((numbers[0] << widths[1] | numbers[1]) << widths[2]) | numbers[2]
}

#[inline]
fn unpack(packed: u64, widths: [u32; 3]) -> [u64; 3] {
    let front = packed >> widths[2];
    [front.checked_shr(widths[1]).unwrap_or(0), front & mask(widths[1]), packed & mask(widths[2])]
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
        let bases = [[1, 1, 0], [3, 9, 4], [16, 16, 16], [12, 20, 0], [32, 32, 0], [21, 21, 21], [0, 7, 25]];
        let plain = bases.map(Mixer::new);
        let wide = plain.map(|mixer| match mixer.base_bits() {
            ..48 => mixer.widened(mixer.base.map(|bits| (bits + 5).min(32))),
            _ => mixer.widened([21, 21, 0]),
        });
        let one_side = plain[..2].iter().map(|mixer| mixer.widened([1, 32, 3]));
        plain.into_iter().chain(wide).chain(one_side).collect()
    }

    /// Small, dense, large and random numbers of a width.
    fn numbers(bits: u32) -> Vec<u32> {
        let random = (1..30u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) & mask(bits));
        let mut numbers: Vec<u32> = (0..12).chain(random).map(|n| (n & mask(bits)) as u32).collect();
        numbers.extend([mask(bits) as u32, mask(bits) as u32 / 2]);
        numbers
    }

    fn tuples(mixer: &Mixer) -> impl Iterator<Item = Tuple> {
        let [a, b, c] = mixer.width.map(numbers);
        a.into_iter().flat_map(move |a| {
            let (b, c) = (b.clone(), c.clone());
            b.into_iter().flat_map(move |b| c.clone().into_iter().map(move |c| [a, b, c]))
        })
    }

    #[test]
    fn mixing_can_be_undone() {
        for mixer in mixers() {
            for tuple in tuples(&mixer) {
                let mixed = mixer.mix(tuple);
                assert_eq!(mixed & !mask(mixer.bits()), 0, "{mixer:?}");
                assert_eq!(mixer.unmix(mixed), tuple, "{mixer:?}");
            }
        }
    }

    fn all(mixer: Mixer) -> impl Iterator<Item = Tuple> {
        let [a, b, c] = mixer.width;
        (0..1u32 << (a + b + c)).map(move |i| [i >> (b + c), i >> c & mask(b) as u32, i & mask(c) as u32])
    }

    #[test]
    fn small_widths_are_permuted() {
        let some = [[5, 8, 0], [5, 4, 3], [1, 1, 0]].map(Mixer::new);
        for mixer in [some[0], some[1], some[2], some[1].widened([7, 5, 3]), some[2].widened([2, 5, 4])] {
            let mut seen = vec![false; 1 << mixer.bits()];
            for tuple in all(mixer) {
                assert!(!std::mem::replace(&mut seen[mixer.mix(tuple) as usize], true));
            }
        }
    }

    #[test]
    fn widening_keeps_the_order() {
        let first = Mixer::new([4, 6, 2]);
        for (old, new) in [(first, [4, 8, 2]), (first.widened([4, 8, 2]), [7, 9, 3]), (first, [5, 6, 6])] {
            let new = old.widened(new);
            let mut keys: Vec<(u64, u64)> = Vec::new();
            for tuple in all(old) {
                let mixed = old.mix(tuple);
                keys.push((mixed, new.mix(tuple)));
                assert_eq!(old.remix(mixed, &new), new.mix(tuple));
            }
            keys.sort_unstable();
            assert!(keys.is_sorted_by_key(|(_, wide)| *wide));
        }
    }

    #[test]
    fn structured_tuples_are_spread_evenly_over_the_high_bits() {
        let square: Vec<Tuple> = (0..512).flat_map(|a| (0..512).map(move |b| [a, b, 1])).collect();
        let cube: Vec<Tuple> = (0..1 << 18).map(|i| [i >> 12, i >> 6 & 63, i & 63]).collect();
        let diagonal: Vec<Tuple> =
            (0..1 << 16).flat_map(|i| (0..4).map(move |d| [i, (i + d) & 0xffff, i >> 8])).collect();
        let column: Vec<Tuple> = (0..1 << 17).flat_map(|i| [[3, i, 0], [4, i, 0]]).collect();
        let sparse: Vec<Tuple> = (0..1 << 18).map(|i| [i >> 12 << 10, (i & 0xfff) << 6 | 5, 9]).collect();
        let cases = [
            ("square", &square, Mixer::new([9, 9, 4])),
            ("square", &square, Mixer::new([11, 11, 10])),
            ("square", &square, Mixer::new([8, 8, 1]).widened([12, 12, 8])),
            ("cube", &cube, Mixer::new([11, 11, 10])),
            ("cube", &cube, Mixer::new([6, 6, 6])),
            ("cube", &cube, Mixer::new([5, 5, 5]).widened([6, 6, 6])),
            ("diagonal", &diagonal, Mixer::new([11, 11, 10]).widened([16, 16, 12])),
            ("column", &column, Mixer::new([16, 16, 0]).widened([16, 17, 0])),
            ("sparse", &sparse, Mixer::new([11, 11, 10]).widened([16, 18, 10])),
        ];
        for (name, tuples, mixer) in cases {
            let mut buckets = vec![0u32; 1 << 12];
            for tuple in tuples {
                buckets[(mixer.mix(*tuple) >> (mixer.bits() - 12)) as usize] += 1;
            }
            let expected = tuples.len() as f64 / buckets.len() as f64;
            let chi: f64 = buckets.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
            // 4095 degrees of freedom: mean 4095, deviation about 90. More even than chance does no harm.
            assert!(chi < 4600.0, "{name} in {mixer:?}: chi squared {chi}");
        }
    }
}
