//! Visited keys on disk: files in which the keys stand in the order of their hashes.
//!
//! A file is read front to back in blocks. Where each block begins, and with which hash, is kept in memory, so that blocks in which
//! no key is looked for are passed over. Several files become one when the newer ones together are no longer much smaller than the older
//! one: a key is written again a few times, and there are never many files.

use super::records::{self, Reader};
use super::space::{DiskSpace, Scratch};
use super::table::{Mark, Table};
use super::{DiskError, Look};
use crate::hash;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;

/// Bytes of a block, or a little more.
const BLOCK_BYTES: usize = if cfg!(test) { 256 } else { 64 << 10 };

/// An older file has so many times the bytes of the newer ones together, or they become one.
const RATIO: u64 = 3;

/// Keys between two looks at the limits.
const LOOK_EVERY: u32 = 1 << 14;

/// Keys in the order of their hashes.
pub(super) struct Run {
    file: Arc<Scratch>,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy)]
struct Block {
    /// The hash of its first key.
    hash: u64,
    start: u64,
}

pub(super) struct RunWriter {
    file: Scratch,
    blocks: Vec<Block>,
    buffer: Vec<u8>,
}

/// All that is visited and on disk.
#[derive(Default)]
pub(super) struct Runs {
    /// The oldest and largest first.
    runs: Vec<Run>,
}

impl RunWriter {
    pub fn new(space: &DiskSpace) -> io::Result<RunWriter> {
        Ok(RunWriter { file: space.file()?, blocks: Vec::new(), buffer: Vec::new() })
    }

    /// Adds a key; hashes must not fall.
    pub fn push(&mut self, hash: u64, key: &[u8]) -> io::Result<()> {
        if self.buffer.len() >= BLOCK_BYTES {
            self.flush()?;
        }
        if self.buffer.is_empty() {
            self.blocks.push(Block { hash, start: self.file.len() });
        }
        records::put(&mut self.buffer, &[key]);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.append(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<Run> {
        self.flush()?;
        self.blocks.shrink_to_fit();
        Ok(Run { file: Arc::new(self.file), blocks: self.blocks })
    }
}

impl Run {
    /// Drops those of the suspects that are here. They are numbers of entries, in the order of their hashes.
    fn drop_known(&self, table: &mut Table, suspects: &[u32], look: &mut Look<'_>) -> Result<(), DiskError> {
        let hash_of = |table: &Table, at: usize| table.entries[suspects[at] as usize].hash;
        let (mut next, mut bytes) = (0, Vec::new());
        for (index, block) in self.blocks.iter().enumerate() {
            while next < suspects.len() && hash_of(table, next) < block.hash {
                next += 1;
            }
            if next == suspects.len() {
                break;
            }
            let after = self.blocks.get(index + 1);
            if after.is_some_and(|after| after.hash < hash_of(table, next)) {
                continue;
            }
            if index.is_multiple_of(16) {
                look()?;
            }
            let end = after.map_or(self.file.len(), |after| after.start);
            bytes.resize((end - block.start) as usize, 0);
            self.file.read_at(block.start, &mut bytes)?;
            let mut rest = &bytes[..];
            while let Some(range) = records::first(rest) {
                let (key, end) = (&rest[range.clone()], range.end);
                let key_hash = hash(key);
                while next < suspects.len() && hash_of(table, next) < key_hash {
                    next += 1;
                }
                let mut at = next;
                while at < suspects.len() && hash_of(table, at) == key_hash {
                    let number = suspects[at] as usize;
                    if table.key(number) == key {
                        table.entries[number].mark = Mark::Dropped;
                    }
                    at += 1;
                }
                rest = &rest[end..];
            }
        }
        Ok(())
    }

    fn reader(&self) -> Reader {
        Reader::new(self.file.clone(), 0..self.file.len(), BLOCK_BYTES)
    }
}

impl Runs {
    pub fn bytes(&self) -> u64 {
        self.runs.iter().map(|run| run.file.len()).sum()
    }

    pub fn heap_bytes(&self) -> usize {
        self.runs.iter().map(|run| run.blocks.capacity() * size_of::<Block>()).sum()
    }

    /// Adds a file of keys that no other has.
    pub fn push(&mut self, run: Run) {
        if !run.blocks.is_empty() {
            self.runs.push(run);
        }
    }

    /// The files, the oldest first.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &Scratch> {
        self.runs.iter().map(|run| &*run.file)
    }

    /// Merges the newer ones where they are no longer much smaller than an older one.
    pub fn tidy(&mut self, space: &DiskSpace, look: &mut Look<'_>) -> Result<(), DiskError> {
        let mut newer = 0;
        let mut first = self.runs.len();
        for (index, run) in self.runs.iter().enumerate().rev() {
            if run.file.len() < RATIO * newer {
                first = index;
            }
            newer += run.file.len();
        }
        if first < self.runs.len() {
            let merged = merge(&self.runs[first..], space, look)?;
            self.runs.truncate(first);
            self.runs.push(merged);
        }
        Ok(())
    }

    /// Drops those of the suspects that are visited.
    pub fn drop_known(
        &self,
        table: &mut Table,
        suspects: &[u32],
        look: &mut Look<'_>,
    ) -> Result<(), DiskError> {
        self.runs.iter().try_for_each(|run| run.drop_known(table, suspects, look))
    }
}

fn merge(runs: &[Run], space: &DiskSpace, look: &mut Look<'_>) -> Result<Run, DiskError> {
    let mut readers: Vec<Reader> = runs.iter().map(Run::reader).collect();
    let mut heap = BinaryHeap::new();
    for (index, reader) in readers.iter_mut().enumerate() {
        if reader.advance()? {
            heap.push(Reverse((hash(reader.record()), index)));
        }
    }
    let mut writer = RunWriter::new(space)?;
    let mut until_look = 0;
    while let Some(Reverse((key_hash, index))) = heap.pop() {
        if until_look == 0 {
            until_look = LOOK_EVERY;
            look()?;
        }
        until_look -= 1;
        let reader = &mut readers[index];
        writer.push(key_hash, reader.record())?;
        if reader.advance()? {
            heap.push(Reverse((hash(reader.record()), index)));
        }
    }
    Ok(writer.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::test_dir;
    use std::collections::BTreeSet;

    #[test]
    fn what_was_added_is_dropped_and_nothing_else() {
        let dir = test_dir("runs");
        let space = DiskSpace::open(&dir).expect("a directory");
        let mut runs = Runs::default();
        let mut added = BTreeSet::new();
        let mut look = || Ok(());
        for round in 0..40u32 {
            let mut keys: Vec<[u8; 4]> = (0..50).map(|i| (i * 40 + round).to_le_bytes()).collect();
            keys.sort_by_key(|key| hash(key));
            let mut writer = RunWriter::new(&space).expect("a file");
            keys.iter().for_each(|key| writer.push(hash(key), key).expect("room"));
            runs.push(writer.finish().expect("room"));
            runs.tidy(&space, &mut look).expect("room");
            added.extend(keys);
            assert!(runs.runs.len() < 8, "{}", runs.runs.len());
            let mut table = Table::new(0);
            for number in 0..2500u32 {
                let key = number.to_le_bytes();
                table.insert(hash(&key), Mark::Suspect, &[&key]);
            }
            let mut suspects: Vec<u32> = (0..2500).step_by(1 + round as usize % 3).collect();
            suspects.sort_by_key(|number| table.entries[*number as usize].hash);
            runs.drop_known(&mut table, &suspects, &mut look).expect("readable");
            for number in 0..2500usize {
                let is_dropped = table.entries[number].mark == Mark::Dropped;
                let is_known = added.contains(table.key(number)) && suspects.contains(&(number as u32));
                assert_eq!(is_dropped, is_known, "{number} after {round}");
            }
        }
        drop(runs);
        std::fs::remove_dir(&dir).expect("it is empty");
    }
}
