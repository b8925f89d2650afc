//! Automata in the Hanoi omega-automata format (HOA), version 1: how other tools read and write them.

mod lexer;
mod read;
mod write;

pub use read::read_hoa;
