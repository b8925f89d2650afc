//! Liveness: cycles in the product of the system and the automaton of a property.
//!
//! A property is violated by an execution that the automaton of its negation accepts. An infinite execution of a finite system
//! ends in a cycle, so the search looks for a *lasso*: a path to a state and a cycle from there back to it, on which every
//! acceptance set of the automaton is met. Weak fairness is more of the same: one further set for each process, which holds the
//! steps in which it moves and those from states in which it cannot.

mod astar_dfs;
mod claim;
mod cycles;
mod degeneralise;
mod estimate;
mod home;
mod lasso;
mod marks;
mod ndfs;
mod needs;
mod parts;
mod product;
mod reach;
mod scc;
mod shortest;
mod streett;
mod stuck;
mod together;
mod tree;

pub use claim::{Claim, ClaimEdge, ClaimState, Target};
pub use cycles::{CycleSearch, CycleTask, cycles};
pub use stuck::{stuck, stuck_message};

/// Which infinite executions count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fairness {
    /// All of them.
    #[default]
    None,
    /// Those in which every process that can move from some point on without a break does move again and again.
    Weak,
    /// Those in which every process that can move again and again does move again and again.
    Strong,
}
