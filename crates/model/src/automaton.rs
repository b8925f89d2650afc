//! Automata over conditions, as they are given beside a model.

use crate::Expr;

/// A Büchi automaton. A run is accepted if it takes edges of each acceptance set again and again; without sets, every infinite
/// run is.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What labels speak of: bit `i` of a label is about condition `i`. There are at most 64.
    pub conditions: Vec<Expr>,
    /// The edges from each state; the first state is the initial one.
    pub states: Vec<Vec<AutomatonEdge>>,
    pub set_count: u32,
}

/// An edge that can be taken in states in which all conditions of `holds` hold and none of `fails`.
#[derive(Clone, Copy, Debug)]
pub struct AutomatonEdge {
    pub holds: u64,
    pub fails: u64,
    /// The acceptance sets it belongs to, as bits.
    pub sets: u64,
    pub to: u32,
}
