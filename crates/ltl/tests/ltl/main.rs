//! Formulas and their automata. One program, so that it is linked once.

mod forms;
mod parser;
mod patterns;
mod stutter;
mod support;
mod translation;
