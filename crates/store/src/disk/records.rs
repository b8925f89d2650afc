//! Records one after the other, each behind its length; and how they are read from a part of a file.

use super::space::Scratch;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Appends a record that is made of parts.
#[inline]
pub(super) fn put(out: &mut Vec<u8>, parts: &[&[u8]]) {
    let mut length: usize = parts.iter().map(|part| part.len()).sum();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

/// The bytes that a record of that length takes at most.
pub(super) fn room(length: usize) -> usize {
    length + 5
}

/// Where the first record of the bytes is, if all of it is there.
#[inline]
pub(super) fn first(bytes: &[u8]) -> Option<Range<usize>> {
    let mut length = 0;
    for (index, byte) in bytes.iter().enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            let end = index + 1 + length;
            return (end <= bytes.len()).then_some(index + 1..end);
        }
    }
    None
}

/// Reads the records of a part of a file, in order.
#[derive(Clone)]
pub(super) struct Reader {
    file: Arc<Scratch>,
    /// What of the part was not read so far.
    left: Range<u64>,
    chunk_bytes: usize,
    buffer: Vec<u8>,
    /// Where in the buffer the record at hand stands.
    record: Range<usize>,
}

impl Reader {
    /// Reads so much at a time.
    pub fn new(file: Arc<Scratch>, part: Range<u64>, chunk_bytes: usize) -> Reader {
        Reader { file, left: part, chunk_bytes, buffer: Vec::new(), record: 0..0 }
    }

    /// Goes on to the next record; false if there is none.
    pub fn advance(&mut self) -> io::Result<bool> {
        loop {
            let start = self.record.end;
            if let Some(record) = first(&self.buffer[start..]) {
                self.record = start + record.start..start + record.end;
                return Ok(true);
            }
            if self.left.is_empty() {
                return Ok(false);
            }
            self.buffer.drain(..start);
            self.record = 0..0;
            let more = (self.left.end - self.left.start).min(self.chunk_bytes as u64) as usize;
            let have = self.buffer.len();
            self.buffer.reserve_exact(more);
            self.buffer.resize(have + more, 0);
            self.file.read_at(self.left.start, &mut self.buffer[have..])?;
            self.left.start += more as u64;
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// The record at hand.
    #[inline]
    pub fn record(&self) -> &[u8] {
        &self.buffer[self.record.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{DiskSpace, test_dir};

    #[test]
    fn records_are_read_as_they_were_written() {
        let dir = test_dir("records");
        let space = DiskSpace::open(&dir).expect("a directory");
        let mut file = space.file().expect("a file");
        let records: Vec<Vec<u8>> = (0..300).map(|i| vec![i as u8; i * i % 1000]).collect();
        let mut bytes = Vec::new();
        for record in &records {
            let (head, tail) = record.split_at(record.len() / 3);
            put(&mut bytes, &[head, tail]);
        }
        file.append(b"before").expect("room");
        file.append(&bytes).expect("room");
        file.append(b"after").expect("room");
        let file = Arc::new(file);
        for chunk_bytes in [1, 100, 1 << 20] {
            let mut reader = Reader::new(file.clone(), 6..6 + bytes.len() as u64, chunk_bytes);
            for record in &records {
                assert!(reader.advance().expect("a file") && reader.record() == record);
            }
            assert!(!reader.advance().expect("a file"));
        }
        std::fs::remove_dir(&dir).expect("it is empty");
    }
}
