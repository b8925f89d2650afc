//! The numbers of the last vector of two or three chunks, which most models have.
//!
//! The same tree as in [`crate::shape`], written out: the first two chunks are parts of their own, and the third part is the
//! length with the number of the third chunk, if there is one.

use crate::intern::Value;
use crate::shape::{CHUNK_BYTES, Level, PARTS, Tuple, chunk};

#[derive(Debug, Default)]
pub(crate) struct Short {
    /// What was numbered last: two chunks, and the length with the third chunk.
    parts: [Value; 2],
    third: Value,
    length: u64,
    roots: Tuple,
    /// The numbers belong to the parts.
    is_valid: bool,
}

impl Short {
    /// Is a vector of that many chunks short, but not so short that it has one part only?
    pub fn is_short(chunks: usize) -> bool {
        chunks == 2 || chunks == PARTS
    }

    /// The numbers of the parts; `number` numbers what changed.
    #[inline(always)]
    pub fn roots<E>(
        &mut self,
        key: &[u8],
        mut number: impl FnMut(Level, Value) -> Result<u32, E>,
    ) -> Result<Tuple, E> {
        debug_assert!(Short::is_short(key.len().div_ceil(CHUNK_BYTES)));
        // Until all numbers are there again.
        let was_valid = std::mem::replace(&mut self.is_valid, false);
        for part in 0..2 {
            let value = chunk(key, part);
            if value != self.parts[part] || !was_valid {
                self.parts[part] = value;
                self.roots[part] = number(Level::part(part), value)?;
            }
        }
        let has_third = key.len() > 2 * CHUNK_BYTES;
        let third = if has_third { chunk(key, 2) } else { [0; 2] };
        let length = key.len() as u64;
        if third != self.third || length != self.length || !was_valid {
            (self.third, self.length) = (third, length);
            let child = if has_third { number(Level::INNER, third)? } else { 0 };
            self.roots[2] = number(Level::part(2), [length | u64::from(child) << 32, 0])?;
        }
        self.is_valid = true;
        Ok(self.roots)
    }
}
