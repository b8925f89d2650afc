//! A few bits for each state: what a search notes about it (open, closed, on the stack, colours).
//!
//! The exact store has room for them before each vector. Other tables get four bits a slot in a [`FlagTable`] beside them, if a
//! search asks for that: it is a sixteenth of a table of 64-bit entries, and fetched together with it.

use crate::pages::Pages;
use crate::{ImageReader, ImageWriter, OutOfMemory, StateRef, damaged};
use std::io;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

/// States have this many bits.
pub const FLAG_BITS: u32 = 4;
pub(crate) const FLAGS_ALL: u8 = (1 << FLAG_BITS) - 1;

/// Stores that keep flags for their states. They are zero at first. Any number of threads may change them at once.
pub trait Flags {
    /// Can the rest of this be used?
    const HAS_FLAGS: bool = false;

    /// To be called before the first state comes, if flags will be used.
    fn keep_flags(&mut self) {}

    /// The flags of a state that the store holds.
    fn flags(&self, state: StateRef) -> u8 {
        unreachable!("this store has no flags, not of {state:?} either")
    }

    /// Sets those of the mask; what the flags were before.
    fn set_flags(&self, state: StateRef, mask: u8) -> u8 {
        unreachable!("this store cannot set {mask:b} for {state:?}")
    }

    /// Clears those of the mask; what the flags were before.
    fn clear_flags(&self, state: StateRef, mask: u8) -> u8 {
        unreachable!("this store cannot clear {mask:b} for {state:?}")
    }
}

/// Flags for the slots of a table, or none.
#[derive(Debug)]
pub(crate) struct FlagTable {
    words: Pages<u64>,
    is_kept: bool,
}

const PER_WORD: usize = 64 / FLAG_BITS as usize;

impl FlagTable {
    /// No flags are wanted.
    pub const NONE: FlagTable = FlagTable { words: Pages::EMPTY, is_kept: false };

    /// They are from now on.
    pub fn keep(&mut self) {
        assert_eq!(self.words.len(), 0, "flags are asked for before the first state comes");
        self.is_kept = true;
    }

    #[inline]
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Zeros for a table of so many slots, if flags are wanted.
    pub fn for_slots(&self, slots: usize) -> Result<FlagTable, OutOfMemory> {
        let words = if self.is_kept { Pages::zeroed(slots.div_ceil(PER_WORD))? } else { Pages::EMPTY };
        Ok(FlagTable { words, is_kept: self.is_kept })
    }

    /// What [`Self::for_slots`] takes.
    pub fn bytes_for(&self, slots: usize) -> usize {
        if self.is_kept { slots.div_ceil(PER_WORD) * size_of::<u64>() } else { 0 }
    }

    pub fn bytes(&self) -> usize {
        self.words.bytes()
    }

    pub fn save(&mut self, image: &mut ImageWriter) -> io::Result<()> {
        image.bool(self.is_kept)?;
        self.words.save(image)
    }

    /// For a table of so many slots. The image may have no flags, because nobody asked for them then.
    pub fn load(&mut self, slots: usize, image: &mut ImageReader) -> io::Result<()> {
        let was_kept = image.bool()?;
        self.words = Pages::load(image)?;
        self.is_kept |= was_kept;
        if self.is_kept && !was_kept {
            *self = self.for_slots(slots)?;
        }
        let expected = if self.is_kept { slots.div_ceil(PER_WORD) } else { 0 };
        if self.words.len() == expected { Ok(()) } else { Err(damaged("flags are missing")) }
    }

    /// Asks for the flags of a slot, if there are any.
    #[inline]
    pub fn prefetch(&self, slot: usize) {
        if self.is_kept && self.words.len() > 0 {
            self.words.prefetch(slot / PER_WORD);
        }
    }

    #[inline]
    pub fn get(&self, slot: usize) -> u8 {
        let (word, shift) = place(slot);
        (self.words.shared()[word].load(Acquire) >> shift) as u8 & FLAGS_ALL
    }

    #[inline]
    pub fn set(&self, slot: usize, mask: u8) -> u8 {
        let (word, shift) = place(slot);
        let bits = u64::from(mask & FLAGS_ALL) << shift;
        (self.words.shared()[word].fetch_or(bits, AcqRel) >> shift) as u8 & FLAGS_ALL
    }

    #[inline]
    pub fn clear(&self, slot: usize, mask: u8) -> u8 {
        let (word, shift) = place(slot);
        let bits = u64::from(mask & FLAGS_ALL) << shift;
        (self.words.shared()[word].fetch_and(!bits, AcqRel) >> shift) as u8 & FLAGS_ALL
    }

    /// Takes over the flags that a slot of the table before this one had; this slot has none yet.
    #[inline(always)]
    pub fn take_over(&mut self, slot: usize, before: &FlagTable, slot_before: usize) {
        if self.is_kept {
            self.copy(slot, before, slot_before);
        }
    }

    #[inline(never)]
    fn copy(&mut self, slot: usize, before: &FlagTable, slot_before: usize) {
        let (word, shift) = place(slot);
        self.words.exclusive()[word] |= u64::from(before.get(slot_before)) << shift;
    }
}

#[inline]
fn place(slot: usize) -> (usize, u32) {
    (slot / PER_WORD, (slot % PER_WORD) as u32 * FLAG_BITS)
}
