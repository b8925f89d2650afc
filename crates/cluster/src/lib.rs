//! A search by several processes or machines, as a dataflow on the crate `timely`.
//!
//! What an owner of states does is in `panoptes-search` (`owners/`). Here is how owners meet and how they reach each other:
//!
//! - `hosts.rs`: the file that names the processes;
//! - `hello.rs`: what two processes tell each other first, and how it differs;
//! - `meet.rs`: connections between all of them, with nobody else;
//! - `flow.rs`: the dataflow: letters go to their owners, with times that count levels;
//! - `team.rs`: the search, level by level, with a bound on what is under way;
//! - `pulse.rs`: signs of life beside the letters;
//! - `loss.rs`: what a process does when it loses another.
//!
//! See `docs/cluster.md`.
#![forbid(unsafe_code)]

mod flow;
mod hello;
mod hosts;
mod loss;
mod meet;
mod pulse;
mod team;

pub use hello::{Difference, Hello};
pub use hosts::{HostsError, read_hosts};
pub use loss::exit_when_a_peer_is_lost;
pub use meet::{MeetError, Meeting};
pub use pulse::Pulse;
pub use team::DataflowTeam;

/// More processes than this are refused: each has a connection to each other.
pub const PROCESSES_MAX: usize = 1024;
