//! The states of one level, in the order in which they were offered.

use super::records::Reader;
use super::table::{Mark, Table};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// How an entry of a level was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    pub kind: Kind,
    /// How many steps lead there.
    pub depth: u32,
    /// The number of the entry that it was reached from, and by which branch. Entries are offered in this order.
    pub parent: u64,
    pub branch: (u32, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A state.
    Direct,
    /// A state for which any direct offer counts more, even a later one.
    Late,
    /// No state.
    Keyless,
}

pub(super) const ORIGIN_BYTES: usize = 21;

impl Origin {
    pub(super) fn bytes(&self) -> [u8; ORIGIN_BYTES] {
        let mut bytes = [0; ORIGIN_BYTES];
        bytes[0] = self.kind as u8;
        bytes[1..5].copy_from_slice(&self.depth.to_le_bytes());
        bytes[5..13].copy_from_slice(&self.parent.to_le_bytes());
        bytes[13..17].copy_from_slice(&self.branch.0.to_le_bytes());
        bytes[17..21].copy_from_slice(&self.branch.1.to_le_bytes());
        bytes
    }

    #[inline]
    pub(super) fn read(record: &[u8]) -> Origin {
        let four = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"));
        Origin {
            kind: match record[0] {
                0 => Kind::Direct,
                1 => Kind::Late,
                _ => Kind::Keyless,
            },
            depth: four(1),
            parent: u64::from_le_bytes(record[5..13].try_into().expect("eight bytes")),
            branch: (four(13), four(17)),
        }
    }

    /// Its place in the level. What is pushed without a key comes before a state with the same origin.
    pub(super) fn order(&self) -> (u64, u32, u32, bool) {
        (self.parent, self.branch.0, self.branch.1, self.kind != Kind::Keyless)
    }

    /// Of several offers of a state, the least counts.
    pub(super) fn rank(&self) -> (bool, (u64, u32, u32, bool)) {
        (self.kind == Kind::Late, self.order())
    }
}

pub(super) enum Level {
    Empty,
    /// All of it is in memory; so much was taken.
    Memory {
        table: Table,
        next: usize,
    },
    /// It is on disk, in parts that are in order.
    Parts(Merge),
}

pub(super) struct Merge {
    readers: Vec<Reader>,
    heap: BinaryHeap<Reverse<(Order, usize)>>,
}

type Order = (u64, u32, u32, bool);

impl Level {
    pub fn merge(mut readers: Vec<Reader>) -> io::Result<Level> {
        let mut heap = BinaryHeap::new();
        for (index, reader) in readers.iter_mut().enumerate() {
            if reader.advance()? {
                heap.push(Reverse((Origin::read(reader.record()).order(), index)));
            }
        }
        Ok(Level::Parts(Merge { readers, heap }))
    }

    /// Ends it; its table, if it has one, is to be used again.
    pub fn end(&mut self) -> Option<Table> {
        match std::mem::replace(self, Level::Empty) {
            Level::Memory { mut table, .. } => {
                table.clear();
                Some(table)
            }
            Level::Empty | Level::Parts(_) => None,
        }
    }

    pub fn pop(&mut self, vector: &mut Vec<u8>) -> io::Result<Option<Origin>> {
        let mut take = |record: &[u8]| {
            vector.clear();
            vector.extend_from_slice(&record[ORIGIN_BYTES..]);
            Ok(Some(Origin::read(record)))
        };
        match self {
            Level::Empty => Ok(None),
            Level::Memory { table, next } => {
                while let Some(entry) = table.entries.get(*next) {
                    *next += 1;
                    if entry.mark != Mark::Dropped {
                        return take(table.record(*next - 1));
                    }
                }
                Ok(None)
            }
            Level::Parts(Merge { readers, heap }) => {
                let Some(Reverse((_, index))) = heap.pop() else { return Ok(None) };
                let reader = &mut readers[index];
                let taken = take(reader.record());
                if reader.advance()? {
                    heap.push(Reverse((Origin::read(reader.record()).order(), index)));
                }
                taken
            }
        }
    }

    /// What is left of it, in order.
    pub fn try_for_each(&self, each: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match self {
            Level::Empty => Ok(()),
            Level::Memory { table, next } => (*next..table.entries.len())
                .filter(|number| table.entries[*number].mark != Mark::Dropped)
                .try_for_each(|number| each(table.record(number))),
            Level::Parts(Merge { readers, heap }) => {
                let (mut readers, mut heap) = (readers.clone(), heap.clone());
                while let Some(Reverse((_, index))) = heap.pop() {
                    let reader = &mut readers[index];
                    each(reader.record())?;
                    if reader.advance()? {
                        heap.push(Reverse((Origin::read(reader.record()).order(), index)));
                    }
                }
                Ok(())
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        match self {
            Level::Empty => 0,
            Level::Memory { table, .. } => table.heap_bytes(),
            Level::Parts(merge) => merge.readers.iter().map(Reader::heap_bytes).sum(),
        }
    }
}
