//! Search strategies over an executor and a store.
//!
//! One file a technique. All of them walk *configurations* (see `panoptes-exec`): those in which no process has control
//! are states, which are looked up in the store and counted; the others are transient, passed through on every path
//! that reaches them, neither stored nor counted.
#![forbid(unsafe_code)]

mod bfs;
mod bfs_steps;
mod dfs;
mod escalate;

mod context;
mod depth;
mod expansion;
mod fold;
mod guide;
mod por;
mod queue_limit;
mod recurrence;
mod timeouts_last;

mod names;
mod options;
mod outcome;
mod path;

mod bitset;
mod chain;
mod errors;
mod frontier;
mod governor;
mod grow;
mod labels;
mod loop_states;
mod loops;
mod lost;
mod nodes;
mod resident;
mod revisit;
mod stack;
mod step;

#[cfg(test)]
mod mock;
#[cfg(test)]
mod tests;

pub use bfs::bfs;
pub use bfs_steps::bfs_by_steps;
pub use bitset::Bitset;
pub use depth::auto_depth;
pub use dfs::dfs;
pub use escalate::{Scope, Stage, escalate, with_queue_limit, within};
pub use fold::{Folding, UnknownPart};
pub use governor::{Observer, grace};
pub use guide::{Guidance, StepOrder, has_timeouts};
pub use options::{Checks, Options};
pub use outcome::{ErrorKind, FoundError, Limit, Outcome, Reduction, Statistics};
pub use path::Path;
pub use por::{Choice, Reducer, WhyNot};
pub use queue_limit::QueueLimited;
pub use recurrence::{DepthRange, Recurrence};
