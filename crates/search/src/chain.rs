//! Chains of transient configurations that never end.
//!
//! A process that keeps control in a loop gives an endless chain of configurations that the store never sees. A chain
//! is given up when its last configuration occurred in it before: what follows was followed already from there. Looking
//! back costs the length of the chain, so beyond a short one it is done only at sixteen lengths in each doubling: that
//! keeps the cost of a long chain linear. It still ends: on an endless chain infinitely many configurations are looked
//! at, and there are only finitely many.
//!
//! Only configurations behind a step that closes a cycle (see `loops.rs`) are links of a chain.
//!
//! Configurations are compared by a fingerprint of 96 bits, taken over the hidden part of the vector too.

use crate::grow;
use panoptes_store::hash_seeded;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    low: u64,
    high: u32,
}

impl Fingerprint {
    pub fn of(vector: &[u8], control: u8) -> Fingerprint {
        let seed = u64::from(control) + 1;
        Fingerprint { low: hash_seeded(vector, seed), high: hash_seeded(vector, seed | 1 << 32) as u32 }
    }
}

/// Is a chain of this length looked back upon?
pub(crate) fn is_checkpoint(length: u32) -> bool {
    length <= 64 || length.is_multiple_of(1 << (length.ilog2() - 4))
}

/// A chain in a breadth-first frontier: a link knows the one before it. Many chains share their beginnings.
#[derive(Debug, Default)]
pub(crate) struct Links {
    links: Vec<Link>,
}

#[derive(Debug)]
struct Link {
    low: u64,
    high: u32,
    before: LinkId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkId(u32);

impl LinkId {
    /// Before the first link.
    pub const NONE: LinkId = LinkId(u32::MAX);

    pub fn number(self) -> u32 {
        self.0
    }

    pub fn of_number(number: u32) -> LinkId {
        LinkId(number)
    }
}

impl Links {
    /// Lengthens a chain; none if it has come back to itself. `length` counts the new link.
    pub fn extend(&mut self, before: LinkId, length: u32, fingerprint: Fingerprint) -> Option<LinkId> {
        if is_checkpoint(length) {
            let mut at = before;
            while let Some(link) = self.links.get(at.0 as usize) {
                if (link.low, link.high) == (fingerprint.low, fingerprint.high) {
                    return None;
                }
                at = link.before;
            }
        }
        let id = LinkId(u32::try_from(self.links.len()).expect("fewer than 2^32 links"));
        grow::push(&mut self.links, Link { low: fingerprint.low, high: fingerprint.high, before });
        Some(id)
    }

    /// Forgets all links: no chain is alive.
    pub fn clear(&mut self) {
        self.links.clear();
    }

    pub fn heap_bytes(&self) -> usize {
        self.links.capacity() * size_of::<Link>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_chains_are_looked_at_ever_less_often_but_always_again() {
        assert!((1..=64).all(is_checkpoint));
        for power in 6..30 {
            let count = if power > 16 {
                16
            } else {
                (1..=1 << power).filter(|n| is_checkpoint((1 << power) + n)).count()
            };
            assert_eq!(count, 16, "between 2^{power} and its double");
        }
    }

    #[test]
    fn a_chain_that_comes_back_is_given_up() {
        let mut links = Links::default();
        let mut at = LinkId::NONE;
        let mut length = 0;
        // A tail of 40 and then a loop of 100.
        loop {
            let position = if length < 40 { length } else { 40 + (length - 40) % 100 };
            length += 1;
            match links.extend(at, length, Fingerprint::of(&position.to_le_bytes(), 3)) {
                Some(next) => at = next,
                None => break,
            }
        }
        assert!((141..160).contains(&length), "{length}");
    }

    #[test]
    fn who_has_control_matters() {
        assert_ne!(Fingerprint::of(b"x", 1), Fingerprint::of(b"x", 2));
    }
}
