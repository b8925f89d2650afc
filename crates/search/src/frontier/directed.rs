//! What the frontiers of directed searches have in common: states wait with an estimate, and come in the order of their merit.

use crate::parents::NodeId;
use panoptes_store::StateRef;

/// A state to expand, and how it was reached.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    pub state: StateRef,
    pub node: NodeId,
    /// How many steps lead there.
    pub depth: u32,
}

/// The same, and what is thought of it.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    /// The less, the sooner.
    pub merit: u64,
    /// About how many steps it is away from an error.
    pub estimate: u32,
    /// In a second frontier, if it waits there as well.
    pub second: Option<u64>,
    /// The estimate is its own, not that of the state before it.
    pub is_estimated: bool,
    /// It was reached by a step that is preferred.
    pub is_preferred: bool,
    /// It was put off once: that is not done again.
    pub is_put_off: bool,
    pub open: Open,
}

/// The states that wait (the *open list*).
pub(crate) trait OpenList {
    /// `keeps_vectors` if the visited set has all of a state's vector but its hidden part.
    fn new(hidden_bytes: usize, keeps_vectors: bool) -> Self;

    fn push(&mut self, waiting: Waiting, vector: &[u8]);

    /// Takes the next one, and into `vector` what the visited set does not have of it.
    fn pop(&mut self, vector: &mut Vec<u8>) -> Option<Waiting>;

    /// Were states left out?
    fn is_cut(&self) -> bool;

    fn heap_bytes(&self) -> usize;
}
