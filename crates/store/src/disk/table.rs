//! Records in memory, in the order in which they came, and found by their keys.

use super::records;

/// A record holds its key at its end, from a fixed place on.
pub(super) struct Table {
    key_at: usize,
    /// The records, each behind its length.
    arena: Vec<u8>,
    pub entries: Vec<Entry>,
    /// Numbers of entries plus one, by hash. A power of two of them, or none.
    slots: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Of the key.
    pub hash: u64,
    at: u32,
    pub mark: Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// It is certainly new.
    New,
    /// It may be known.
    Suspect,
    /// It is known, or another one stands for it.
    Dropped,
    /// It has no key.
    Keyless,
}

const SLOTS_MIN: usize = 256;

impl Table {
    pub fn new(key_at: usize) -> Table {
        Table { key_at, arena: Vec::new(), entries: Vec::new(), slots: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Would one more record of that length keep within so many bytes? One always does.
    #[inline]
    pub fn has_room(&self, length: usize, bytes_max: usize) -> bool {
        let arena = self.arena.len() + records::room(length);
        let entries = self.entries.len() + 1;
        let slots = if entries * 4 > self.slots.len() * 3 { self.slots.len() * 3 } else { self.slots.len() };
        let bytes = arena + entries * size_of::<Entry>() + slots * 4;
        (bytes <= bytes_max && arena < u32::MAX as usize) || self.entries.is_empty()
    }

    #[inline]
    pub fn find(&self, hash: u64, key: &[u8]) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        loop {
            let number = self.slots[slot].checked_sub(1)? as usize;
            if self.entries[number].hash == hash && self.key(number) == key {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds a record whose key is not there.
    pub fn insert(&mut self, hash: u64, mark: Mark, parts: &[&[u8]]) {
        self.push(hash, mark, parts);
        if self.entries.len() * 4 > self.slots.len() * 3 {
            self.grow();
        } else {
            self.index(self.entries.len() - 1);
        }
    }

    /// Adds a record that is not to be found.
    pub fn push(&mut self, hash: u64, mark: Mark, parts: &[&[u8]]) {
        let length = parts.iter().map(|part| part.len()).sum();
        reserve(&mut self.arena, records::room(length));
        reserve(&mut self.entries, 1);
        let at = u32::try_from(self.arena.len()).expect("tables are smaller");
        records::put(&mut self.arena, parts);
        self.entries.push(Entry { hash, at, mark });
    }

    /// A record that was pushed last takes the place of another one with the same key, which is dropped.
    pub fn replace(&mut self, number: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = self.entries[number].hash as usize & mask;
        while self.slots[slot] != number as u32 + 1 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = self.entries.len() as u32;
        self.entries[number].mark = Mark::Dropped;
    }

    #[inline]
    pub fn record(&self, number: usize) -> &[u8] {
        let bytes = &self.arena[self.entries[number].at as usize..];
        &bytes[records::first(bytes).expect("a whole record")]
    }

    /// The record with its length before it.
    pub fn framed(&self, number: usize) -> &[u8] {
        let bytes = &self.arena[self.entries[number].at as usize..];
        &bytes[..records::first(bytes).expect("a whole record").end]
    }

    #[inline]
    pub fn key(&self, number: usize) -> &[u8] {
        &self.record(number)[self.key_at..]
    }

    /// Forgets all records and keeps the room.
    pub fn clear(&mut self) {
        if self.entries.len() < self.slots.len() / 16 {
            let mask = self.slots.len() - 1;
            for entry in &self.entries {
                // Whatever hash order the entries are in now, an entry's slot is in the stretch behind its hash.
                let mut slot = entry.hash as usize & mask;
                while self.slots[slot] != 0 {
                    self.slots[slot] = 0;
                    slot = (slot + 1) & mask;
                }
            }
        } else {
            self.slots.fill(0);
        }
        self.arena.clear();
        self.entries.clear();
    }

    /// Gives the room back if it is more than so much. There are no records.
    pub fn shrink(&mut self, bytes_max: usize) {
        debug_assert!(self.is_empty());
        if self.heap_bytes() > bytes_max + bytes_max / 4 {
            *self = Table::new(self.key_at);
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.arena.capacity() + self.entries.capacity() * size_of::<Entry>() + self.slots.capacity() * 4
    }

    fn grow(&mut self) {
        let count = (self.slots.len() * 2).max(SLOTS_MIN);
        self.slots = Vec::new();
        self.slots = vec![0; count];
        for number in 0..self.entries.len() {
            if !matches!(self.entries[number].mark, Mark::Dropped | Mark::Keyless) {
                self.index(number);
            }
        }
    }

    #[inline]
    fn index(&mut self, number: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = self.entries[number].hash as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = number as u32 + 1;
    }
}

/// Makes room by a quarter, not to the double: tables keep close to a bound of memory.
#[inline]
fn reserve<T>(vector: &mut Vec<T>, extra: usize) {
    if vector.capacity() - vector.len() < extra {
        vector.reserve_exact((vector.len() / 4 + 64).max(extra));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash_seeded;

    #[test]
    fn records_are_found_by_their_keys() {
        let mut table = Table::new(2);
        for round in 0..3 {
            let count = [1000u32, 10, 5000][round];
            for number in 0..count {
                let key = number.to_le_bytes();
                // Few hashes, so that keys share them.
                let hash = hash_seeded(&key, 0) & 0xff;
                assert_eq!(table.find(hash, &key), None);
                table.insert(hash, Mark::New, &[&[1, 2], &key]);
                assert_eq!(table.find(hash, &key), Some(number as usize));
            }
            for number in 0..count {
                let key = number.to_le_bytes();
                let found = table.find(hash_seeded(&key, 0) & 0xff, &key);
                assert_eq!((found, table.key(number as usize)), (Some(number as usize), &key[..]));
            }
            table.clear();
            assert!(table.is_empty() && table.find(5, &[1]).is_none());
        }
    }

    #[test]
    fn one_record_takes_the_place_of_another() {
        let mut table = Table::new(1);
        table.insert(7, Mark::New, &[&[1], b"key"]);
        table.insert(7, Mark::New, &[&[2], b"other"]);
        table.push(7, Mark::New, &[&[3], b"key"]);
        table.replace(0);
        assert_eq!(table.find(7, b"key").map(|number| table.record(number)[0]), Some(3));
        assert_eq!(table.entries[0].mark, Mark::Dropped);
    }
}
