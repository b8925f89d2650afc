//! Linear temporal logic: formulas, the automata that accept the same words, and what can be told of them.
//!
//! [`parse`] reads a formula, [`translate`] makes its automaton, and [`Lasso`] is the meaning of both by definition.
#![forbid(unsafe_code)]

mod automaton;
mod bdd;
mod budget;
mod degeneralise;
mod formula;
mod graph;
mod lasso;
mod lexer;
mod marks;
mod merge;
mod nnf;
mod obligation;
mod parser;
mod product;
mod prune;
mod rewrite;
mod scc;
mod simulation;
mod tableau;
mod translate;

pub use automaton::{Automaton, Cube, Edge, Marks, StateId};
pub use budget::{Budget, TooLarge};
pub use formula::{ATOMS_MAX, AtomId, Formula};
pub use lasso::{Lasso, Valuation};
pub use parser::{Atoms, parse};
pub use translate::{translate, translate_to_buchi};
