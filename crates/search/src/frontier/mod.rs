//! What a search has still to expand, in the order that makes the search what it is.
//!
//! - `stack.rs`: the last one found first, with the path to it (depth first);
//! - `levels.rs`: states, level by level (breadth first);
//! - `share.rs`: the same for one of several workers;
//! - `step_levels.rs`: the same with a level for every step, transient configurations included;
//! - `buckets.rs`: states by merit (A*, best-first and weighted search);
//! - `alternating.rs`: the same and those reached by preferred steps, in turn;
//! - `beam.rs`: levels of which the best states go on (beam search).

mod alternating;
mod beam;
mod buckets;
mod directed;
mod levels;
mod share;
pub(crate) mod stack;
mod step_levels;

pub(crate) use alternating::Alternating;
pub(crate) use beam::Beam;
pub(crate) use buckets::Buckets;
pub(crate) use directed::{Open, OpenList, Waiting};
pub(crate) use levels::{Form, Level, Levels, Parts};
pub(crate) use share::{Share, SharedLevel};
pub(crate) use step_levels::StepLevels;

use crate::chain::LinkId;
use crate::expander::Origin;
use crate::parents::NodeId;
use panoptes_store::{ImageReader, ImageWriter, StateRef};
use std::io;

/// Something to expand, and how it was reached.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub node: NodeId,
    /// How many steps lead there.
    pub depth: u32,
    pub at: At,
}

impl Entry {
    /// What is expanded, with its vector.
    #[inline]
    pub fn origin(self, vector: &[u8]) -> Origin<'_> {
        let control = match self.at {
            At::State(_) => None,
            At::Transient(chain) => Some(chain.control),
        };
        Origin { vector, control }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum At {
    State(StateRef),
    Transient(Chain),
}

/// Where a transient configuration stands: who has control, and the chain of those before it (its last link, its length).
#[derive(Clone, Copy)]
pub(crate) struct Chain {
    pub control: u8,
    pub link: LinkId,
    pub length: u32,
}

/// The frontier of a breadth-first search: one level is worked off while the next one grows.
pub(crate) trait Frontier {
    /// Are transient configurations entries of their own? Otherwise chains of them are followed to their ends.
    const BY_STEPS: bool;

    /// Is it one worker's share of levels that several work off?
    const IS_SHARED: bool = false;

    /// `keeps_vectors` if the visited set has all of a state's vector but its hidden part.
    fn new(hidden_bytes: usize, keeps_vectors: bool) -> Self;

    /// Adds to the next level.
    fn push(&mut self, entry: Entry, vector: &[u8]);

    /// Goes on to the next level; false if it is empty.
    fn next_level(&mut self) -> bool;

    /// Takes an entry of this level, and into `vector` what the visited set does not have of it.
    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Entry>;

    /// An entry that was taken and not finished is of this level again. Of several, the one that was taken last comes first.
    fn give_back(&mut self, entry: Entry, vector: &[u8]) {
        let _ = (entry, vector);
    }

    /// Can an image be made of it?
    const HAS_IMAGE: bool = false;

    fn save(&self, image: &mut ImageWriter) -> io::Result<()> {
        let _ = image;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Takes over what was saved, into a frontier that is empty.
    fn load(&mut self, image: &mut ImageReader) -> io::Result<()> {
        let _ = image;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// All states that wait.
    fn for_each(&self, each: &mut dyn FnMut(StateRef)) {
        let _ = each;
    }

    /// Lengthens the chain of a transient configuration; none if it has come back to itself.
    fn extend(&mut self, chain: Chain, vector: &[u8]) -> Option<Chain> {
        let _ = vector;
        Some(chain)
    }

    /// A process let a state go that is of this level: is it to be expanded now?
    fn claim(&mut self, state: StateRef, is_new: bool) -> bool {
        let _ = state;
        is_new
    }

    /// Is the search to end at once, because another worker says so?
    #[inline]
    fn is_halted(&self) -> bool {
        false
    }

    fn heap_bytes(&self) -> usize;
}
