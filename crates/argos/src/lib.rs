//! The Argos front end: lex, parse, resolve, lower.
//!
//! Argos is the guarded-command language of Holzmann's *Automated Protocol Validation in Argos* (TSE 1987) and *Tracing
//! Protocols* (AT&T Technical Journal 1985): processes that share nothing but channels, and correctness requirements in
//! the same notation. `docs/argos.md` is its manual.
#![forbid(unsafe_code)]

pub mod ast;
mod completeness;
mod flow;
mod given;
mod lexer;
mod lower;
mod machine;
mod monitor;
mod parser;
mod resolve;
mod token;

pub use lower::{EndStates, Lowered, Meaning, Timeouts, lower, lower_along};
pub use panoptes_preprocess::{Loader, MemoryLoader, PreprocessorOptions};

use panoptes_source::{Diagnostic, FileId, SourceMap};
use std::path::Path;

/// Reads a model: what could be understood of it, and everything that is wrong with it. `file` is the model's text,
/// already in `sources`; `path` is where it stands, for the sake of what it includes.
pub fn parse_file(
    sources: &mut SourceMap,
    file: FileId,
    path: &Path,
    options: &PreprocessorOptions,
    loader: &dyn Loader,
) -> (ast::Module, Vec<Diagnostic>) {
    let preprocessed = panoptes_preprocess::preprocess(sources, file, path, options, loader, "");
    let mut diagnostics = preprocessed.diagnostics;
    Diagnostic::name_unnamed(&mut diagnostics, "preprocessor");
    if preprocessed.stopped {
        return (ast::Module::default(), diagnostics);
    }
    let tokens = lexer::argos_tokens(preprocessed.tokens, &mut diagnostics);
    let (mut module, errors) = parser::parse(sources, tokens, file);
    module.given = preprocessed.appended;
    diagnostics.extend(errors);
    Diagnostic::name_unnamed(&mut diagnostics, "syntax");
    sort(sources, &mut diagnostics);
    (module, diagnostics)
}

/// Reads a model that is one piece of text.
pub fn parse_str(text: &str) -> (SourceMap, ast::Module, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let file = sources.add_file("model.argos", text.to_string(), None);
    let path = Path::new("model.argos");
    let (module, diagnostics) =
        parse_file(&mut sources, file, path, &PreprocessorOptions::default(), &MemoryLoader::default());
    (sources, module, diagnostics)
}

/// In the order of the text, whoever found them.
fn sort(sources: &SourceMap, diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| {
        let span = sources.user_span(diagnostic.span);
        (span.file, span.lo)
    });
}
