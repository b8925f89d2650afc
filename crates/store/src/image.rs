//! Images: what a structure holds as a stream of bytes, to be read into an equal structure later.
//!
//! A stream is a row of blocks: a length, so many bytes, and a hash of these and of all blocks before. Nothing of a block is handed out before
//! its hash is found to be right, so whoever reads sees what was written, or an error. A block of length zero ends the stream.
//!
//! Tables are written page by page, and pages of zeros as one byte. Numbers are in the order of the machine's bytes, which
//! the first word of a stream tells.

use crate::{OutOfMemory, hash_seeded};
use std::io::{self, Read, Write};

/// A block has at most so many bytes. (Few in tests, so that there are many blocks.)
const BLOCK_BYTES: usize = if cfg!(test) { 1 << 10 } else { 1 << 18 };
/// Pages of tables that are all zero are left out.
const PAGE_BYTES: usize = 4096;
/// Room for vectors is taken as they are read, so much at a time.
const STEP_BYTES: usize = 1 << 20;
/// The first word: it reads differently where bytes have another order.
const FIRST_WORD: u64 = 0x0102_0304_0506_0708;

/// Writes an image.
pub struct ImageWriter {
    out: Box<dyn Write>,
    block: Vec<u8>,
    /// The hash of all blocks so far.
    chain: u64,
}

impl ImageWriter {
    pub fn new(out: Box<dyn Write>) -> io::Result<ImageWriter> {
        let mut writer = ImageWriter { out, block: Vec::with_capacity(BLOCK_BYTES), chain: 0 };
        writer.u64(FIRST_WORD)?;
        Ok(writer)
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == BLOCK_BYTES {
                self.end_block()?;
            }
        }
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        self.chain = hash_seeded(&self.block, self.chain);
        self.out.write_all(&(self.block.len() as u32).to_le_bytes())?;
        self.out.write_all(&self.block)?;
        self.out.write_all(&self.chain.to_le_bytes())?;
        self.block.clear();
        Ok(())
    }

    /// There is no more.
    pub fn finish(mut self) -> io::Result<()> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        self.end_block()?;
        self.out.flush()
    }

    pub fn bool(&mut self, value: bool) -> io::Result<()> {
        self.raw(&[value.into()])
    }

    pub fn u32(&mut self, value: u32) -> io::Result<()> {
        self.raw(&value.to_ne_bytes())
    }

    pub fn u64(&mut self, value: u64) -> io::Result<()> {
        self.raw(&value.to_ne_bytes())
    }

    pub fn usize(&mut self, value: usize) -> io::Result<()> {
        self.u64(value as u64)
    }

    pub fn f64(&mut self, value: f64) -> io::Result<()> {
        self.u64(value.to_bits())
    }

    /// Bytes with their number.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.usize(bytes.len())?;
        self.raw(bytes)
    }

    /// A list with its length, each item as `each` writes it.
    pub fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut each: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.usize(items.len())?;
        for item in items {
            each(self, item)?;
        }
        Ok(())
    }

    /// The bytes of a table whose length is known otherwise.
    pub(crate) fn table(&mut self, bytes: &[u8]) -> io::Result<()> {
        for page in bytes.chunks(PAGE_BYTES) {
            let is_kept = page.iter().any(|byte| *byte != 0);
            self.bool(is_kept)?;
            if is_kept {
                self.raw(page)?;
            }
        }
        Ok(())
    }
}

/// Reads an image.
pub struct ImageReader {
    input: Box<dyn Read + Send>,
    block: Vec<u8>,
    /// How much of the block was read.
    at: usize,
    chain: u64,
}

impl ImageReader {
    pub fn new(input: Box<dyn Read + Send>) -> io::Result<ImageReader> {
        let mut reader = ImageReader { input, block: Vec::new(), at: 0, chain: 0 };
        if reader.u64()? == FIRST_WORD {
            Ok(reader)
        } else {
            Err(damaged("it is of another kind of machine"))
        }
    }

    pub fn raw(&mut self, mut out: &mut [u8]) -> io::Result<()> {
        while !out.is_empty() {
            if self.at == self.block.len() && !self.next_block()? {
                return Err(damaged("it ends too early"));
            }
            let count = out.len().min(self.block.len() - self.at);
            let (now, later) = out.split_at_mut(count);
            now.copy_from_slice(&self.block[self.at..self.at + count]);
            self.at += count;
            out = later;
        }
        Ok(())
    }

    /// False if there is none.
    fn next_block(&mut self) -> io::Result<bool> {
        let (mut length, mut hash) = ([0; 4], [0; 8]);
        self.fill(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > BLOCK_BYTES {
            return Err(damaged("a length is wrong"));
        }
        self.at = 0;
        let mut block = std::mem::take(&mut self.block);
        block.resize(length, 0);
        self.fill(&mut block)?;
        self.block = block;
        self.fill(&mut hash)?;
        self.chain = hash_seeded(&self.block, self.chain);
        if self.chain != u64::from_le_bytes(hash) {
            return Err(damaged("its checksum is wrong"));
        }
        Ok(length > 0)
    }

    fn fill(&mut self, out: &mut [u8]) -> io::Result<()> {
        self.input.read_exact(out).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged("it ends too early"),
            _ => error,
        })
    }

    /// Fails unless all was read.
    pub fn finish(mut self) -> io::Result<()> {
        let is_rest = self.at < self.block.len() || self.next_block()?;
        if is_rest || self.input.read(&mut [0])? > 0 {
            return Err(damaged("it holds more than it should"));
        }
        Ok(())
    }

    pub fn bool(&mut self) -> io::Result<bool> {
        let mut byte = [0];
        self.raw(&mut byte)?;
        Ok(byte != [0])
    }

    pub fn u32(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.raw(&mut bytes)?;
        Ok(u32::from_ne_bytes(bytes))
    }

    pub fn u64(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.raw(&mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    pub fn usize(&mut self) -> io::Result<usize> {
        usize::try_from(self.u64()?).map_err(|_| damaged("a number is too large"))
    }

    pub fn f64(&mut self) -> io::Result<f64> {
        Ok(f64::from_bits(self.u64()?))
    }

    pub fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let (mut left, mut bytes) = (self.usize()?, Vec::new());
        while left > 0 {
            let (start, step) = (bytes.len(), left.min(STEP_BYTES));
            bytes.try_reserve_exact(step).map_err(|_| OutOfMemory)?;
            bytes.resize(start + step, 0);
            self.raw(&mut bytes[start..])?;
            left -= step;
        }
        Ok(bytes)
    }

    pub fn text(&mut self) -> io::Result<String> {
        String::from_utf8(self.bytes()?).map_err(|_| damaged("a text is none"))
    }

    pub fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> io::Result<T>) -> io::Result<Vec<T>> {
        let mut items = Vec::new();
        for _ in 0..self.usize()? {
            items.push(each(self)?);
        }
        Ok(items)
    }

    /// Into a table that is all zero.
    pub(crate) fn table(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        bytes.chunks_mut(PAGE_BYTES).try_for_each(|page| if self.bool()? { self.raw(page) } else { Ok(()) })
    }
}

/// What is read is not what was written.
pub fn damaged(how: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, how)
}

impl From<OutOfMemory> for io::Error {
    fn from(_: OutOfMemory) -> io::Error {
        io::ErrorKind::OutOfMemory.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Somebody else has the file, too.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written() -> Vec<u8> {
        let file = Shared::default();
        let mut writer = ImageWriter::new(Box::new(file.clone())).unwrap();
        writer.u32(7).unwrap();
        writer.f64(0.5).unwrap();
        writer.bytes(b"text").unwrap();
        writer.list([1u64, 2, 3].iter(), |writer, number| writer.u64(*number)).unwrap();
        let mut table = vec![0; 9999];
        (table[0], table[9000]) = (1, 2);
        writer.table(&table).unwrap();
        writer.finish().unwrap();
        let written = file.0.lock().unwrap();
        written.clone()
    }

    fn read(file: Vec<u8>) -> io::Result<()> {
        let mut reader = ImageReader::new(Box::new(io::Cursor::new(file)))?;
        let mut table = vec![0; 9999];
        let found = (reader.u32()?, reader.f64()?, reader.text()?, reader.list(ImageReader::u64)?);
        reader.table(&mut table)?;
        reader.finish()?;
        assert_eq!(found, (7, 0.5, "text".to_string(), vec![1, 2, 3]));
        assert!(
            (table[0], table[9000]) == (1, 2)
                && table.iter().map(|byte| usize::from(*byte)).sum::<usize>() == 3
        );
        Ok(())
    }

    #[test]
    fn what_was_written_is_read() {
        let file = written();
        assert!(file.len() < 9000, "zeros are left out");
        read(file).unwrap();
    }

    /// Whichever bit is wrong, and wherever the file ends: nothing wrong is handed out.
    #[test]
    fn damage_is_noticed() {
        let file = written();
        for bit in (0..file.len() * 8).step_by(13) {
            let mut file = file.clone();
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(read(file).is_err(), "bit {bit}");
        }
        for length in (0..file.len()).step_by(37) {
            assert!(read(file[..length].to_vec()).is_err(), "{length} bytes");
        }
        assert!(read([file, vec![0]].concat()).is_err());
    }
}
