//! Can a property tell a word from one that repeats letters? Only where it cannot may a search leave out steps that
//! change nothing which the property sees.

mod by_negation;
mod by_shape;

pub use by_negation::{are_apart_up_to_stuttering, is_stutter_invariant};
