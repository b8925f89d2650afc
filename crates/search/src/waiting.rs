//! The states that wait in the queue of a breadth-first search, for the proviso of the reduction.
//!
//! The table is a set-associative cache: a state belongs into one line of eight places, and a line that is full forgets one state when another
//! comes. A state that was forgotten counts as closed: then the proviso asks for more than it must, and more is searched than
//! needed, but nothing is lost. So each question is for one line, and removing a state leaves nothing to mend.

use crate::closed::spread;
use panoptes_store::StateRef;

/// References in a line of the processor's cache.
const WAYS: usize = 8;
const LINES_MIN: usize = 64;
/// In a place without a state. No state has it.
const VACANT: StateRef = StateRef::NONE;

#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// A power of two of them, or none.
    lines: Vec<Line>,
    /// States that are there.
    count: usize,
}

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Line([StateRef; WAYS]);

impl Waiting {
    #[inline]
    pub fn insert(&mut self, state: StateRef) {
        // Half full: few lines are.
        if self.count >= self.lines.len() * (WAYS / 2) {
            self.grow();
        }
        let home = home(state, self.lines.len());
        self.count += usize::from(self.lines[home].put(state));
    }

    #[inline]
    pub fn remove(&mut self, state: StateRef) {
        let home = home(state, self.lines.len());
        let Some(line) = self.lines.get_mut(home) else { return };
        if let Some(place) = line.places_of(state).first() {
            line.0[place] = VACANT;
            self.count -= 1;
        }
    }

    /// If it says so, the state waits.
    #[inline]
    pub fn contains(&self, state: StateRef) -> bool {
        let line = self.lines.get(home(state, self.lines.len()));
        state != VACANT && line.is_some_and(|line| line.places_of(state).first().is_some())
    }

    pub fn heap_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![Line([VACANT; WAYS]); (2 * self.lines.len()).max(LINES_MIN)];
        self.count = 0;
        for Line(states) in std::mem::replace(&mut self.lines, larger) {
            for state in states.into_iter().filter(|state| *state != VACANT) {
                let home = home(state, self.lines.len());
                self.count += usize::from(self.lines[home].put(state));
            }
        }
    }
}

impl Line {
    /// Without a branch for each place: memory would be waited for there.
    #[inline]
    fn places_of(&self, state: StateRef) -> Places {
        let bits = self.0.iter().enumerate().map(|(index, place)| u32::from(*place == state) << index);
        Places(bits.fold(0, |all, bit| all | bit))
    }

    /// False if there are no more states than before.
    #[inline]
    fn put(&mut self, state: StateRef) -> bool {
        debug_assert!(self.places_of(state).first().is_none());
        let vacant = self.places_of(VACANT).first();
        // Which one is forgotten is as good as chance.
        self.0[vacant.unwrap_or((spread(state.bits()) & (WAYS as u64 - 1)) as usize)] = state;
        vacant.is_some()
    }
}

/// Some places of a line, as bits.
struct Places(u32);

impl Places {
    #[inline]
    fn first(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }
}

/// The line of a state, of so many.
#[inline]
fn home(state: StateRef, lines: usize) -> usize {
    (spread(state.bits()) >> 32) as usize & lines.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_there_and_nothing_else() {
        let mut waiting = Waiting::default();
        assert!(!waiting.contains(StateRef::made_up(0)));
        waiting.remove(StateRef::made_up(0));
        let states: Vec<StateRef> = (0..10_000).map(|number| StateRef::made_up(number * 7)).collect();
        states.iter().for_each(|state| waiting.insert(*state));
        let kept = states.iter().filter(|state| waiting.contains(**state)).count();
        assert_eq!(kept, waiting.count);
        assert!(kept > 9_500, "few are forgotten: {kept}");
        assert!((10_000..80_001).all(|number| !waiting.contains(StateRef::made_up(number * 7 + 1))));
        for state in &states[..5_000] {
            waiting.remove(*state);
            assert!(!waiting.contains(*state));
        }
        assert!(states[5_000..].iter().filter(|state| waiting.contains(**state)).count() > 4_700);
        states[5_000..].iter().for_each(|state| waiting.remove(*state));
        assert_eq!(waiting.count, 0);
    }

    #[test]
    fn an_empty_place_is_no_state() {
        let mut waiting = Waiting::default();
        waiting.insert(StateRef::made_up(3));
        assert!(!waiting.contains(StateRef::NONE));
        waiting.remove(StateRef::made_up(3));
        assert!(!waiting.contains(StateRef::made_up(3)) && waiting.count == 0);
    }
}
