//! Levels of states: what is reached by the same number of indivisible sequences.

use super::{At, Entry, Frontier};
use crate::grow;
use crate::parents::NodeId;
use crate::saved::Saved;
use panoptes_store::{ImageReader, ImageWriter, StateRef, damaged};
use std::io;

pub(crate) struct Levels {
    form: Form,
    /// The level that is worked off, and how much of it is.
    level: Level,
    taken: usize,
    /// More of this level: what several workers left, or what was given back.
    more: Vec<Level>,
    next: Level,
    /// More of the next one.
    next_more: Vec<Level>,
}

/// Levels that are handed over.
#[derive(Default)]
pub(crate) struct Parts {
    /// Of the level at hand, and how many states at their beginning are done with.
    pub level: Vec<Level>,
    pub taken: usize,
    pub next: Vec<Level>,
}

/// What of a state's vector stands in a level.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    hidden_bytes: usize,
    /// The visited set has all but these.
    keeps_vectors: bool,
}

/// The states of one level, and what the visited set does not have of their vectors, end to end: the hidden parts or, if it
/// keeps no vectors, all.
#[derive(Default)]
pub(crate) struct Level {
    states: Vec<Item>,
    bytes: Vec<u8>,
    /// Where the bytes of each state end, if it is not the same length for all.
    ends: Vec<usize>,
}

struct Item {
    state: StateRef,
    node: NodeId,
    depth: u32,
}

impl Frontier for Levels {
    const BY_STEPS: bool = false;

    fn new(hidden_bytes: usize, keeps_vectors: bool) -> Levels {
        let form = Form { hidden_bytes, keeps_vectors };
        Levels::of_parts(form, Parts::default())
    }

    #[inline(always)]
    fn push(&mut self, entry: Entry, vector: &[u8]) {
        self.next.push(self.form, entry, vector);
    }

    fn next_level(&mut self) -> bool {
        self.level.clear();
        self.taken = 0;
        std::mem::swap(&mut self.level, &mut self.next);
        self.more = std::mem::take(&mut self.next_more);
        self.len() > 0
    }

    #[inline(always)]
    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Entry> {
        let entry = self.level.get(self.form, self.taken, vector);
        if entry.is_none() {
            return self.pop_of_more(vector);
        }
        self.taken += 1;
        entry
    }

    fn give_back(&mut self, entry: Entry, vector: &[u8]) {
        match self.taken.checked_sub(1) {
            Some(taken) => self.taken = taken,
            // It was of a part before this one.
            None => {
                let mut part = Level::default();
                part.push(self.form, entry, vector);
                self.more.push(part);
            }
        }
    }

    const HAS_IMAGE: bool = true;

    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        image.usize(1 + self.more.len())?;
        self.level.save(self.form, self.taken, image)?;
        self.more.iter().try_for_each(|part| part.save(self.form, 0, image))?;
        image.usize(1 + self.next_more.len())?;
        std::iter::once(&self.next).chain(&self.next_more).try_for_each(|part| part.save(self.form, 0, image))
    }

    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        self.more = image.list(|image| Level::load(self.form, image))?;
        self.next_more = image.list(|image| Level::load(self.form, image))?;
        // The first one is worked off first.
        self.more.reverse();
        self.level = self.more.pop().unwrap_or_default();
        if !self.next_more.is_empty() {
            self.next = self.next_more.remove(0);
        }
        Ok(())
    }

    fn for_each(&self, each: &mut dyn FnMut(StateRef)) {
        let rest = self.level.states[self.taken.min(self.level.len())..].iter();
        let parts = self.more.iter().chain([&self.next]).chain(&self.next_more);
        rest.chain(parts.flat_map(|part| &part.states)).for_each(|item| each(item.state));
    }

    fn heap_bytes(&self) -> usize {
        let more = self.more.iter().chain(&self.next_more).map(Level::heap_bytes).sum::<usize>();
        self.level.heap_bytes() + self.next.heap_bytes() + more
    }
}

impl Levels {
    /// Takes an entry of another part of the level.
    #[cold]
    fn pop_of_more(&mut self, vector: &mut Vec<u8>) -> Option<Entry> {
        loop {
            self.level = self.more.pop()?;
            self.taken = 0;
            if let Some(entry) = self.level.get(self.form, 0, vector) {
                self.taken = 1;
                return Some(entry);
            }
        }
    }

    /// How many states are left of the level.
    pub fn len(&self) -> usize {
        self.level.len() - self.taken.min(self.level.len()) + self.more.iter().map(Level::len).sum::<usize>()
    }

    /// Has nothing of the level been taken so far?
    pub fn is_at_start(&self) -> bool {
        self.taken == 0 && self.next.len() == 0 && self.next_more.is_empty()
    }

    pub fn of_parts(form: Form, parts: Parts) -> Levels {
        let Parts { level, taken, next } = parts;
        let mut levels = Levels {
            form,
            level: Level::default(),
            taken,
            more: level,
            next: Level::default(),
            next_more: next,
        };
        // What was taken is of the first part.
        if !levels.more.is_empty() {
            levels.level = levels.more.remove(0);
        }
        if let Some(part) = levels.next_more.pop() {
            levels.next = part;
        }
        levels
    }

    pub fn into_parts(self) -> (Form, Parts) {
        let Levels { form, level, taken, mut more, next, mut next_more } = self;
        more.insert(0, level);
        next_more.push(next);
        next_more.retain(|part| part.len() > 0);
        (form, Parts { level: more, taken, next: next_more })
    }
}

impl Level {
    pub fn len(&self) -> usize {
        self.states.len()
    }

    #[inline(always)]
    pub fn push(&mut self, form: Form, entry: Entry, vector: &[u8]) {
        let At::State(state) = entry.at else { unreachable!("chains are followed to their ends") };
        grow::push(&mut self.states, Item { state, node: entry.node, depth: entry.depth });
        if form.keeps_vectors {
            if form.hidden_bytes > 0 {
                grow::extend(&mut self.bytes, &vector[..form.hidden_bytes]);
            }
        } else {
            grow::extend(&mut self.bytes, vector);
            grow::push(&mut self.ends, self.bytes.len());
        }
    }

    /// The state with that number, and into `vector` what the visited set does not have of it.
    #[inline(always)]
    pub fn get(&self, form: Form, index: usize, vector: &mut Vec<u8>) -> Option<Entry> {
        let Item { state, node, depth } = *self.states.get(index)?;
        vector.clear();
        if !form.keeps_vectors {
            let start = if index == 0 { 0 } else { self.ends[index - 1] };
            vector.extend_from_slice(&self.bytes[start..self.ends[index]]);
        } else if form.hidden_bytes > 0 {
            vector.extend_from_slice(&self.bytes[index * form.hidden_bytes..][..form.hidden_bytes]);
        }
        Some(Entry { node, depth, at: At::State(state) })
    }

    /// All from the state with that number on.
    fn save(&self, form: Form, from: usize, image: &mut ImageWriter) -> io::Result<()> {
        let from = from.min(self.states.len());
        image.list(self.states[from..].iter(), |image, item| {
            item.state.save(image)?;
            item.node.save(image)?;
            item.depth.save(image)
        })?;
        let start = match from.checked_sub(1) {
            Some(last) if !form.keeps_vectors => self.ends[last],
            _ => from * form.hidden_bytes,
        };
        image.bytes(&self.bytes[start..])?;
        image.list(self.ends[from.min(self.ends.len())..].iter(), |image, end| image.usize(end - start))
    }

    fn load(form: Form, image: &mut ImageReader) -> io::Result<Level> {
        let states = image.list(|image| {
            let (state, node) = <(StateRef, NodeId)>::load(image)?;
            Ok(Item { state, node, depth: image.u32()? })
        })?;
        let (bytes, ends) = (image.bytes()?, Vec::<usize>::load(image)?);
        let (end, count) = match form.keeps_vectors {
            true => (states.len() * form.hidden_bytes, 0),
            false => (ends.last().copied().unwrap_or(0), states.len()),
        };
        if bytes.len() != end || ends.len() != count || !ends.is_sorted() {
            return Err(damaged("vectors of the frontier are missing"));
        }
        Ok(Level { states, bytes, ends })
    }

    pub fn clear(&mut self) {
        self.states.clear();
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn heap_bytes(&self) -> usize {
        self.states.capacity() * size_of::<Item>()
            + self.bytes.capacity()
            + self.ends.capacity() * size_of::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(state: u32) -> Entry {
        Entry { node: NodeId::ROOT, depth: 0, at: At::State(StateRef::made_up(state)) }
    }

    #[test]
    fn levels_tell_what_they_take() {
        let (mut references, mut vectors) = (Levels::new(0, true), Levels::new(0, false));
        for _ in 0..3000 {
            references.push(entry(0), &[0; 100]);
            vectors.push(entry(0), &[0; 100]);
        }
        let states = 3000 * size_of::<Item>();
        assert!((states..2 * states).contains(&references.heap_bytes()));
        let whole = states + 3000 * (100 + size_of::<usize>());
        assert!((whole..2 * whole).contains(&vectors.heap_bytes()));
    }

    #[test]
    fn a_level_gives_its_states_in_order_with_what_the_visited_set_does_not_have() {
        let taken = |keeps_vectors, bytes: [&[u8]; 2]| {
            let mut levels = Levels::new(1, keeps_vectors);
            levels.push(entry(4), &[4, 40]);
            levels.push(entry(5), &[5, 50, 51]);
            let mut vector = Vec::new();
            assert!(levels.pop(&mut vector).is_none(), "they are of the next level");
            assert!(levels.next_level());
            for (number, expected) in [4, 5].into_iter().zip(bytes) {
                let found = levels.pop(&mut vector).expect("an entry");
                assert!(matches!(found.at, At::State(state) if state == StateRef::made_up(number)));
                assert_eq!(vector, expected);
            }
            assert!(levels.pop(&mut vector).is_none() && !levels.next_level());
        };
        taken(true, [&[4], &[5]]);
        taken(false, [&[4, 40], &[5, 50, 51]]);
    }
}
