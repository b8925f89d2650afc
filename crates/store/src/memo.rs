//! A small memory of recent numberings, in front of the tables: most nodes of a tree were numbered a moment ago.

use crate::hash::fold;
use crate::intern::Value;
use crate::shape::Level;

const ENTRY_BITS: u32 = 12;

#[derive(Debug)]
pub(crate) struct Memo {
    entries: Box<[Entry; 1 << ENTRY_BITS]>,
}

/// Aligned so that it lies in one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Entry {
    value: Value,
    number: u32,
    /// The level plus one; zero is an empty entry.
    level: u32,
}

impl Memo {
    pub const BYTES: usize = size_of::<Entry>() << ENTRY_BITS;

    pub fn new() -> Memo {
        let entries = vec![Entry::default(); 1 << ENTRY_BITS].into_boxed_slice();
        Memo { entries: entries.try_into().expect("as many as there are") }
    }

    /// The number of the value on that level: remembered, or else found by `number`.
    #[inline(always)]
    pub fn number<E>(
        &mut self,
        level: Level,
        value: Value,
        number: impl FnOnce() -> Result<u32, E>,
    ) -> Result<u32, E> {
        let (entry, level) = self.entry(level, value);
        if entry.value != value || entry.level != level {
            *entry = Entry { value, number: number()?, level };
        }
        Ok(entry.number)
    }

    /// The number of the value on that level, if it is remembered.
    #[inline(always)]
    pub fn find(&mut self, level: Level, value: Value) -> Option<u32> {
        let (entry, level) = self.entry(level, value);
        (entry.value == value && entry.level == level).then_some(entry.number)
    }

    /// Where the value is remembered, if it is, and what stands there for the level.
    #[inline(always)]
    fn entry(&mut self, level: Level, value: Value) -> (&mut Entry, u32) {
        let level = level.index() as u32 + 1;
        let mixed =
            fold(value[0] ^ 0x8ebc_6af0_9c88_c6e3 ^ u64::from(level), value[1] ^ 0x9e37_79b9_7f4a_7c15);
        (&mut self.entries[(mixed >> (64 - ENTRY_BITS)) as usize], level)
    }
}
