//! What the automaton of a temporal property asks about a state.

use panoptes_model::Expr;
use panoptes_source::Span;

/// A question that each state answers with yes or no.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The expression, on global places and what can be told of processes from outside, is not zero. Where it has no
    /// value, the place is named.
    Holds(Expr, Span),
    /// Some process stands at an `accept` label.
    Accepting,
}

/// No more conditions than this can be asked: the answers are bits of a number.
pub const CONDITIONS_MAX: usize = 64;
