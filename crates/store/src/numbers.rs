//! A number for each of some states, beside the store that holds them: a search gives numbers and takes them back.
//!
//! An open table with linear probing; twelve bytes a slot. What is taken back leaves no trace: the entries behind it move up.

use crate::StateRef;
use crate::pages::prefetch;

/// A state of the store, in two halves, and its number.
type Slot = [u32; 3];

/// No state has this number.
const FREE: u32 = u32::MAX;

const SLOTS_MIN: usize = 1 << 8;

#[derive(Debug, Default)]
pub struct StateNumbers {
    /// A power of two, or none yet.
    slots: Vec<Slot>,
    len: usize,
}

impl StateNumbers {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Asks the memory system for what [`Self::get`] will look at.
    #[inline]
    pub fn prefetch(&self, state: StateRef) {
        if !self.slots.is_empty() {
            prefetch(self.slots.as_ptr().wrapping_add(self.home(state)));
        }
    }

    #[inline]
    pub fn get(&self, state: StateRef) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slots[self.find(state)];
        (slot[2] != FREE).then_some(slot[2])
    }

    /// Gives a number to a state that has none.
    #[inline]
    pub fn insert(&mut self, state: StateRef, number: u32) {
        debug_assert!(number != FREE && self.get(state).is_none());
        if self.len * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let at = self.find(state);
        let [low, high] = halves(state);
        self.slots[at] = [low, high, number];
        self.len += 1;
    }

    /// Takes the number of a state back.
    #[inline]
    pub fn remove(&mut self, state: StateRef) {
        let mask = self.slots.len() - 1;
        let mut hole = self.find(state);
        debug_assert!(self.slots[hole][2] != FREE, "the state has a number");
        let mut next = (hole + 1) & mask;
        while self.slots[next][2] != FREE {
            // An entry may move up as far as the place where it is looked for first.
            let home = self.home(whole(self.slots[next]));
            if (next.wrapping_sub(home) & mask) >= (next.wrapping_sub(hole) & mask) {
                self.slots[hole] = self.slots[next];
                hole = next;
            }
            next = (next + 1) & mask;
        }
        self.slots[hole][2] = FREE;
        self.len -= 1;
    }

    /// What it takes, and is about to take when it grows.
    pub fn heap_bytes(&self) -> usize {
        let bytes = self.slots.capacity() * size_of::<Slot>();
        if self.len * 8 >= self.slots.len() * 5 { 3 * bytes } else { bytes }
    }

    /// Where the state is, or would be.
    #[inline]
    fn find(&self, state: StateRef) -> usize {
        let mask = self.slots.len() - 1;
        let [low, high] = halves(state);
        let mut at = self.home(state);
        loop {
            let slot = &self.slots[at];
            if slot[2] == FREE || (slot[0] == low && slot[1] == high) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    fn home(&self, state: StateRef) -> usize {
        let mixed = state.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The highest bits of a product depend on all bits of the state, lower ones only on those below them.
        (mixed >> (u64::BITS - self.slots.len().trailing_zeros())) as usize
    }

    #[cold]
    fn grow(&mut self) {
        let count = (self.slots.len() * 2).max(SLOTS_MIN);
        let old = std::mem::replace(&mut self.slots, vec![[0, 0, FREE]; count]);
        for slot in old.into_iter().filter(|slot| slot[2] != FREE) {
            let at = self.find(whole(slot));
            self.slots[at] = slot;
        }
    }
}

#[inline]
fn halves(state: StateRef) -> [u32; 2] {
    [state.bits() as u32, (state.bits() >> 32) as u32]
}

#[inline]
fn whole(slot: Slot) -> StateRef {
    StateRef(u64::from(slot[0]) | u64::from(slot[1]) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// As a map of the standard library has it, whatever is put in and taken out.
    #[test]
    fn numbers_come_and_go() {
        let (mut numbers, mut expected) = (StateNumbers::default(), HashMap::new());
        let mut random = 1u64;
        for turn in 0..60_000u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Many of them share their first place.
            let state = StateRef((random >> 40) % 3000 * 0x1_0000_1001);
            numbers.prefetch(state);
            assert_eq!(numbers.get(state), expected.get(&state).copied());
            if expected.remove(&state).is_some() {
                numbers.remove(state);
            } else {
                expected.insert(state, turn);
                numbers.insert(state, turn);
            }
            assert_eq!((numbers.len(), numbers.is_empty()), (expected.len(), expected.is_empty()));
        }
        assert!(expected.iter().all(|(state, number)| numbers.get(*state) == Some(*number)));
        assert!(numbers.heap_bytes() >= expected.len() * size_of::<Slot>());
    }
}
