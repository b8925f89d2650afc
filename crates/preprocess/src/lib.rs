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

use std::path::PathBuf;

/// What the command line says about the text of the model.
#[derive(Clone, Debug, Default)]
pub struct PreprocessorOptions {
    /// `-D NAME` and `-D NAME=VALUE`.
    pub defines: Vec<(String, Option<String>)>,
    /// `-I DIR`.
    pub include_dirs: Vec<PathBuf>,
    /// Texts that are read behind the model, with its macros, each by itself: a name for messages, and the text.
    pub appended: Vec<(String, String)>,
}
