//! Linear temporal logic: formulas, the automata that accept the same words, and what can be told of them.
//!
//! [`parse`] reads a formula, [`translate`] makes its automaton, and [`Lasso`] is the meaning of both by definition.
#![forbid(unsafe_code)]

mod automaton;
mod bdd;
mod budget;
mod classes;
mod degeneralise;
mod dot;
mod formula;
mod graph;
mod guard;
mod hoa;
mod lasso;
mod lexer;
mod marks;
mod merge;
mod never;
mod nnf;
mod obligation;
mod parser;
mod pattern;
mod product;
mod prune;
mod rewrite;
mod scc;
mod simulation;
mod stutter;
mod tableau;
mod translate;

pub use automaton::{Automaton, Cube, Edge, Marks, StateId};
pub use budget::{Budget, TooLarge};
pub use classes::{Classes, ComponentClass, Strength};
pub use formula::{ATOMS_MAX, AtomId, Formula};
pub use hoa::read_hoa;
pub use lasso::{Lasso, Valuation};
pub use parser::{Atoms, parse};
pub use pattern::{Behaviour, Pattern, Scope, parse_pattern};
pub use scc::{Components, components};
pub use stutter::{are_apart_up_to_stuttering, is_stutter_invariant};
pub use translate::{translate, translate_to_buchi};
