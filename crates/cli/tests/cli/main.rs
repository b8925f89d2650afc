//! Black-box tests of the `panoptes` command: what scripts rely on, and what people see.

mod argos;
mod before_search;
mod book;
mod check;
mod checkpoint;
mod cluster;
mod explain;
mod explore;
mod invariants;
mod json;
mod limits;
mod long_steps;
mod long_traces;
mod ltl;
mod many;
mod partial;
mod reach;
mod readme;
mod sandbox;
#[cfg(target_os = "linux")]
mod signals;
mod simulate;
mod stores;
mod temporal;
mod text;
mod threads;
mod traces;
mod usage;
mod warnings;
