//! The front end from text to model. One program, so that it is linked once.

mod automata;
mod bombs;
mod common;
mod errors;
mod habits;
mod inline;
mod limits;
mod parse;
mod preprocess;
mod robust;
mod semantic_errors;
