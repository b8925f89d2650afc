//! Some bits of a word put side by side, and back.
//!
//! Processors with BMI2 have an instruction for each. It is written in assembly language, since a function that is compiled for such processors
//! would not be inlined where others have to be able to go, too; who has found out that the processor has it ([`Gather::new`]) asks one
//! flag. Elsewhere bits are moved in runs: masks of keys have a few.

/// How bits are moved here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gather {
    is_fast: bool,
}

impl Gather {
    pub fn new() -> Gather {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        let is_fast = std::arch::is_x86_feature_detected!("bmi2");
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let is_fast = false;
        Gather { is_fast }
    }

    /// As on processors without such instructions.
    #[cfg(test)]
    pub fn slow() -> Gather {
        Gather { is_fast: false }
    }

    /// The bits of a mask, side by side.
    #[inline(always)]
    pub fn extract(self, value: u64, mask: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.is_fast {
            let out;
            // SAFETY: the processor has this instruction, which changes one register and nothing else.
            unsafe {
                std::arch::asm!("pext {out}, {value}, {mask}", out = lateout(reg) out, value = in(reg) value,
                    mask = in(reg) mask, options(pure, nomem, nostack, preserves_flags));
            }
            return out;
        }
        extract(value, mask)
    }

    /// The other way round: the low bits of a value to where the mask has bits.
    #[inline(always)]
    pub fn deposit(self, value: u64, mask: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.is_fast {
            let out;
            // SAFETY: the processor has this instruction, which changes one register and nothing else.
            unsafe {
                std::arch::asm!("pdep {out}, {value}, {mask}", out = lateout(reg) out, value = in(reg) value,
                    mask = in(reg) mask, options(pure, nomem, nostack, preserves_flags));
            }
            return out;
        }
        deposit(value, mask)
    }
}

/// A run of bits in a mask that is not zero: its first bit, how many there are, and what they mask when they stand at the right.
#[inline]
fn first_run(mask: u64) -> (u32, u32, u64) {
    let start = mask.trailing_zeros();
    let count = (mask >> start).trailing_ones();
    (start, count, u64::MAX >> (u64::BITS - count))
}

fn extract(value: u64, mut mask: u64) -> u64 {
    let (mut out, mut at) = (0, 0);
    while mask != 0 {
        let (start, count, ones) = first_run(mask);
        out |= (value >> start & ones) << at;
        at += count;
        mask &= !(ones << start);
    }
    out
}

fn deposit(value: u64, mut mask: u64) -> u64 {
    let (mut out, mut at) = (0, 0);
    while mask != 0 {
        let (start, count, ones) = first_run(mask);
        out |= (value >> at & ones) << start;
        at += count;
        mask &= !(ones << start);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_moved_as_one_by_one() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            random ^ random >> 29
        };
        let some = [0, 1, 1 << 63, u64::MAX, 0xff00_ff00_0000_0001, u64::MAX >> 1, u64::MAX << 1];
        for turn in 0..2000 {
            let value = next();
            let mask = *some.get(turn).unwrap_or(&[next(), next() & next(), next() | next()][turn % 3]);
            let places: Vec<u32> = (0..64).filter(|at| mask >> at & 1 == 1).collect();
            let bits = |from: &dyn Fn(usize) -> u32, to: &dyn Fn(usize) -> u32| {
                (0..places.len()).fold(0, |out, at| out | (value >> from(at) & 1) << to(at))
            };
            let (right, there) = (|at: usize| at as u32, |at: usize| places[at]);
            for gather in [Gather::new(), Gather::slow()] {
                assert_eq!(gather.extract(value, mask), bits(&there, &right), "{mask:x}");
                assert_eq!(gather.deposit(value, mask), bits(&right, &there), "{mask:x}");
            }
        }
    }
}
