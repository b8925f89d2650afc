//! The machine words that tables are made of, each with its atomic twin.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A word that a table holds; zero means that the place is empty.
///
/// # Safety
///
/// `Atomic` has the size and representation of `Self`, and all bits zero is a value of both.
pub(crate) unsafe trait Word: Copy + Eq + Send + Sync + 'static {
    type Atomic: Sync;
    const ZERO: Self;
    const BITS: u32;

    /// Cuts off what does not fit.
    fn from_u64(value: u64) -> Self;
    fn to_u64(self) -> u64;
    fn load(place: &Self::Atomic) -> Self;
    fn store(place: &Self::Atomic, value: Self);
    /// Writes into an empty place; if it is not empty, says what is there.
    fn claim(place: &Self::Atomic, value: Self) -> Result<(), Self>;
}

macro_rules! word {
    ($word:ty, $atomic:ty) => {
        // SAFETY: the standard library promises equal size and representation; zero is a number.
        unsafe impl Word for $word {
            type Atomic = $atomic;
            const ZERO: Self = 0;
            const BITS: u32 = <$word>::BITS;

            #[inline]
            fn from_u64(value: u64) -> Self {
                value as $word
            }

            #[inline]
            fn to_u64(self) -> u64 {
                self as u64
            }

            #[inline]
            fn load(place: &Self::Atomic) -> Self {
                place.load(Ordering::Acquire)
            }

            #[inline]
            fn store(place: &Self::Atomic, value: Self) {
                place.store(value, Ordering::Release);
            }

            #[inline]
            fn claim(place: &Self::Atomic, value: Self) -> Result<(), Self> {
                place.compare_exchange(0, value, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
            }
        }
    };
}

word!(u16, AtomicU16);
word!(u32, AtomicU32);
word!(u64, AtomicU64);
