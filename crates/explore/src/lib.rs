//! A web page on loopback to walk through the states of a model: see its steps, take one, go back, evaluate an expression, run
//! a check and look at what it found.
//!
//! [`Explorer`] is one model that is explored; it answers questions ([`walk`], [`eval`], [`machines`], [`graph`], [`search`])
//! about walks that the asker describes, so that it holds no state of any page. [`Server`] puts it behind HTTP, for those
//! alone who know its address. What is asked and answered is described in `docs/explore.md`.
#![forbid(unsafe_code)]

mod answer;
mod connections;
mod eval;
mod explorer;
mod graph;
mod guard;
mod machines;
mod page;
mod search;
mod server;
mod text;
mod walk;

pub use answer::Refusal;
pub use explorer::{Explorer, Limits, Opened};
pub use graph::{Graph, GraphLimits, graph_dot};
pub use server::Server;
pub use text::ModelText;
