//! A mixing of numbers that can be undone: what a compact hash set has instead of a hash.
//!
//! A set knows its elements as *names* of 64 bits, in which up to three numbers stand in fixed places ([`Fields`]). Of each number few bits are
//! used, and the fewer bits a mixed name has, the less of it has to be stored. The low bits of the numbers, the *base*, are put side by
//! side and mixed by multiplications and shifts that are bijections on that many
//! bits. Numbers may later outgrow the base: their high bits, the *extension*, are hashed and xored onto the mixed base,
//! and stand behind it as they are. So the whole is a bijection too, and widening the extension changes only the low
//! end: the order of the keys known before stays the same, which lets a table be rebuilt from front to back.

use crate::gather::Gather;

const MULTIPLIERS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

/// Where the numbers in a name begin, and how many bits they may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    pub starts: [u32; 3],
    pub widths_max: [u32; 3],
}

impl Fields {
    /// The bits of a name that numbers of these widths have.
    fn mask(&self, widths: [u32; 3]) -> u64 {
        [0, 1, 2].into_iter().fold(0, |all, at| all | mask(widths[at]) << self.starts[at])
    }

    /// How many bits the numbers in a name have.
    pub fn widths(&self, name: u64) -> [u32; 3] {
        [0, 1, 2].map(|at| {
            let number = name >> self.starts[at] & mask(self.widths_max[at]);
            u64::BITS - number.leading_zeros()
        })
    }
}

/// How many bits the numbers in a name may have, and how many of these are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mixer {
    /// The bits that a name may not have.
    foreign: u64,
    /// The bits of a name that belong to the base, and those of the extension.
    base_mask: u64,
    tail_mask: u64,
    base_bits: u32,
    tail_bits: u32,
    /// The bits of the whole base.
    mask: u64,
    /// Half of them.
    half: u32,
    gather: Gather,
    fields: Fields,
    base: [u32; 3],
    width: [u32; 3],
}

impl Mixer {
    /// Mixes all of `base` bits: at least one in all, at most 64.
    pub fn new(fields: Fields, base: [u32; 3]) -> Mixer {
        assert!((1..=64).contains(&base.iter().sum::<u32>()));
        Mixer::of(fields, base, base)
    }

    /// The same order for names that need more bits.
    pub fn widened(self, width: [u32; 3]) -> Mixer {
        Mixer::of(self.fields, self.base, [0, 1, 2].map(|at| self.width[at].max(width[at])))
    }

    fn of(fields: Fields, base: [u32; 3], width: [u32; 3]) -> Mixer {
        let base_bits: u32 = base.iter().sum();
        let base_mask = fields.mask(base);
        let tail_mask = fields.mask(width) & !base_mask;
        Mixer {
            foreign: !(base_mask | tail_mask),
            base_mask,
            tail_mask,
            base_bits,
            tail_bits: tail_mask.count_ones(),
            mask: mask(base_bits),
            half: base_bits.div_ceil(2),
            gather: Gather::new(),
            fields,
            base,
            width,
        }
    }

    /// What makes it, beside the fields: the bits of the base, and all.
    pub fn parts(&self) -> [[u32; 3]; 2] {
        [self.base, self.width]
    }

    /// None if these are no parts.
    pub fn of_parts(fields: Fields, [base, width]: [[u32; 3]; 2]) -> Option<Mixer> {
        let are_wide = (0..3).all(|at| base[at] <= width[at] && width[at] <= fields.widths_max[at]);
        (are_wide && base.iter().sum::<u32>() >= 1).then(|| Mixer::of(fields, base, width))
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
    pub fn fits(&self, name: u64) -> bool {
        name & self.foreign == 0
    }

    /// A number of [`Self::bits`] bits.
    #[inline(always)]
    pub fn mix(&self, name: u64) -> u64 {
        debug_assert!(self.fits(name));
        let mixed = self.scramble(self.gather.extract(name, self.base_mask));
        if self.tail_bits == 0 {
            return mixed;
        }
        // A shift by all 64 bits cannot be: the base has one at least.
        (mixed ^ self.fold(name & self.tail_mask)) << self.tail_bits
            | self.gather.extract(name, self.tail_mask)
    }

    pub fn unmix(&self, mixed: u64) -> u64 {
        let extension = self.gather.deposit(mixed & mask(self.tail_bits), self.tail_mask);
        let base = self.unscramble((mixed >> self.tail_bits) ^ self.fold(extension));
        extension | self.gather.deposit(base, self.base_mask)
    }

    /// What the mixing of a name becomes in a mixer that is [`Self::widened`].
    #[inline]
    pub fn remix(&self, mixed: u64, wider: &Mixer) -> u64 {
        debug_assert!(self.base == wider.base);
        let extension = self.gather.deposit(mixed & mask(self.tail_bits), self.tail_mask);
        (mixed >> self.tail_bits) << wider.tail_bits | self.gather.extract(extension, wider.tail_mask)
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

    /// A hash of an extension, zero for none. It does not depend on the widths, since its bits stand where the name has them.
    #[inline(always)]
    fn fold(&self, extension: u64) -> u64 {
        let all = extension.wrapping_mul(MULTIPLIERS[0]);
        (all ^ all >> 32).wrapping_mul(MULTIPLIERS[1]) >> (64 - self.base_bits)
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

    /// Three numbers of up to 21 bits, or two of up to 32.
    const THREE: Fields = Fields { starts: [42, 21, 0], widths_max: [21; 3] };
    const TWO: Fields = Fields { starts: [32, 0, 0], widths_max: [32, 32, 0] };

    type Tuple = [u32; 3];

    fn fields_for(base: [u32; 3]) -> Fields {
        if base.iter().all(|bits| *bits <= 21) { THREE } else { TWO }
    }

    fn mixer(base: [u32; 3]) -> Mixer {
        Mixer::new(fields_for(base), base)
    }

    fn name(mixer: &Mixer, tuple: Tuple) -> u64 {
        (0..3).fold(0, |name, at| name | u64::from(tuple[at]) << mixer.fields.starts[at])
    }

    fn mixers() -> Vec<Mixer> {
        let bases = [[1, 1, 0], [3, 9, 4], [16, 16, 16], [12, 20, 0], [32, 32, 0], [21, 21, 21], [7, 25, 0]];
        let plain = bases.map(mixer);
        let wide = plain.map(|mixer| match mixer.base_bits() {
            ..48 => mixer.widened(mixer.width.map(|bits| if bits == 0 { 0 } else { (bits + 5).min(32) })),
            _ => mixer.widened([21, 21, 0]),
        });
        let one_side = plain[..2].iter().map(|mixer| mixer.widened([1, 21, 3]));
        let one = Fields { starts: [0; 3], widths_max: [60, 0, 0] };
        let one_number = [Mixer::new(one, [20, 0, 0]), Mixer::new(one, [32, 0, 0]).widened([60, 0, 0])];
        plain.into_iter().chain(wide).chain(one_side).chain(one_number).collect()
    }

    /// Small, dense, large and random numbers of a width.
    fn numbers(bits: u32) -> Vec<u64> {
        let random = (1..30u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 3) & mask(bits));
        let mut numbers: Vec<u64> = (0..12).chain(random).map(|n| n & mask(bits)).collect();
        numbers.extend([mask(bits), mask(bits) / 2]);
        numbers
    }

    fn names(mixer: &Mixer) -> impl Iterator<Item = u64> {
        let [a, b, c] = mixer.width.map(numbers);
        let [at, bt, ct] = mixer.fields.starts;
        a.into_iter().flat_map(move |a| {
            let (b, c) = (b.clone(), c.clone());
            b.into_iter().flat_map(move |b| c.clone().into_iter().map(move |c| a << at | b << bt | c << ct))
        })
    }

    #[test]
    fn mixing_can_be_undone() {
        for mixer in mixers() {
            for name in names(&mixer) {
                let mixed = mixer.mix(name);
                assert_eq!(mixed & !mask(mixer.bits()), 0, "{mixer:?}");
                assert_eq!(mixer.unmix(mixed), name, "{mixer:?}");
                assert_eq!(Mixer { gather: Gather::slow(), ..mixer }.mix(name), mixed);
            }
        }
    }

    fn all(mixer: Mixer) -> impl Iterator<Item = u64> {
        let [a, b, c] = mixer.width;
        (0..1u32 << (a + b + c))
            .map(move |i| name(&mixer, [i >> (b + c), i >> c & mask(b) as u32, i & mask(c) as u32]))
    }

    #[test]
    fn small_widths_are_permuted() {
        let some = [[5, 8, 0], [5, 4, 3], [1, 1, 0]].map(mixer);
        for mixer in [some[0], some[1], some[2], some[1].widened([7, 5, 3]), some[2].widened([2, 5, 4])] {
            let mut seen = vec![false; 1 << mixer.bits()];
            for name in all(mixer) {
                assert!(!std::mem::replace(&mut seen[mixer.mix(name) as usize], true));
            }
        }
    }

    #[test]
    fn widening_keeps_the_order() {
        let first = mixer([4, 6, 2]);
        for (old, new) in [(first, [4, 8, 2]), (first.widened([4, 8, 2]), [7, 9, 3]), (first, [5, 6, 6])] {
            let new = old.widened(new);
            let mut keys: Vec<(u64, u64)> = Vec::new();
            for name in all(old) {
                let mixed = old.mix(name);
                keys.push((mixed, new.mix(name)));
                assert_eq!(old.remix(mixed, &new), new.mix(name));
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
            ("square", &square, mixer([9, 9, 4])),
            ("square", &square, mixer([11, 11, 10])),
            ("square", &square, mixer([8, 8, 1]).widened([12, 12, 8])),
            ("cube", &cube, mixer([11, 11, 10])),
            ("cube", &cube, mixer([6, 6, 6])),
            ("cube", &cube, mixer([5, 5, 5]).widened([6, 6, 6])),
            ("diagonal", &diagonal, mixer([11, 11, 10]).widened([16, 16, 12])),
            ("column", &column, mixer([16, 16, 0]).widened([16, 17, 0])),
            ("sparse", &sparse, mixer([11, 11, 10]).widened([16, 18, 10])),
        ];
        for (case, tuples, mixer) in cases {
            let mut buckets = vec![0u32; 1 << 12];
            for tuple in tuples {
                buckets[(mixer.mix(name(&mixer, *tuple)) >> (mixer.bits() - 12)) as usize] += 1;
            }
            let expected = tuples.len() as f64 / buckets.len() as f64;
            let chi: f64 = buckets.iter().map(|n| (f64::from(*n) - expected).powi(2) / expected).sum();
            // 4095 degrees of freedom: mean 4095, deviation about 90. More even than chance does no harm.
            assert!(chi < 4600.0, "{case} in {mixer:?}: chi squared {chi}");
        }
    }
}
