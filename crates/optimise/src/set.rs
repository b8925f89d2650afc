//! Small sets of numbers.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set {
    words: Vec<u64>,
}

impl Set {
    pub fn with_len(len: usize) -> Set {
        Set { words: vec![0; len.div_ceil(64)] }
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

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * 64).filter(|member| self.contains(*member))
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
    }
}
