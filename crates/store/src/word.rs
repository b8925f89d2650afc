//! The machine words that tables are made of, each with its atomic twin.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};
use std::time::Duration;

/// A word that a table holds; zero means that the place is empty.
///
/// # Safety
///
/// `Atomic` has the size and representation of `Self`, and all bits zero is a value of both.
pub(crate) unsafe trait Word: Copy + Eq + Send + Sync + 'static {
    type Atomic: Cell<Self>;
    const ZERO: Self;
    const BITS: u32;

    /// Cuts off what does not fit.
    fn from_u64(value: u64) -> Self;
    fn to_u64(self) -> u64;
}

/// A place in a table that threads share.
pub(crate) trait Cell<W>: Sync {
    /// What was written before the value that is read was stored or claimed can be read afterwards.
    fn load(&self) -> W;
    fn store(&self, value: W);
    /// Writes into an empty place; if it is not empty, says what is there.
    fn claim(&self, value: W) -> Result<(), W>;
    /// Puts what this thread wrote before in order with what it reads after, among all threads that do so.
    fn fence();
    /// To be called again and again while another thread is expected to change the place; `round` counts the calls.
    fn wait(round: u32);
}

/// A place whose bits threads set, clear and exchange, each change before or behind every other.
pub(crate) trait Register<W>: Cell<W> {
    fn new(value: W) -> Self;
    /// Sets the bits that `value` has; what was there before. What was done before any change of the place can be seen by whoever
    /// changes it after.
    fn or(&self, value: W) -> W;
    fn clear(&self, value: W);
    /// Writes `new` if `old` is there.
    fn exchange(&self, old: W, new: W) -> bool;
}

/// After so many rounds another thread may need the processor.
const SPINS_MAX: u32 = 100;
/// After so many it takes long, for instance until a table has grown.
const YIELDS_MAX: u32 = SPINS_MAX + 50;
const NAP: Duration = Duration::from_micros(50);

fn wait(round: u32) {
    if round < SPINS_MAX {
        std::hint::spin_loop();
    } else if round < YIELDS_MAX {
        std::thread::yield_now();
    } else {
        std::thread::sleep(NAP);
    }
}

/// An atomic type as a [`Cell`]: those of the standard library, and those that tests watch.
macro_rules! cell {
    ($word:ty, $atomic:ty, $fence:path, $wait:expr) => {
        impl $crate::word::Cell<$word> for $atomic {
            #[inline]
            fn load(&self) -> $word {
                self.load(std::sync::atomic::Ordering::Acquire)
            }

            #[inline]
            fn store(&self, value: $word) {
                self.store(value, std::sync::atomic::Ordering::Release);
            }

            #[inline]
            fn claim(&self, value: $word) -> Result<(), $word> {
                use std::sync::atomic::Ordering::{AcqRel, Acquire};
                self.compare_exchange(0, value, AcqRel, Acquire).map(|_| ())
            }

            #[inline]
            fn fence() {
                $fence(std::sync::atomic::Ordering::SeqCst);
            }

            fn wait(round: u32) {
                $wait(round);
            }
        }

        impl $crate::word::Register<$word> for $atomic {
            #[inline]
            fn new(value: $word) -> Self {
                <$atomic>::new(value)
            }

            #[inline]
            fn or(&self, value: $word) -> $word {
                self.fetch_or(value, std::sync::atomic::Ordering::AcqRel)
            }

            #[inline]
            fn clear(&self, value: $word) {
                self.fetch_and(!value, std::sync::atomic::Ordering::AcqRel);
            }

            #[inline]
            fn exchange(&self, old: $word, new: $word) -> bool {
                use std::sync::atomic::Ordering::{AcqRel, Acquire};
                self.compare_exchange(old, new, AcqRel, Acquire).is_ok()
            }
        }
    };
}
#[cfg(test)]
pub(crate) use cell;

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
        }

        cell!($word, $atomic, std::sync::atomic::fence, wait);
    };
}

word!(u8, AtomicU8);
word!(u16, AtomicU16);
word!(u32, AtomicU32);
word!(u64, AtomicU64);
