//! The Promela front end: preprocess, lex, parse, resolve, lower.
#![forbid(unsafe_code)]

pub mod ast;
mod lower;
mod resolve;

pub use lower::{Lowered, lower};
