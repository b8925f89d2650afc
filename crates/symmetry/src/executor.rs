//! An executor that shows, in place of each state, the one that stands for it. Searches and stores need not know.

use crate::{Canon, Symmetry};
use panoptes_exec::{Chains, Executor, Successors, Wrapper};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// If no state of so many was out of order, none is looked at any more.
const TRIES_MAX: u32 = 20_000;

const OPEN: u8 = 0;
const ON: u8 = 1;
const OFF: u8 = 2;

/// Whether states are put in order, for all workers of a search. It is open until the first state is moved, or until so many were seen
/// in order that it does not seem worth it: either way, what was computed before is what would be computed now.
#[derive(Debug, Default)]
pub struct Switch {
    state: AtomicU8,
    moved: AtomicU64,
}

impl Switch {
    /// How many states were replaced by others.
    pub fn moved(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    /// Were states replaced at all?
    pub fn is_on(&self) -> bool {
        self.state.load(Ordering::SeqCst) == ON
    }

    fn is_off(&self) -> bool {
        self.state.load(Ordering::Relaxed) == OFF
    }

    /// All of it, as a number.
    fn save(&self) -> u64 {
        self.moved() << 2 | u64::from(self.state.load(Ordering::SeqCst))
    }

    fn load(&self, saved: u64) {
        self.state.store(saved as u8 & 3, Ordering::SeqCst);
        self.moved.store(saved >> 2, Ordering::Relaxed);
    }

    /// Goes from open to that, unless somebody else was first. Is it that now?
    fn settle(&self, to: u8) -> bool {
        match self.state.compare_exchange(OPEN, to, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => true,
            Err(now) => now == to,
        }
    }
}

pub struct Representing<'e> {
    inner: &'e mut dyn Executor,
    canon: Canon<'e>,
    switch: &'e Switch,
    tries: u32,
    saved: Vec<u8>,
}

impl<'e> Representing<'e> {
    pub fn new(inner: &'e mut dyn Executor, symmetry: &'e Symmetry, switch: &'e Switch) -> Representing<'e> {
        Representing { inner, canon: Canon::new(symmetry), switch, tries: 0, saved: Vec::new() }
    }

    #[inline]
    fn represent(&mut self, vector: &mut [u8]) {
        if self.switch.is_on() {
            if self.canon.represent(vector) {
                self.switch.moved.fetch_add(1, Ordering::Relaxed);
            }
        } else {
            self.try_out(vector);
        }
    }

    #[cold]
    fn try_out(&mut self, vector: &mut [u8]) {
        self.saved.clear();
        self.saved.extend_from_slice(vector);
        if self.canon.represent(vector) {
            match self.switch.settle(ON) {
                true => {
                    self.switch.moved.fetch_add(1, Ordering::Relaxed);
                }
                false => vector.copy_from_slice(&self.saved),
            }
            return;
        }
        self.tries += 1;
        if self.tries == TRIES_MAX {
            self.switch.settle(OFF);
        }
    }
}

impl Wrapper for Representing<'_> {
    fn inner(&self) -> &dyn Executor {
        self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Executor {
        self.inner
    }

    fn successors(&mut self, state: &[u8], control: Option<u8>, out: &mut Successors) {
        self.inner.successors(state, control, out);
        if self.switch.is_off() {
            return;
        }
        for index in 0..out.items.len() {
            let item = out.items[index];
            if item.is_state() {
                let (start, len) = (item.start as usize, item.bytes as usize);
                self.represent(&mut out.slots(start + len)[start..start + len]);
            }
        }
    }

    fn follow(&mut self, out: &mut Successors, chains: &mut Chains<'_>) -> bool {
        if !self.inner.follow(out, chains) {
            return false;
        }
        if self.switch.is_off() {
            return true;
        }
        for index in 0..out.ends.len() {
            let end = out.ends[index];
            // A process that has control but cannot go on is left as it is, here and wherever chains are followed step by step. What one
            // step leads to is in order, and its lookup may have begun.
            if !end.lets_go && end.steps > 1 {
                let (start, len) = (end.start as usize, end.bytes as usize);
                self.represent(&mut out.slots(start + len)[start..start + len]);
            }
        }
        true
    }

    fn settled(&self) -> u64 {
        self.switch.save()
    }

    fn settle(&mut self, settled: u64) {
        self.switch.load(settled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_read_as_it_was_written() {
        for (state, moved) in [(OPEN, 0), (ON, 1 << 40), (OFF, 0)] {
            let (one, other) = (Switch::default(), Switch::default());
            one.moved.store(moved, Ordering::Relaxed);
            assert!(state == OPEN || one.settle(state));
            other.load(one.save());
            assert_eq!((other.moved(), other.is_on(), other.is_off()), (moved, state == ON, state == OFF));
        }
    }
}
