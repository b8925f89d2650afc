//! What all languages of models share: tokens, the lexer, and the built-in preprocessor.
#![forbid(unsafe_code)]

mod lexer;
mod loader;
mod preprocessor;
mod token;

pub use lexer::{lex, trouble, unescape_string};
pub use loader::{FileLoader, Loader, MemoryLoader, SOURCE_BYTES_MAX, read_source};
pub use preprocessor::{Appended, Preprocessed, preprocess};
pub use token::{Name, NoWord, Punct, Token, TokenKind, Word};

use std::ops::Range;
use std::path::PathBuf;

/// What the command line says about the text of the model.
#[derive(Clone, Debug, Default)]
pub struct PreprocessorOptions {
    /// `-D NAME` and `-D NAME=VALUE`.
    pub defines: Vec<(String, Option<String>)>,
    /// `-I DIR`.
    pub include_dirs: Vec<PathBuf>,
    /// Texts that are read behind the model, with its macros, each by itself.
    pub appended: Vec<ExtraText>,
}

/// A text that stands beside the model.
#[derive(Clone, Debug)]
pub struct ExtraText {
    pub role: Role,
    /// What messages call it.
    pub name: String,
    pub text: String,
    /// The bytes that are read; all of them if none are named.
    pub part: Option<Range<usize>>,
}

/// What a text beside the model says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What must hold in every state.
    Invariant,
    /// What is to become true in some state.
    Reach,
    /// A temporal formula.
    Formula,
    /// A condition that something else speaks of.
    Atom,
    /// A part of what leads a directed search.
    Estimate,
}
