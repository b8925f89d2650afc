//! Which state a full cache forgets: the rules of the paper, none of which looks through the whole cache.
//!
//! The paper's first three rules go by how often a state was met. States met equally often are a *class*, a list in the order
//! in which they were left, so the class is chosen and its first state taken; the paper scanned all states.
//!
//! The fourth is blind: a pointer goes round a circle and takes whatever it points at. In the paper a new state gets the place of the
//! one that was taken, so the oldest is always next (`oldest-first`, a list again). A depth-first search that has forgotten a part
//! of its space walks through it in the order in which it did before, and so finds each state just forgotten that it comes to.
//! In `round-robin` a state joins the circle at the place that its hash tells, and who stands there goes behind the pointer; how long a
//! state stays is then a matter of chance.
//!
//! The fifth goes round the slots, for a state in the lower half of the tree; it looks at a thousand at most, and takes the deepest
//! of them if none is low enough.
//!
//! States on the path are in no class or circle and are never taken.

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
    /// By number of visits for the rules that go by them; one for the others.
    classes: Vec<Class>,
    /// In the place of classes for `round-robin`; a state knows its place.
    circle: Vec<u32>,
    /// Where in the circle, or among the slots, the next one is looked for.
    pointer: usize,
    /// How many states can be taken.
    count: usize,
    depth_max: u32,
}

#[derive(Clone, Copy, Debug)]
struct Visited {
    visits: u32,
    /// Where in the tree it was met last.
    depth: u32,
    standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It cannot be taken.
    OnPath,
    /// In its class, between these.
    InClass {
        before: u32,
        after: u32,
    },
    InCircle {
        place: u32,
    },
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
        let (states, circle) = (Vec::new(), Vec::new());
        Victims { replacement, states, classes, circle, pointer: 0, count: 0, depth_max: 0 }
    }

    /// A new state is in the slot. It cannot be taken before the path has left it.
    pub fn add(&mut self, slot: u32) {
        let state = Visited { visits: 1, depth: 0, standing: Standing::OnPath };
        match self.states.get_mut(slot as usize) {
            Some(place) => *place = state,
            None => self.states.push(state),
        }
    }

    pub fn met(&mut self, slot: u32, depth: u32) {
        let changes_class = self.goes_by_visits() && self.can_be_taken(slot);
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
        if self.can_be_taken(slot) {
            self.remove(slot);
        }
        self.states[slot as usize].depth = depth;
        self.depth_max = self.depth_max.max(depth);
    }

    pub fn left(&mut self, slot: u32, hash: u64) {
        debug_assert!(!self.can_be_taken(slot));
        match self.replacement {
            Replacement::RoundRobin => self.join(slot, hash),
            _ => self.append(slot),
        }
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
            Replacement::RoundRobin => self.next_of_circle(),
            Replacement::OldestFirst => self.classes[0].first,
            Replacement::SmallestSubtree => self.go_round_for_depth(),
        };
        self.remove(slot);
        Some(slot)
    }

    /// Goes on with a rule that has classes.
    pub fn change_rule(&mut self, replacement: Replacement) {
        debug_assert_ne!(replacement, Replacement::RoundRobin);
        debug_assert_eq!(self.replacement, Replacement::RoundRobin);
        self.replacement = replacement;
        for slot in std::mem::take(&mut self.circle) {
            self.count -= 1;
            self.append(slot);
        }
    }

    fn goes_by_visits(&self) -> bool {
        matches!(
            self.replacement,
            Replacement::MostVisited | Replacement::LeastVisited | Replacement::LargestClass
        )
    }

    fn can_be_taken(&self, slot: u32) -> bool {
        self.states[slot as usize].standing != Standing::OnPath
    }

    fn next_of_circle(&mut self) -> u32 {
        let place = if self.pointer < self.circle.len() { self.pointer } else { 0 };
        self.pointer = place + 1;
        self.circle[place]
    }

    fn go_round(&mut self) -> u32 {
        loop {
            let slot = self.pointer % self.states.len();
            self.pointer = slot + 1;
            if self.can_be_taken(slot as u32) {
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
        let visits = self.states[slot as usize].visits as usize;
        if self.goes_by_visits() { visits.min(CLASSES - 1) } else { 0 }
    }

    fn append(&mut self, slot: u32) {
        let number = self.class_of(slot);
        let last = self.classes[number].last;
        match self.states.get_mut(last as usize) {
            Some(Visited { standing: Standing::InClass { after, .. }, .. }) => *after = slot,
            _ => self.classes[number].first = slot,
        }
        self.classes[number].last = slot;
        self.classes[number].len += 1;
        self.count += 1;
        self.states[slot as usize].standing = Standing::InClass { before: last, after: NONE };
    }

    /// Puts a state into the circle, at a place that its hash tells. Who stands there goes to the end, and from there, when the next
    /// one is taken, to the place behind the pointer.
    fn join(&mut self, slot: u32, hash: u64) {
        let last = self.circle.len() as u32;
        let place = ((u128::from(hash) * u128::from(last + 1)) >> 64) as u32;
        self.circle.push(slot);
        self.circle.swap(place as usize, last as usize);
        self.note_place(last);
        self.note_place(place);
        self.count += 1;
    }

    fn note_place(&mut self, place: u32) {
        if let Some(slot) = self.circle.get(place as usize) {
            self.states[*slot as usize].standing = Standing::InCircle { place };
        }
    }

    fn remove(&mut self, slot: u32) {
        let standing = std::mem::replace(&mut self.states[slot as usize].standing, Standing::OnPath);
        match standing {
            Standing::OnPath => return,
            Standing::InCircle { place } => {
                self.circle.swap_remove(place as usize);
                self.note_place(place);
            }
            Standing::InClass { before, after } => self.unlink(self.class_of(slot), before, after),
        }
        self.count -= 1;
    }

    /// Joins the neighbours of a state that goes.
    fn unlink(&mut self, class: usize, before: u32, after: u32) {
        match self.states.get_mut(before as usize) {
            Some(Visited { standing: Standing::InClass { after: next, .. }, .. }) => *next = after,
            _ => self.classes[class].first = after,
        }
        match self.states.get_mut(after as usize) {
            Some(Visited { standing: Standing::InClass { before: next, .. }, .. }) => *next = before,
            _ => self.classes[class].last = before,
        }
        self.classes[class].len -= 1;
    }

    /// How many states can be taken.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn heap_bytes(&self) -> usize {
        self.states.len() * size_of::<Visited>() + self.circle.len() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path has left the states 0 to `count`, in this order.
    fn victims(replacement: Replacement, count: u32) -> Victims {
        let mut victims = Victims::new(replacement);
        for slot in 0..count {
            victims.add(slot);
            victims.entered(slot, 0);
            // The hash of the last place, so that the circle has the same order.
            victims.left(slot, u64::MAX);
        }
        victims
    }

    #[test]
    fn each_state_is_taken_once() {
        for replacement in Replacement::ALL {
            let mut victims = victims(replacement, 50);
            let mut taken: Vec<u32> = (0..50)
                .map(|taken| {
                    assert_eq!(victims.len(), 50 - taken);
                    victims.choose().expect("one that is left")
                })
                .collect();
            assert_eq!((victims.choose(), victims.len()), (None, 0));
            taken.sort_unstable();
            assert!(taken.into_iter().eq(0..50), "{replacement:?}");
        }
    }

    #[test]
    fn the_circle_is_gone_round() {
        let mut victims = victims(Replacement::RoundRobin, 4);
        // The last state takes the place of the one that goes, behind the pointer.
        let taken: Vec<Option<u32>> = (0..5).map(|_| victims.choose()).collect();
        assert_eq!(taken, [Some(0), Some(1), Some(3), Some(2), None]);
    }

    #[test]
    fn a_state_on_the_path_is_not_taken() {
        for replacement in Replacement::ALL {
            let mut victims = victims(replacement, 3);
            victims.entered(1, 5);
            let taken = [victims.choose(), victims.choose(), victims.choose()];
            assert!(taken[2].is_none() && !taken.contains(&Some(1)), "{replacement:?}");
        }
    }

    #[test]
    fn states_and_circle_take_memory() {
        for replacement in Replacement::ALL {
            let circle = if replacement == Replacement::RoundRobin { 1000 * size_of::<u32>() } else { 0 };
            let bytes = victims(replacement, 1000).heap_bytes();
            assert_eq!(bytes, 1000 * size_of::<Visited>() + circle, "{replacement:?}");
        }
    }

    #[test]
    fn another_rule_takes_over_all_states() {
        let mut victims = victims(Replacement::RoundRobin, 50);
        victims.change_rule(Replacement::LargestClass);
        assert_eq!((victims.len(), victims.heap_bytes()), (50, 50 * size_of::<Visited>()));
        // One that was met again is in another class, and is not the first to go.
        victims.met(0, 0);
        assert_eq!(victims.choose(), Some(1));
        let mut taken: Vec<u32> = std::iter::from_fn(|| victims.choose()).collect();
        taken.sort_unstable();
        assert!(taken.into_iter().eq((0..50).filter(|slot| *slot != 1)));
    }
}
