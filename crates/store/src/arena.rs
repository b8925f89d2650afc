//! Byte vectors of varying length by number, appended only.
//!
//! They stand end to end in chunks of a fixed number of vectors. A vector's place follows from its number, its length
//! from its neighbour's end; the overhead is four bytes a vector, and growing never copies more than one chunk.

use crate::OutOfMemory;

const CHUNK_BITS: u32 = 12;
const CHUNK_LEN: usize = 1 << CHUNK_BITS;
/// So that the ends within a chunk fit 32 bits.
const VECTOR_BYTES_MAX: usize = (u32::MAX as usize >> CHUNK_BITS) - 1;

#[derive(Debug, Default)]
pub(crate) struct Arena {
    chunks: Vec<Chunk>,
    len: usize,
    heap_bytes: usize,
}

#[derive(Debug, Default)]
struct Chunk {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Arena {
    pub fn len(&self) -> usize {
        self.len
    }

    /// Everything this takes, slack included.
    pub fn heap_bytes(&self) -> usize {
        self.heap_bytes
    }

    #[inline]
    pub fn get(&self, index: usize) -> &[u8] {
        let chunk = &self.chunks[index >> CHUNK_BITS];
        let slot = index & (CHUNK_LEN - 1);
        let start = if slot == 0 { 0 } else { chunk.ends[slot - 1] };
        &chunk.bytes[start as usize..chunk.ends[slot] as usize]
    }

    /// Appends a vector, unless that would take more than `budget_bytes` for the arena.
    pub fn push(&mut self, vector: &[u8], budget_bytes: usize) -> Result<(), OutOfMemory> {
        assert!(vector.len() <= VECTOR_BYTES_MAX, "a state vector of {} bytes", vector.len());
        // A chunk may have been started for a vector that then did not fit.
        if self.chunks.len() << CHUNK_BITS == self.len {
            self.start_chunk(budget_bytes)?;
        }
        let allowed = budget_bytes.saturating_sub(self.heap_bytes);
        let chunk = self.chunks.last_mut().expect("a chunk was started");
        let grown = reserve(&mut chunk.bytes, vector.len(), allowed)?;
        self.heap_bytes += grown;
        self.heap_bytes += reserve(&mut chunk.ends, 1, allowed.saturating_sub(grown))?;
        chunk.bytes.extend_from_slice(vector);
        chunk.ends.push(chunk.bytes.len() as u32);
        self.len += 1;
        Ok(())
    }

    fn start_chunk(&mut self, budget_bytes: usize) -> Result<(), OutOfMemory> {
        if let Some(full) = self.chunks.last_mut() {
            let before = full.heap_bytes();
            full.bytes.shrink_to_fit();
            full.ends.shrink_to_fit();
            self.heap_bytes -= before - full.heap_bytes();
        }
        let allowed = budget_bytes.saturating_sub(self.heap_bytes);
        self.heap_bytes += reserve(&mut self.chunks, 1, allowed)?;
        self.chunks.push(Chunk::default());
        Ok(())
    }
}

impl Chunk {
    fn heap_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

/// Makes room for `extra` more items within `allowed` more bytes; returns by how many bytes the vector grew.
fn reserve<T>(vector: &mut Vec<T>, extra: usize, allowed: usize) -> Result<usize, OutOfMemory> {
    let before = vector.capacity();
    let needed = vector.len() + extra;
    if needed <= before {
        return Ok(0);
    }
    let fits = |capacity: usize| (capacity - before) * size_of::<T>() <= allowed;
    let capacity = [needed.max(before + before / 2).max(8), needed].into_iter().find(|c| fits(*c));
    let capacity = capacity.ok_or(OutOfMemory)?;
    vector.try_reserve_exact(capacity - vector.len()).map_err(|_| OutOfMemory)?;
    Ok((vector.capacity() - before) * size_of::<T>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_any_length_are_read_back() {
        let mut arena = Arena::default();
        let vector = |i: usize| vec![i as u8; i % 300];
        for i in 0..3 * CHUNK_LEN + 5 {
            arena.push(&vector(i), usize::MAX).unwrap();
        }
        assert_eq!(arena.len(), 3 * CHUNK_LEN + 5);
        for i in 0..arena.len() {
            assert_eq!(arena.get(i), vector(i));
        }
    }

    #[test]
    fn what_it_takes_is_what_it_says() {
        let mut arena = Arena::default();
        for i in 0..2 * CHUNK_LEN + 100 {
            arena.push(&[1; 10], usize::MAX).unwrap();
            if i % 97 == 0 {
                let chunks: usize = arena.chunks.iter().map(Chunk::heap_bytes).sum();
                assert_eq!(arena.heap_bytes(), chunks + arena.chunks.capacity() * size_of::<Chunk>());
            }
        }
    }

    #[test]
    fn a_vector_that_does_not_fit_leaves_the_chunk_for_the_next() {
        let mut arena = Arena::default();
        assert_eq!(arena.push(&[7; 4000], 1000), Err(OutOfMemory));
        assert_eq!(arena.push(&[1, 2, 3], 1000), Ok(()));
        assert_eq!(arena.get(0), [1, 2, 3]);
    }
}
