//! A growing set of small numbers.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitset {
    words: Vec<u64>,
}

impl Bitset {
    /// An empty set with room for the numbers below `len`.
    pub fn with_len(len: usize) -> Bitset {
        Bitset { words: vec![0; len.div_ceil(64)] }
    }

    #[inline]
    pub fn insert(&mut self, number: usize) {
        match self.words.get_mut(number / 64) {
            Some(word) => *word |= 1 << (number % 64),
            None => self.insert_beyond(number),
        }
    }

    #[cold]
    fn insert_beyond(&mut self, number: usize) {
        self.words.resize(number / 64 + 1, 0);
        self.insert(number);
    }

    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * 64).filter(|number| self.contains(*number))
    }

    /// The bits, for somebody who sets them by himself.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Adds all of `other`.
    pub fn union(&mut self, other: &Bitset) {
        other.iter().for_each(|number| self.insert(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let mut set = Bitset::with_len(10);
        for number in [3, 63, 64, 200] {
            set.insert(number);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 63, 64, 200]);
        assert_eq!(set.count(), 4);
        assert!(!set.contains(1000) && !set.contains(4));
    }
}
