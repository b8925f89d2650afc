//! Small sets of numbers.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set {
    words: Vec<u64>,
}

impl Set {
    pub fn with_len(len: usize) -> Set {
        Set { words: vec![0; len.div_ceil(64)] }
    }

    /// All numbers below `len`, and perhaps some above.
    pub fn full(len: usize) -> Set {
        Set { words: vec![u64::MAX; len.div_ceil(64)] }
    }

    pub fn contains(&self, member: usize) -> bool {
        self.words[member / 64] & (1 << (member % 64)) != 0
    }

    pub fn insert(&mut self, member: usize) {
        self.words[member / 64] |= 1 << (member % 64);
    }

    pub fn remove(&mut self, member: usize) {
        self.words[member / 64] &= !(1 << (member % 64));
    }

    /// Adds all of `other`; true if that changed anything.
    pub fn unite(&mut self, other: &Set) -> bool {
        let mut changed = false;
        for (own, more) in self.words.iter_mut().zip(&other.words) {
            changed |= *more & !*own != 0;
            *own |= more;
        }
        changed
    }

    /// Adds what is in both `a` and `b`; true if that changed anything.
    pub fn unite_common(&mut self, a: &Set, b: &Set) -> bool {
        let mut changed = false;
        for (own, (a, b)) in self.words.iter_mut().zip(a.words.iter().zip(&b.words)) {
            changed |= a & b & !*own != 0;
            *own |= a & b;
        }
        changed
    }

    pub fn keep_common(&mut self, other: &Set) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own &= other);
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(64 * index + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_and_go() {
        let mut set = Set::with_len(130);
        set.insert(3);
        set.insert(129);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 129]);
        set.remove(3);
        assert!(!set.contains(3) && set.contains(129));
        let mut other = Set::with_len(130);
        assert!(other.unite(&set) && !other.unite(&set));
        assert_eq!(other, set);
        let mut third = Set::with_len(130);
        assert!(third.unite_common(&Set::full(130), &set) && !third.unite_common(&set, &set));
        assert_eq!(third, set);
    }
}
