//! A set on disk as an image, and back: the visited states, what is left of the level, and the candidates of the next one.
//!
//! Files have no names, so an image holds what is in them. What follows from the rest (hashes, the filter, where blocks begin) is
//! computed again, so a search may go on with more memory or less.

use super::level::{Level, ORIGIN_BYTES};
use super::records::{self, Reader};
use super::runs::RunWriter;
use super::space::Scratch;
use super::table::{Mark, Table};
use super::{Buffered, DiskError, DiskSet, READ_BYTES, Spilled};
use crate::hash;
use crate::image::{ImageReader, ImageWriter, damaged};
use std::io;
use std::ops::Range;
use std::sync::Arc;

impl DiskSet {
    pub fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        image.list(self.runs.files(), |image, file| copy(file, 0..file.len(), image))?;
        save_table(&self.recent, image)?;
        self.level.try_for_each(&mut |record| {
            image.bool(true)?;
            image.bytes(record)
        })?;
        image.bool(false)?;
        image.bool(self.spilled.is_some())?;
        if let Some(Spilled { file, parts, keyless }) = &self.spilled {
            image.list(parts.iter(), |image, part| copy(file, part.clone(), image))?;
            copy(keyless, 0..keyless.len(), image)?;
        }
        save_table(&self.candidates, image)?;
        image.u64(self.pending)
    }

    /// Takes over what was saved, into a set that is empty.
    pub fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        for _ in 0..image.usize()? {
            let mut run = RunWriter::new(&self.space)?;
            each_record(image, |key| {
                let key_hash = hash(key);
                self.filter.insert(key_hash);
                run.push(key_hash, key)
            })?;
            self.runs.push(run.finish()?);
        }
        while image.bool()? {
            let (_, key) = (image.bool()?, image.bytes()?);
            let key_hash = hash(&key);
            self.filter.insert(key_hash);
            if !self.recent.has_room(key.len(), self.budget.recent) {
                self.flush_recent()?;
            }
            self.recent.insert(key_hash, Mark::New, &[&key]);
        }
        self.load_level(image)?;
        if image.bool()? {
            let (mut file, mut keyless) = (self.space.file()?, self.space.file()?);
            let parts = image.list(|image| {
                let start = file.len();
                paste(image, &mut file)?;
                Ok(start..file.len())
            })?;
            paste(image, &mut keyless)?;
            self.spilled = Some(Spilled { file, parts, keyless });
        }
        while image.bool()? {
            let (is_keyless, record) = (image.bool()?, image.bytes()?);
            if record.len() < ORIGIN_BYTES + if is_keyless { 0 } else { self.hidden_bytes } {
                return Err(damaged("an entry is too short"));
            }
            if !self.candidates.has_room(record.len(), self.budget.candidates) {
                self.spill()?;
            }
            if is_keyless {
                self.candidates.push(0, Mark::Keyless, &[&record]);
                continue;
            }
            let key_hash = hash(&record[ORIGIN_BYTES + self.hidden_bytes..]);
            let mark = if self.filter.may_hold(key_hash) { Mark::Suspect } else { Mark::New };
            self.candidates.insert(key_hash, mark, &[&record]);
        }
        self.pending = image.u64()?;
        Ok(())
    }

    fn load_level(&mut self, image: &mut ImageReader) -> io::Result<()> {
        let mut ordered = self.space.file()?;
        let (mut out, mut framed) = (Buffered::new(&mut ordered), Vec::new());
        while image.bool()? {
            framed.clear();
            records::put(&mut framed, &[&image.bytes()?]);
            out.write(&framed)?;
        }
        out.flush()?;
        let whole = 0..ordered.len();
        self.level = Level::merge(vec![Reader::new(Arc::new(ordered), whole, READ_BYTES.end)])?;
        Ok(())
    }
}

/// All that is not dropped, in order.
fn save_table(table: &Table, image: &mut ImageWriter) -> io::Result<()> {
    for (number, entry) in table.entries.iter().enumerate() {
        if entry.mark != Mark::Dropped {
            image.bool(true)?;
            image.bool(entry.mark == Mark::Keyless)?;
            image.bytes(table.record(number))?;
        }
    }
    image.bool(false)
}

/// A part of a file, with its length.
pub(super) fn copy(file: &Scratch, part: Range<u64>, image: &mut ImageWriter) -> io::Result<()> {
    image.u64(part.end - part.start)?;
    let (mut at, mut bytes) = (part.start, vec![0; READ_BYTES.end]);
    while at < part.end {
        let count = (part.end - at).min(bytes.len() as u64) as usize;
        file.read_at(at, &mut bytes[..count])?;
        image.raw(&bytes[..count])?;
        at += count as u64;
    }
    Ok(())
}

/// Appends what [`copy`] wrote to a file.
pub(super) fn paste(image: &mut ImageReader, file: &mut Scratch) -> io::Result<()> {
    each_piece(image, |bytes| file.append(bytes))
}

fn each_piece(image: &mut ImageReader, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let (mut left, mut bytes) = (image.u64()?, vec![0; READ_BYTES.end]);
    while left > 0 {
        let count = left.min(bytes.len() as u64) as usize;
        image.raw(&mut bytes[..count])?;
        each(&bytes[..count])?;
        left -= count as u64;
    }
    Ok(())
}

/// The same, record by record.
fn each_record(image: &mut ImageReader, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut buffer = Vec::new();
    each_piece(image, |bytes| {
        buffer.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(range) = records::first(&buffer[at..]) {
            each(&buffer[at + range.start..at + range.end])?;
            at += range.end;
        }
        buffer.drain(..at);
        Ok(())
    })?;
    if buffer.is_empty() { Ok(()) } else { Err(damaged("a record is cut off")) }
}

impl From<DiskError> for io::Error {
    fn from(error: DiskError) -> io::Error {
        match error {
            DiskError::Io(error) => error,
            DiskError::Halted => io::ErrorKind::Interrupted.into(),
        }
    }
}
