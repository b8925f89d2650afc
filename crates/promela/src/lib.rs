//! The Promela front end: preprocess, lex, parse, resolve, lower.
#![forbid(unsafe_code)]

pub mod ast;
mod lower;
mod parser;
pub mod preprocess;
mod resolve;
pub mod token;

pub use lower::{Lowered, lower, lower_merged};
pub use panoptes_preprocess::{FileLoader, Loader, MemoryLoader, PreprocessorOptions};

use panoptes_source::{Diagnostic, FileId, SourceMap};
use std::path::Path;

/// Stack to have at hand for one more level of nesting, and how much to add when it is not there.
const STACK_RED_ZONE: usize = 128 * 1024;
const STACK_GROWTH: usize = 1024 * 1024;

/// Runs `work` with enough stack for one more level of nesting.
fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK_RED_ZONE, STACK_GROWTH, work)
}

/// Reads a model: what could be understood of it, and everything that is wrong with it. `file` is the model's text,
/// already in `sources`; `path` is where it stands, for the sake of what it includes.
pub fn parse_file(
    sources: &mut SourceMap,
    file: FileId,
    path: &Path,
    options: &PreprocessorOptions,
    loader: &dyn Loader,
) -> (ast::Module, Vec<Diagnostic>) {
    let preprocessed = preprocess::preprocess(sources, file, path, options, loader);
    let mut diagnostics = preprocessed.diagnostics;
    Diagnostic::name_unnamed(&mut diagnostics, "preprocessor");
    if preprocessed.stopped {
        return (ast::Module::default(), diagnostics);
    }
    let (module, errors) = parser::parse(sources, preprocessed.tokens, preprocessed.appended, file);
    diagnostics.extend(errors);
    Diagnostic::name_unnamed(&mut diagnostics, "syntax");
    // In the order of the text, whoever found them.
    diagnostics.sort_by_key(|diagnostic| {
        let span = sources.user_span(diagnostic.span);
        (span.file, span.lo)
    });
    (module, diagnostics)
}

/// Reads a model that is one piece of text.
pub fn parse_str(text: &str) -> (SourceMap, ast::Module, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let file = sources.add_file("model.pml", text.to_string(), None);
    let (module, diagnostics) = parse_file(
        &mut sources,
        file,
        Path::new("model.pml"),
        &PreprocessorOptions::default(),
        &MemoryLoader::default(),
    );
    (sources, module, diagnostics)
}
