//! Units handed out one after the other to any number of threads, each unit once.
//!
//! The count never goes up and down again: who adds first, finds no room and subtracts would, for a moment, have others
//! start too far behind, and after it too far in front.

use std::sync::atomic::AtomicUsize;

/// So many units a thread takes ahead. (Few in tests, so that it matters.)
const AHEAD: usize = if cfg!(test) { 3 } else { 64 };

/// In cache lines of its own (two, which some processors fetch together): what stands beside it is read at every lookup, and would be
/// away whenever another thread counts.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Bump<C = AtomicUsize>(C);

/// A number that threads count with.
pub(crate) trait Counter {
    fn load(&self) -> usize;
    /// Writes `new` if `old` is there, else says what is. May fail for no reason.
    fn exchange(&self, old: usize, new: usize) -> Result<usize, usize>;
    fn subtract(&self, count: usize);
}

/// An atomic type as a [`Counter`]: that of the standard library, and that which tests watch.
macro_rules! counter {
    ($atomic:ty) => {
        impl $crate::bump::Counter for $atomic {
            #[inline]
            fn load(&self) -> usize {
                self.load(std::sync::atomic::Ordering::Relaxed)
            }

            #[inline]
            fn exchange(&self, old: usize, new: usize) -> Result<usize, usize> {
                use std::sync::atomic::Ordering::Relaxed;
                self.compare_exchange_weak(old, new, Relaxed, Relaxed)
            }

            #[inline]
            fn subtract(&self, count: usize) {
                self.fetch_sub(count, std::sync::atomic::Ordering::Relaxed);
            }
        }
    };
}
#[cfg(test)]
pub(crate) use counter;

counter!(AtomicUsize);

impl<C: Counter> Bump<C> {
    #[cfg(test)]
    pub fn from_counter(counter: C) -> Bump<C> {
        Bump(counter)
    }

    /// How many units were handed out.
    #[inline]
    pub fn taken(&self) -> usize {
        self.0.load()
    }

    /// The first of so many units that nobody else gets; none if there are not so many below `limit`.
    #[inline]
    pub fn take(&self, units: usize, limit: usize) -> Option<usize> {
        let mut taken = self.0.load();
        loop {
            let end = taken.checked_add(units).filter(|end| *end <= limit)?;
            match self.0.exchange(taken, end) {
                Ok(_) => return Some(taken),
                Err(now) => taken = now,
            }
        }
    }
}

/// Units that a thread took ahead: where they are merely counted, it goes on alone, and seldom waits for the cache line that all count
/// in. What is left is to be given back.
#[derive(Debug, Default)]
pub(crate) struct Quota(usize);

impl Quota {
    /// Is there a unit left, or one to be had below `limit`?
    #[inline]
    pub fn has_one<C: Counter>(&mut self, all: &Bump<C>, limit: usize) -> bool {
        if self.0 == 0 {
            let mut take = |count| {
                let is_taken = all.take(count, limit).is_some();
                self.0 += if is_taken { count } else { 0 };
                is_taken
            };
            return take(AHEAD) || take(1);
        }
        true
    }

    /// Uses a unit up that is there.
    #[inline]
    pub fn spend_one(&mut self) {
        self.0 -= 1;
    }

    pub fn give_back<C: Counter>(&mut self, all: &Bump<C>) {
        all.0.subtract(std::mem::take(&mut self.0));
    }
}

impl Bump {
    /// [`Self::take`] for one who has this alone.
    #[inline]
    pub fn take_alone(&mut self, units: usize, limit: usize) -> Option<usize> {
        let taken = self.0.get_mut();
        let (start, end) = (*taken, taken.checked_add(units).filter(|end| *end <= limit)?);
        *taken = end;
        Some(start)
    }

    /// As many are handed out.
    pub fn set(&mut self, taken: usize) {
        *self.0.get_mut() = taken;
    }
}
