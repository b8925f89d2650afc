//! Search strategies over an executor and a store.
//!
//! One file a technique. All of them walk *configurations* (see `panoptes-exec`): those in which no process has control
//! are states, which are looked up in the store and counted; the others are transient, passed through on every path
//! that reaches them, neither stored nor counted.
#![forbid(unsafe_code)]

// Strategies.
mod bfs;
mod crew;
mod crew_dfs;
mod dfs;
mod directed;
mod disk;
mod escalate;
mod iddfs;
mod live;
mod owners;
mod portfolio;

// Roles.
mod expander;
mod findings;
mod frontier;
mod judge;
mod limits;
mod observer;
mod parents;
mod program;
mod tally;
mod totals;
mod visited;
mod watch;
mod worker;

// Techniques.
mod closed;
mod distances;
mod fold;
mod guide;
mod heuristic;
mod jobs;
mod loop_states;
mod omitted;
mod por;
mod queue_limit;
mod recurrence;
mod revisit;
mod rounds;
mod timeouts_last;
mod waiting;

// What they share.
mod bitset;
mod chain;
mod checkpoint;
mod conclude;
mod depth;
mod expansion;
mod grow;
mod labels;
mod loops;
mod names;
mod options;
mod outcome;
mod path;
mod saved;
mod stop;
mod trail;

#[cfg(test)]
mod mock;
#[cfg(test)]
mod tests;

pub use bfs::{bfs, bfs_by_steps};
pub use bitset::Bitset;
pub use crew::{Crew, Executors, bfs_by_crew};
pub use crew_dfs::dfs_by_crew;
pub use depth::auto_depth;
pub use dfs::dfs;
pub use directed::{Merit, directed};
pub use disk::bfs_on_disk;
pub use escalate::{Scope, Stage, escalate, with_queue_limit, within};
pub use fold::{Folding, UnknownPart};
pub use guide::{Guidance, StepOrder, has_timeouts};
pub use heuristic::{HeuristicChoice, HeuristicKind, PatternTable, Toward, Unfit};
pub use iddfs::iddfs;
pub use limits::grace;
pub use live::{
    Claim, ClaimEdge, ClaimState, CycleSearch, CycleTask, Fairness, Target, cycles, stuck, stuck_message,
};
pub use observer::Observer;
pub use options::{Checks, SearchOptions};
pub use outcome::{Estimates, Finding, FindingKind, Limit, Outcome, Reduction, Statistics};
pub use owners::{Letter, Owner, OwnerStatistics, Team, bfs_by_owners};
pub use path::Path;
pub use por::{Choice, Reducer, WhyNot, is_ever_changed};
pub use portfolio::{portfolio, portfolio_heuristics};
pub use queue_limit::QueueLimited;
pub use recurrence::{DepthRange, Recurrence};
