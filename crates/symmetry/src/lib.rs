//! Symmetry reduction: which processes are interchangeable, and one state for all that differ only in their order.
//!
//! [`Symmetry::of`] looks at a model. [`Representing`] wraps an executor so that of states that differ by an exchange of such processes a
//! search sees one. [`lift()`] turns a path over these back into an execution.
#![forbid(unsafe_code)]

mod classes;
mod executor;
mod find;
mod keys;
mod lift;
mod liveness;
mod order;
mod parts;
mod ready;
mod shape;

pub use executor::{Representing, Switch};
pub use lift::{Lifted, lift};
pub use order::Canon;
pub use parts::{Symmetry, WhyNot};
