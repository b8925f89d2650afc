//! The binary tree over the words of a vector, and the numbers of the last vector that had this tree.
//!
//! A vector is cut into *words* of eight bytes; what is left over, up to four bytes, and the length make the *tail*.
//! The first half of the words is the left tree, the second half together with the tail the right one:
//!
//! ```text
//!              pair of roots
//!        left                  right
//!   words 0 … half      tail       words half … count
//! ```
//!
//! The right root has the tail as its first child whatever the length, so a vector can be read back from the roots
//! alone. Vectors of equal word count have the same tree; those of different lengths differ in the tail.
//!
//! A successor differs from the vector before it in few words, so the tree remembers words and numbers of the last
//! vector and asks for new numbers only on the ways from changed words to the roots.

/// The words of a vector of that many bytes, without the tail.
pub(crate) fn word_count(bytes: usize) -> usize {
    (bytes + 3) / 8
}

/// How many of the words the left tree has.
pub(crate) fn left_count(words: usize) -> usize {
    words.div_ceil(2)
}

/// Where a tree over at least two words is split.
pub(crate) fn split(words: usize) -> usize {
    words.div_ceil(2)
}

/// Which table numbers a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Inner,
    Left,
    Right,
}

#[derive(Debug)]
pub(crate) struct Shape {
    words: usize,
    /// The words, the tail, then inner nodes, children before parents.
    nodes: Vec<Node>,
    /// The words and the tail of the last vector.
    last: Vec<u64>,
    numbers: Vec<u32>,
    /// The nodes to be numbered anew, one bit each.
    changed: Vec<u64>,
    /// The numbers belong to the words.
    is_valid: bool,
    left: Option<usize>,
    right: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    level: Level,
    children: [u32; 2],
    parent: u32,
}

const NONE: u32 = u32::MAX;

impl Shape {
    pub fn new(words: usize) -> Shape {
        let leaf = Node { level: Level::Inner, children: [NONE; 2], parent: NONE };
        let mut nodes = vec![leaf; words + 1];
        let half = left_count(words);
        let left = (half > 0).then(|| build(&mut nodes, 0, half));
        let rest = (half < words).then(|| build(&mut nodes, half, words));
        if let Some(left) = left {
            nodes[left].level = Level::Left;
        }
        let right = join(&mut nodes, words, rest);
        nodes[right].level = Level::Right;
        let count = nodes.len();
        Shape {
            words,
            nodes,
            last: vec![0; words + 1],
            numbers: vec![0; count],
            changed: vec![0; count.div_ceil(64)],
            is_valid: false,
            left,
            right,
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + (self.last.capacity() + self.changed.capacity()) * size_of::<u64>()
            + self.numbers.capacity() * size_of::<u32>()
    }

    /// The numbers of the roots; `number` numbers what changed.
    #[inline]
    pub fn roots<E>(
        &mut self,
        key: &[u8],
        mut number: impl FnMut(Level, u64) -> Result<u32, E>,
    ) -> Result<[u32; 2], E> {
        debug_assert_eq!(word_count(key.len()), self.words);
        self.compare(key);
        self.is_valid = false;
        for block in 0..self.changed.len() {
            while self.changed[block] != 0 {
                let at = block * 64 + self.changed[block].trailing_zeros() as usize;
                self.changed[block] &= self.changed[block] - 1;
                let node = self.nodes[at];
                let value = if at < self.last.len() {
                    self.last[at]
                } else {
                    let [first, second] = node.children;
                    let second = if second == NONE { 0 } else { self.numbers[second as usize] };
                    u64::from(self.numbers[first as usize]) | u64::from(second) << 32
                };
                self.numbers[at] = number(node.level, value)?;
                if node.parent != NONE {
                    self.changed[node.parent as usize / 64] |= 1 << (node.parent % 64);
                }
            }
        }
        self.is_valid = true;
        Ok([self.left.map_or(0, |left| self.numbers[left]), self.numbers[self.right]])
    }

    /// Takes the words over and marks those that differ.
    #[inline]
    fn compare(&mut self, key: &[u8]) {
        if !self.is_valid {
            // After a failure anything may be marked.
            self.changed.fill(0);
            for at in 0..self.last.len() {
                self.changed[at / 64] |= 1 << (at % 64);
            }
        }
        let (words, rest) = key.as_chunks::<8>();
        let (mut mark, mut block) = (0u64, 0);
        for (at, (word, last)) in words.iter().zip(&mut self.last).enumerate() {
            let word = u64::from_le_bytes(*word);
            mark |= u64::from(word != *last) << (at % 64);
            *last = word;
            if at % 64 == 63 {
                self.changed[block] |= mark;
                (mark, block) = (0, block + 1);
            }
        }
        self.changed[block] |= mark;
        let mut padded = [0; 8];
        padded[..rest.len()].copy_from_slice(rest);
        let mut rest = u64::from_le_bytes(padded);
        if words.len() < self.words {
            self.set(words.len(), rest);
            rest = 0;
        }
        self.set(self.words, rest | (key.len() as u64) << 32);
    }

    #[inline]
    fn set(&mut self, at: usize, word: u64) {
        self.changed[at / 64] |= u64::from(self.last[at] != word) << (at % 64);
        self.last[at] = word;
    }
}

/// The node over the words of a range, which is not empty.
fn build(nodes: &mut Vec<Node>, start: usize, end: usize) -> usize {
    if end - start == 1 {
        return start;
    }
    let middle = start + split(end - start);
    let first = build(nodes, start, middle);
    let second = build(nodes, middle, end);
    join(nodes, first, Some(second))
}

fn join(nodes: &mut Vec<Node>, first: usize, second: Option<usize>) -> usize {
    let parent = nodes.len();
    nodes[first].parent = parent as u32;
    if let Some(second) = second {
        nodes[second].parent = parent as u32;
    }
    let children = [first as u32, second.map_or(NONE, |second| second as u32)];
    nodes.push(Node { level: Level::Inner, children, parent: NONE });
    parent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ways_from_changed_words_are_numbered() {
        let mut shape = Shape::new(8);
        let mut asked = 0;
        let mut count = |shape: &mut Shape, key: &[u8]| {
            let before = asked;
            shape
                .roots(key, |_, value| {
                    asked += 1;
                    Ok::<u32, ()>(value as u32)
                })
                .unwrap();
            asked - before
        };
        let mut key = vec![1; 64];
        // Eight words, the tail, three nodes in each half, and the right root with the tail.
        assert_eq!(count(&mut shape, &key), 8 + 1 + 3 + 3 + 1);
        assert_eq!(count(&mut shape, &key), 0);
        key[0] = 2;
        assert_eq!(count(&mut shape, &key), 3);
        key[63] = 2;
        assert_eq!(count(&mut shape, &key), 4);
        key.push(0);
        assert_eq!(count(&mut shape, &key), 2);
    }

    #[test]
    fn a_failure_does_not_stay() {
        let mut shape = Shape::new(2);
        let number = |_: Level, value: u64| Ok::<u32, ()>(value as u32 & 0xff);
        let expected = shape.roots(&[5; 17], number).unwrap();
        for failing in 0..5 {
            let mut calls = 0;
            let _ = shape.roots(&[failing + 9; 17], |_, value| {
                calls += 1;
                if calls > failing { Err(()) } else { Ok(value as u32) }
            });
            assert_eq!(shape.roots(&[5; 17], number), Ok(expected));
        }
    }

    #[test]
    fn many_words_have_marks_in_several_blocks() {
        for words in [0, 1, 2, 63, 64, 65, 200] {
            let mut shape = Shape::new(words);
            let mut key = vec![0; words * 8];
            let number = |shape: &mut Shape, key: &[u8]| {
                shape.roots(key, |_, value| Ok::<u32, ()>(crate::hash(&value.to_le_bytes()) as u32)).unwrap()
            };
            let mut seen = std::collections::HashSet::from([number(&mut shape, &key)]);
            for at in 0..key.len() {
                key[at] = 1;
                assert!(seen.insert(number(&mut shape, &key)), "{words} words, byte {at}");
                key[at] = 0;
            }
            assert!(!seen.insert(number(&mut shape, &key)));
        }
    }
}
