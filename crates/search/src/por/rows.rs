//! Rows of words, equal ones kept once: each has a number.

use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Rows {
    /// All rows end to end; they have the same length.
    words: Vec<u64>,
    numbers: HashMap<Box<[u64]>, u32>,
    length: usize,
}

impl Rows {
    pub fn number(&mut self, row: &[u64]) -> u32 {
        if let Some(number) = self.numbers.get(row) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(row.into(), number);
        self.words.extend_from_slice(row);
        self.length = row.len();
        number
    }

    #[inline]
    pub fn row(&self, number: u32) -> &[u64] {
        &self.words[number as usize * self.length..][..self.length]
    }

    pub fn heap_bytes(&self) -> usize {
        (self.words.capacity() + self.words.len() + 4 * self.numbers.capacity()) * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_have_one_number() {
        let mut rows = Rows::default();
        let rows_given: [[u64; 2]; 4] = [[1, 2], [2, 1], [1, 2], [0, 0]];
        assert_eq!(rows_given.map(|row| rows.number(&row)), [0, 1, 0, 2]);
        assert_eq!([0, 1, 2].map(|number| rows.row(number).to_vec()), [[1, 2], [2, 1], [0, 0]]);
        assert!(rows.heap_bytes() >= 6 * 8);
    }
}
