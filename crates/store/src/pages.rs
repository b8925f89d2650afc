//! Large zeroed memory for tables and arenas, on huge pages where the system has them.
//!
//! A visited set is probed at random. With pages of 4 KiB nearly every probe of a large table also misses the cache of
//! address translations; with pages of 2 MiB hardly any does. Memory that was never written takes none.

use memmap2::MmapMut;
use std::sync::atomic::AtomicU64;

/// From this size on memory is mapped, and huge pages are asked for.
const MAPPED_BYTES_MIN: usize = 4 << 20;

/// An array of words, all zero at first, that does not grow.
#[derive(Debug)]
pub(crate) struct Pages {
    words: *mut AtomicU64,
    len: usize,
    _memory: Memory,
}

/// What keeps the words alive.
#[derive(Debug)]
#[expect(dead_code, reason = "held for their memory only")]
enum Memory {
    Heap(Vec<u64>),
    Mapped(MmapMut),
}

// SAFETY: the words are atomic, and the memory they stand in belongs to this value alone.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// No words at all.
    pub fn empty() -> Pages {
        Pages { words: std::ptr::NonNull::dangling().as_ptr(), len: 0, _memory: Memory::Heap(Vec::new()) }
    }

    /// That many words; none if the system does not give the memory.
    pub fn zeroed(len: usize) -> Option<Pages> {
        let bytes = len.checked_mul(size_of::<u64>())?;
        if bytes < MAPPED_BYTES_MIN {
            let mut words = Vec::new();
            words.try_reserve_exact(len).ok()?;
            words.resize(len, 0);
            return Some(Pages { words: words.as_mut_ptr().cast(), len, _memory: Memory::Heap(words) });
        }
        let mut mapped = MmapMut::map_anon(bytes).ok()?;
        // Only a hint: without huge pages everything works, more slowly.
        #[cfg(target_os = "linux")]
        let _ = mapped.advise(memmap2::Advice::HugePage);
        Some(Pages { words: mapped.as_mut_ptr().cast(), len, _memory: Memory::Mapped(mapped) })
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        self.len * size_of::<u64>()
    }

    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: `words` points to `len` words that live as long as `self`, are aligned for a word (a heap vector of
        // words, or a page) and initialised (zeroed). Atomic words may be shared.
        unsafe { std::slice::from_raw_parts(self.words, self.len) }
    }

    /// The same memory as bytes.
    #[inline]
    pub fn as_bytes(&self) -> *mut u8 {
        self.words.cast()
    }
}

/// Asks for the cache line at an address, which need not be valid.
#[inline]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and never faults; every x86-64 processor has it.
    unsafe {
        std::arch::x86_64::_mm_prefetch(address.cast(), std::arch::x86_64::_MM_HINT_T0);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn words_are_zero_and_keep_what_is_written() {
        for len in [0, 1, 1000, MAPPED_BYTES_MIN / 8 + 3] {
            let pages = Pages::zeroed(len).unwrap();
            assert_eq!(pages.len(), len);
            assert!(pages.words().iter().all(|word| word.load(Relaxed) == 0));
            for (i, word) in pages.words().iter().enumerate() {
                word.store(i as u64 * 3, Relaxed);
            }
            assert!(pages.words().iter().enumerate().all(|(i, word)| word.load(Relaxed) == i as u64 * 3));
            prefetch(pages.as_bytes());
        }
        assert!(Pages::zeroed(usize::MAX / 4).is_none());
    }
}
