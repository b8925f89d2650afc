//! How each entry was reached, on disk: ten bytes for each, read back one by one.

use super::saved::{copy, paste};
use super::space::{DiskSpace, Scratch};
use crate::image::{ImageReader, ImageWriter};
use std::io;

const RECORD_BYTES: usize = 10;
/// So much stays in memory before it is written.
const BUFFER_BYTES: usize = if cfg!(test) { 30 } else { 6400 * RECORD_BYTES };

/// The parents of entries 1, 2, 3…; entry 0 has none.
pub struct ParentFile {
    space: DiskSpace,
    file: Option<Scratch>,
    buffer: Vec<u8>,
}

impl ParentFile {
    pub fn new(space: DiskSpace) -> ParentFile {
        ParentFile { space, file: None, buffer: Vec::new() }
    }

    /// Adds the next entry: its parent, less than 2^48, and the label of the branch.
    #[inline]
    pub fn push(&mut self, parent: u64, label: u32) -> io::Result<()> {
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        debug_assert!(parent < 1 << 48);
        self.buffer.extend_from_slice(&parent.to_le_bytes()[..6]);
        self.buffer.extend_from_slice(&label.to_le_bytes());
        Ok(())
    }

    #[cold]
    fn flush(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(self.space.file()?);
        }
        self.file.as_mut().expect("it is there now").append(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// The parent of an entry that was added, and the label.
    pub fn read(&self, entry: u64) -> io::Result<(u64, u32)> {
        let start = (entry - 1) * RECORD_BYTES as u64;
        let written = self.file.as_ref().map_or(0, Scratch::len);
        let mut record = [0; RECORD_BYTES];
        match start.checked_sub(written) {
            Some(at) => record.copy_from_slice(&self.buffer[at as usize..][..RECORD_BYTES]),
            None => self.file.as_ref().expect("it has bytes").read_at(start, &mut record)?,
        }
        let mut parent = [0; 8];
        parent[..6].copy_from_slice(&record[..6]);
        let label = u32::from_le_bytes(record[6..].try_into().expect("four bytes"));
        Ok((u64::from_le_bytes(parent), label))
    }

    pub fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        image.bool(self.file.is_some())?;
        if let Some(file) = &self.file {
            copy(file, 0..file.len(), image)?;
        }
        image.bytes(&self.buffer)
    }

    /// Takes over what was saved; nothing was added so far.
    pub fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        if image.bool()? {
            let mut file = self.space.file()?;
            paste(image, &mut file)?;
            self.file = Some(file);
        }
        self.buffer = image.bytes()?;
        Ok(())
    }

    pub fn heap_bytes(&self) -> usize {
        self.buffer.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::test_dir;

    #[test]
    fn parents_are_read_back() {
        let dir = test_dir("parents");
        let mut parents = ParentFile::new(DiskSpace::open(&dir).expect("a directory"));
        for entry in 1..100u64 {
            parents.push(entry << 38, entry as u32 * 7).expect("room");
            for other in [1, entry / 2 + 1, entry] {
                assert_eq!(parents.read(other).expect("a file"), (other << 38, other as u32 * 7));
            }
        }
        drop(parents);
        std::fs::remove_dir(&dir).expect("it is empty");
    }
}
