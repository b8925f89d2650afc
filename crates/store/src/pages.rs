//! Large arrays of words, all zero at first, on huge pages where the system has them.
//!
//! A random access to a table of many megabytes misses the translation cache almost always if pages are small. Large
//! arrays are mapped straight from the system, the largest with the advice to use huge ones; small arrays come from the heap. What
//! is mapped takes no memory before it is written.
//!
//! A huge page is not always cheap. In a virtual machine whose host takes free memory away, the first write to one can take as long as a
//! thousand writes to small ones. That is worth it for a table, which is accessed everywhere and often, and not for memory that
//! is filled once from front to back: [`Pages::for_appending`] looks at the clock.
//!
//! While a table is rebuilt from its first word to its last, [`Pages::release_before`] gives back what was read: the
//! old and the new one then take hardly more than the new one alone.

use crate::{ImageReader, ImageWriter, OutOfMemory, word::Word};
use memmap2::MmapMut;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::io;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

/// Arrays from this size on are mapped.
const MAPPED_BYTES_MIN: usize = 256 << 10;
/// From this size on, huge pages are asked for.
const HUGE_BYTES_MIN: usize = 4 << 20;
const LINE_BYTES: usize = 64;
/// Memory is given back in steps of this many bytes: a huge page.
pub(crate) const RELEASE_BYTES: usize = 2 << 20;
/// To write the first byte of a huge page takes a quarter of a millisecond or less where the system only has to clear it. As many
/// bytes of small pages take almost one.
const DEAR: Duration = Duration::from_millis(1);

pub(crate) struct Pages<W: Word> {
    words: NonNull<W>,
    len: usize,
    /// Everything before this byte was given back.
    released: usize,
    backing: Backing,
    owned: PhantomData<W>,
}

enum Backing {
    Nothing,
    Heap(Layout),
    Mapped(MmapMut),
}

// SAFETY: the memory belongs to this value alone, and words can be sent and shared.
unsafe impl<W: Word> Send for Pages<W> {}
// SAFETY: as above; shared access is only through atomics.
unsafe impl<W: Word> Sync for Pages<W> {}

impl<W: Word> Pages<W> {
    pub const EMPTY: Pages<W> = Pages {
        words: NonNull::dangling(),
        len: 0,
        released: 0,
        backing: Backing::Nothing,
        owned: PhantomData,
    };

    /// `len` zeros, starting at a cache line.
    pub fn zeroed(len: usize) -> Result<Pages<W>, OutOfMemory> {
        let layout = Layout::array::<W>(len).and_then(|layout| layout.align_to(LINE_BYTES));
        let layout = layout.map_err(|_| OutOfMemory)?;
        let (backing, words) = match layout.size() {
            0 => return Ok(Pages::EMPTY),
            MAPPED_BYTES_MIN.. => {
                let mut map = MmapMut::map_anon(layout.size()).map_err(|_| OutOfMemory)?;
                #[cfg(target_os = "linux")]
                // Only advice: where it is not taken, small pages do as well.
                if layout.size() >= HUGE_BYTES_MIN {
                    let _ = map.advise(memmap2::Advice::HugePage);
                }
                let words = NonNull::new(map.as_mut_ptr().cast::<W>());
                (Backing::Mapped(map), words)
            }
            _ => {
                // SAFETY: the size is not zero.
                let words = NonNull::new(unsafe { alloc_zeroed(layout) }.cast::<W>());
                (Backing::Heap(layout), words)
            }
        };
        let words = words.ok_or(OutOfMemory)?;
        Ok(Pages { words, len, released: 0, backing, owned: PhantomData })
    }

    /// The same, for memory that is filled from front to back. Huge pages are used only if they `may_be_huge` and the first one is not
    /// dear; the second value tells whether it was.
    pub fn for_appending(len: usize, may_be_huge: bool) -> Result<(Pages<W>, bool), OutOfMemory> {
        let mut pages = Pages::zeroed(len)?;
        if cfg!(not(target_os = "linux")) || pages.bytes() < HUGE_BYTES_MIN {
            return Ok((pages, false));
        }
        let is_dear = may_be_huge && pages.first_write() > DEAR;
        if !may_be_huge || is_dear {
            pages.use_small_pages();
        }
        Ok((pages, is_dear))
    }

    /// How long it takes to write into the first huge page.
    fn first_write(&mut self) -> Duration {
        let bytes = self.as_bytes();
        let at = bytes.as_ptr().align_offset(RELEASE_BYTES).min(bytes.len() - 1);
        let before = Instant::now();
        // A write that the compiler must not leave out. It changes nothing: all bytes are zero.
        bytes[at] = std::hint::black_box(0);
        std::hint::black_box(&bytes);
        before.elapsed()
    }

    fn use_small_pages(&self) {
        #[cfg(target_os = "linux")]
        if let Backing::Mapped(map) = &self.backing {
            // Only advice.
            let _ = map.advise(memmap2::Advice::NoHugePage);
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        self.len * size_of::<W>()
    }

    /// For access from many threads.
    #[inline]
    pub fn shared(&self) -> &[W::Atomic] {
        // SAFETY: `words` holds `len` initialised words of the atomic's representation, aligned to a cache line. While
        // this borrow lives nobody has them exclusively, so every access is atomic.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }

    #[inline]
    pub fn exclusive(&mut self) -> &mut [W] {
        // SAFETY: `words` holds `len` initialised words, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_ptr(), self.len) }
    }

    /// All words as bytes.
    pub fn as_bytes(&mut self) -> &mut [u8] {
        // SAFETY: `words` holds `len` initialised words, which are numbers: any bytes are one. The borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_ptr().cast(), self.len * size_of::<W>()) }
    }

    pub fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        image.usize(self.len)?;
        image.table(self.as_bytes())
    }

    pub fn load(image: &mut ImageReader) -> io::Result<Pages<W>> {
        let mut pages = Pages::zeroed(image.usize()?)?;
        image.table(pages.as_bytes())?;
        Ok(pages)
    }

    /// The first byte, for who keeps more than words there.
    #[inline]
    pub fn base(&self) -> NonNull<u8> {
        self.words.cast()
    }

    /// Gives back the memory in front of a word, as far as the system takes it. What was there may read as zero.
    pub fn release_before(&mut self, index: usize) {
        let end = index.min(self.len) * size_of::<W>() / RELEASE_BYTES * RELEASE_BYTES;
        if end <= self.released {
            return;
        }
        #[cfg(target_os = "linux")]
        if let Backing::Mapped(map) = &self.backing {
            let (advice, length) = (memmap2::UncheckedAdvice::DontNeed, end - self.released);
            // SAFETY: the borrow is exclusive, so nobody looks at the words while they turn to zero.
            let _ = unsafe { map.unchecked_advise_range(advice, self.released, length) };
        }
        self.released = end;
    }

    /// How many bytes there are at most while this is read from front to back and released, and `next` filled in the
    /// same order. On other systems both are there in full.
    pub fn peak_bytes(&self, next_bytes: usize) -> usize {
        let is_released = cfg!(target_os = "linux") && matches!(self.backing, Backing::Mapped(_));
        let both = self.bytes() + next_bytes;
        if is_released { both.min(self.bytes().max(next_bytes) + 2 * RELEASE_BYTES) } else { both }
    }

    /// Starts to bring the cache line of a word, if there is any.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        debug_assert!(index < self.len.max(1));
        prefetch(self.words.as_ptr().wrapping_add(index));
    }
}

/// Starts to bring the cache line at an address, which need not be valid.
#[inline]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults and changes nothing; the address is not read by the program.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

impl<W: Word> Drop for Pages<W> {
    fn drop(&mut self) {
        if let Backing::Heap(layout) = self.backing {
            // SAFETY: allocated with this layout and not given back before.
            unsafe { dealloc(self.words.as_ptr().cast(), layout) };
        }
    }
}

impl<W: Word> std::fmt::Debug for Pages<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::Cell;

    #[test]
    fn small_and_large_arrays_start_as_zeros_and_keep_what_is_written() {
        for len in [0, 1, 1000, MAPPED_BYTES_MIN / 4, MAPPED_BYTES_MIN / 4 + 12_345] {
            let mut pages = Pages::<u32>::zeroed(len).unwrap();
            assert!(pages.exclusive().iter().all(|word| *word == 0));
            for (index, word) in pages.exclusive().iter_mut().enumerate() {
                *word = index as u32;
            }
            assert!(pages.shared().iter().enumerate().all(|(index, word)| Cell::load(word) == index as u32));
            assert_eq!(pages.shared().as_ptr() as usize % 4, 0);
        }
    }

    #[test]
    fn memory_for_appending_is_zero_whatever_its_pages_are() {
        for (len, may_be_huge) in
            [(1000, true), (HUGE_BYTES_MIN / 8, true), (HUGE_BYTES_MIN / 8 + 12_345, false)]
        {
            let (mut pages, is_dear) = Pages::<u64>::for_appending(len, may_be_huge).unwrap();
            assert!(may_be_huge || !is_dear, "nobody looked");
            assert_eq!(pages.len(), len);
            assert!(pages.exclusive().iter().all(|word| *word == 0));
            pages.exclusive().fill(7);
            assert!(pages.exclusive().iter().all(|word| *word == 7));
        }
    }

    #[test]
    fn what_is_released_leaves_the_rest_alone() {
        let len = 4 * RELEASE_BYTES / 8;
        let mut pages = Pages::<u64>::zeroed(len).unwrap();
        pages.exclusive().fill(7);
        let kept = len / 2 + 5;
        pages.release_before(kept);
        pages.release_before(3);
        assert!(pages.exclusive()[kept..].iter().all(|word| *word == 7));
    }
}
