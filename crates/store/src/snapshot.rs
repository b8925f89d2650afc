//! A cache line of entries to which other threads may be adding, looked at as a whole.
//!
//! A loop over atomic entries stays a loop, and leaves it at a place that the processor cannot foresee. Where the processor has vectors, the line is
//! loaded in four parts and all entries are compared at once. Each entry is read whole, as by a load of its own: that is what processors do with
//! aligned vectors. The compiler is not told that it could be otherwise, since the loads are written in assembly language.
//!
//! The parts are loaded one after the other. Entries are never taken out and a line is filled in order: so whatever stands before the first
//! empty entry that is seen is there, and who tries to write to that entry finds out whether it is still empty.

use crate::word::{Cell, Word};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Look {
    /// The entry is the one at that place.
    Found(usize),
    /// It is not there, and so many are before the first empty one.
    Filled(usize),
}

/// Looks for an entry in a line, which begins at a multiple of its length.
#[inline(always)]
pub(crate) fn look<W: Word>(line: &[W::Atomic], entry: W) -> Look {
    let (equal, empty) = masks(line, entry);
    match equal {
        0 => Look::Filled((empty.trailing_zeros() as usize).min(line.len())),
        _ => Look::Found(equal.trailing_zeros() as usize),
    }
}

/// Of a line that begins with `count` entries of 32 bits and has something else behind them: a bit for each that is equal to the one that is looked
/// for, and one for each that is empty.
#[inline(always)]
pub(crate) fn masks_in_front(
    line: &[<u64 as Word>::Atomic],
    entries: &[<u32 as Word>::Atomic],
    entry: u32,
) -> (u32, u32) {
    debug_assert!(std::ptr::eq(line.as_ptr().cast(), entries.as_ptr()));
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    let (equal, empty) = vectors::masks_of_32(line, entry);
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let (equal, empty) = one_by_one::<u32>(entries, entry);
    let front = (1 << entries.len()) - 1;
    (equal & front, empty & front)
}

/// A bit for each entry that is equal to the one that is looked for, and one for each that is empty.
#[inline(always)]
fn masks<W: Word>(line: &[W::Atomic], entry: W) -> (u32, u32) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    match W::BITS {
        16 => return vectors::masks_of_16(line, entry.to_u64() as u16),
        32 => return vectors::masks_of_32(line, entry.to_u64() as u32),
        _ => {}
    }
    one_by_one(line, entry)
}

#[inline(always)]
fn one_by_one<W: Word>(line: &[W::Atomic], entry: W) -> (u32, u32) {
    let (mut equal, mut empty) = (0, 0);
    for (at, place) in line.iter().enumerate() {
        let other = place.load();
        equal |= u32::from(other == entry) << at;
        empty |= u32::from(other == W::ZERO) << at;
    }
    (equal, empty)
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod vectors {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi16, _mm_cmpeq_epi32, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32,
        _mm_set1_epi16, _mm_set1_epi32, _mm_setzero_si128,
    };

    const LINE_BYTES: usize = 64;

    #[inline(always)]
    fn load<A>(line: &[A]) -> [__m128i; 4] {
        assert!(size_of_val(line) == LINE_BYTES);
        let start = line.as_ptr();
        debug_assert!((start as usize).is_multiple_of(LINE_BYTES));
        let (first, second, third, fourth): (__m128i, __m128i, __m128i, __m128i);
        // SAFETY: the four loads stay within the line, whose entries are atomics that may be read at any time. What they give is numbers.
        unsafe {
            asm!(
                "movdqu {first}, [{start}]",
                "movdqu {second}, [{start} + 16]",
                "movdqu {third}, [{start} + 32]",
                "movdqu {fourth}, [{start} + 48]",
                start = in(reg) start,
                first = out(xmm_reg) first,
                second = out(xmm_reg) second,
                third = out(xmm_reg) third,
                fourth = out(xmm_reg) fourth,
                options(readonly, nostack, preserves_flags)
            );
        }
        [first, second, third, fourth]
    }

    #[inline(always)]
    pub fn masks_of_16<A>(line: &[A], entry: u16) -> (u32, u32) {
        let parts = load(line);
        // SAFETY: every processor of this kind has these instructions.
        unsafe {
            let mask = |entry: __m128i| {
                let [a, b, c, d] = parts.map(|part| _mm_cmpeq_epi16(part, entry));
                let (low, high) = (_mm_packs_epi16(a, b), _mm_packs_epi16(c, d));
                _mm_movemask_epi8(low) as u32 | (_mm_movemask_epi8(high) as u32) << 16
            };
            (mask(_mm_set1_epi16(entry as i16)), mask(_mm_setzero_si128()))
        }
    }

    #[inline(always)]
    pub fn masks_of_32<A>(line: &[A], entry: u32) -> (u32, u32) {
        let parts = load(line);
        // SAFETY: every processor of this kind has these instructions.
        unsafe {
            let mask = |entry: __m128i| {
                let [a, b, c, d] = parts.map(|part| _mm_cmpeq_epi32(part, entry));
                let (low, high) = (_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
                _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u32
            };
            (mask(_mm_set1_epi32(entry as i32)), mask(_mm_setzero_si128()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Pages;

    fn all_places<W: Word>() {
        let mut pages = Pages::<W>::zeroed(64 / size_of::<W>()).unwrap();
        let count = pages.len();
        for filled in 0..=count {
            let number = |at: usize| W::from_u64(0xabcd_0000_0000_8000 + 3 * at as u64);
            for (at, word) in pages.exclusive().iter_mut().enumerate() {
                *word = if at < filled { number(at) } else { W::ZERO };
            }
            let line = pages.shared();
            for at in 0..filled {
                assert!(matches!(look(line, number(at)), Look::Found(found) if found == at));
            }
            for other in [1, 2, 0x7fff, u64::MAX].map(W::from_u64) {
                assert!(matches!(look(line, other), Look::Filled(found) if found == filled));
                assert_eq!(masks(line, other), one_by_one(line, other));
            }
        }
    }

    #[test]
    fn entries_are_found_where_they_are() {
        all_places::<u16>();
        all_places::<u32>();
        all_places::<u64>();
    }
}
