//! Which state a full cache forgets: the five rules of the paper, none of which looks through the whole cache.
//!
//! The paper's first three rules go by how often a state was met. States met equally often are a *class*, a list in the order
//! in which they were left, so the class is chosen and its first state taken; the paper scanned all states. The fourth takes the
//! states in the order in which they were left: the paper's circular buffer, to which a state is added when the search is done with
//! it, so that the oldest is taken first. The fifth goes round the slots, for a state in the lower half of the tree; it looks at a thousand at most, and takes the deepest of them
//! if none is low enough.
//!
//! States on the path are in no class and are never taken.

use crate::Replacement;

const NONE: u32 = u32::MAX;
/// States met more often than this are one class.
const CLASSES: usize = 256;
/// States that one search for a deep one looks at.
const LOOKS_MAX: usize = 1000;

#[derive(Debug)]
pub(crate) struct Victims {
    replacement: Replacement,
    /// By slot.
    states: Vec<Visited>,
    /// By number of visits; only for the rules that go by them.
    classes: Vec<Class>,
    /// For the rule that goes round the slots.
    next: usize,
    /// How many states can be taken.
    count: usize,
    depth_max: u32,
}

#[derive(Clone, Copy, Debug)]
struct Visited {
    visits: u32,
    /// Where it was met last.
    depth: u32,
    can_be_taken: bool,
    /// Its neighbours in its class.
    before: u32,
    after: u32,
}

/// A list; the first is the one that was left first.
#[derive(Clone, Copy, Debug)]
struct Class {
    first: u32,
    last: u32,
    len: usize,
}

impl Victims {
    pub fn new(replacement: Replacement) -> Victims {
        let classes = vec![Class { first: NONE, last: NONE, len: 0 }; CLASSES];
        Victims { replacement, states: Vec::new(), classes, next: 0, count: 0, depth_max: 0 }
    }

    /// A new state is in the slot. It cannot be taken before the path has left it.
    pub fn add(&mut self, slot: u32) {
        let state = Visited { visits: 1, depth: 0, can_be_taken: false, before: NONE, after: NONE };
        match self.states.get_mut(slot as usize) {
            Some(place) => *place = state,
            None => self.states.push(state),
        }
    }

    pub fn met(&mut self, slot: u32, depth: u32) {
        let changes_class =
            self.states[slot as usize].can_be_taken && self.replacement != Replacement::RoundRobin;
        if changes_class {
            self.remove(slot);
        }
        let state = &mut self.states[slot as usize];
        state.visits = state.visits.saturating_add(1);
        state.depth = depth;
        if changes_class {
            self.append(slot);
        }
    }

    pub fn entered(&mut self, slot: u32, depth: u32) {
        if self.states[slot as usize].can_be_taken {
            self.remove(slot);
        }
        self.states[slot as usize].depth = depth;
        self.depth_max = self.depth_max.max(depth);
    }

    pub fn left(&mut self, slot: u32) {
        debug_assert!(!self.states[slot as usize].can_be_taken);
        self.append(slot);
    }

    /// Takes a state; none if all are on the path.
    pub fn choose(&mut self) -> Option<u32> {
        if self.count == 0 {
            return None;
        }
        let is_used = |class: &&Class| class.len > 0;
        let slot = match self.replacement {
            Replacement::MostVisited => self.classes.iter().rev().find(is_used)?.first,
            Replacement::LeastVisited => self.classes.iter().find(is_used)?.first,
            Replacement::LargestClass => self.classes.iter().max_by_key(|class| class.len)?.first,
            Replacement::RoundRobin => self.classes[0].first,
            Replacement::SmallestSubtree => self.go_round_for_depth(),
        };
        self.remove(slot);
        Some(slot)
    }

    fn go_round(&mut self) -> u32 {
        loop {
            let slot = self.next % self.states.len();
            self.next = slot + 1;
            if self.states[slot].can_be_taken {
                return slot as u32;
            }
        }
    }

    fn go_round_for_depth(&mut self) -> u32 {
        let mut deepest = self.go_round();
        for _ in 0..LOOKS_MAX.min(self.count) {
            if self.states[deepest as usize].depth >= self.depth_max.div_ceil(2) {
                break;
            }
            let other = self.go_round();
            if self.states[other as usize].depth > self.states[deepest as usize].depth {
                deepest = other;
            }
        }
        deepest
    }

    fn class_of(&self, slot: u32) -> usize {
        match self.replacement {
            Replacement::RoundRobin => 0,
            _ => (self.states[slot as usize].visits as usize).min(CLASSES - 1),
        }
    }

    fn append(&mut self, slot: u32) {
        let number = self.class_of(slot);
        let last = self.classes[number].last;
        match self.states.get_mut(last as usize) {
            Some(last) => last.after = slot,
            None => self.classes[number].first = slot,
        }
        self.classes[number].last = slot;
        self.classes[number].len += 1;
        self.count += 1;
        let state = &mut self.states[slot as usize];
        (state.before, state.after, state.can_be_taken) = (last, NONE, true);
    }

    fn remove(&mut self, slot: u32) {
        let number = self.class_of(slot);
        let Visited { before, after, .. } = self.states[slot as usize];
        match self.states.get_mut(before as usize) {
            Some(before) => before.after = after,
            None => self.classes[number].first = after,
        }
        match self.states.get_mut(after as usize) {
            Some(after) => after.before = before,
            None => self.classes[number].last = before,
        }
        self.classes[number].len -= 1;
        self.count -= 1;
        self.states[slot as usize].can_be_taken = false;
    }

    /// How many states can be taken.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn heap_bytes(&self) -> usize {
        self.states.len() * size_of::<Visited>()
    }
}
