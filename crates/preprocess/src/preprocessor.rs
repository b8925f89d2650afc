//! The built-in preprocessor: the part of C's that models use, on tokens instead of text.
//!
//! Working on tokens lets every token carry the chain of macro uses that brought it in, so a message can point at the
//! model's own text and at the macro's body. The rest follows `gcc -E`, which SPIN calls: arguments are expanded before
//! they are substituted, the result is scanned again, and a macro is not expanded inside its own expansion (each token
//! has a *hide set*, the macros it came from, after D. Prosser's algorithm for C).

mod condition;
mod define;
mod directive;
mod expand;
mod hide;

use crate::lexer::lex_at_most;
use crate::loader::{Loader, SOURCE_BYTES_MAX};
use crate::token::{Name, Punct, Token};
use crate::{ExtraText, PreprocessorOptions, Role};
use define::Macro;
use hide::{HideSet, HideSets};
use panoptes_source::{Diagnostic, FileId, SourceMap, Span};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What the preprocessor made of a file.
pub struct Preprocessed {
    pub tokens: Vec<Token>,
    /// The tokens of each text that was appended.
    pub appended: Vec<Appended>,
    pub diagnostics: Vec<Diagnostic>,
    /// The text is incomplete: a limit was reached. Parsing it would only give errors that follow from the first.
    pub stopped: bool,
}

/// A text that is read behind the model.
#[derive(Clone, Debug)]
pub struct Appended {
    pub role: Role,
    pub file: FileId,
    /// The text that was read.
    pub span: Span,
    pub tokens: Vec<Token>,
}

/// The limits exist to end bombs with a message; no honest model comes near them.
const TOKENS_MAX: usize = 2_000_000;
/// Of the files as they are written.
const TOKENS_WRITTEN_MAX: usize = 2_000_000;
const INCLUDES_MAX: usize = 10_000;
const INCLUDE_DEPTH_MAX: usize = 200;

/// `predefined` is text with the macros that the language itself defines.
pub fn preprocess(
    sources: &mut SourceMap,
    file: FileId,
    path: &Path,
    options: &PreprocessorOptions,
    loader: &dyn Loader,
    predefined: &str,
) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        sources,
        options,
        loader,
        macros: FxHashMap::default(),
        hides: HideSets::default(),
        files: Vec::new(),
        diagnostics: Vec::new(),
        tokens_left: TOKENS_MAX,
        tokens_written_left: TOKENS_WRITTEN_MAX,
        bytes_left: SOURCE_BYTES_MAX,
        includes_left: INCLUDES_MAX,
        stopped: false,
        line_owed: false,
        line_after_use: false,
    };
    preprocessor.open(file, path.to_path_buf());
    let definitions =
        options.defines.iter().map(|(name, value)| definition(name, value.as_deref())).collect();
    preprocessor.open_text("<command line>", definitions);
    preprocessor.open_text("<predefined>", predefined.to_string());
    let tokens = preprocessor.run();
    let appended = options.appended.iter().map(|extra| preprocessor.append(extra)).collect();
    Preprocessed { tokens, appended, diagnostics: preprocessor.diagnostics, stopped: preprocessor.stopped }
}

/// `-D name`, `-D name=value` and `-D 'name(x)=value'` as a line of text.
fn definition(name: &str, value: Option<&str>) -> String {
    let one_line = |text: &str| text.replace(['\n', '\r'], " ");
    format!("#define {} {}\n", one_line(name), one_line(value.unwrap_or("1")))
}

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    options: &'a PreprocessorOptions,
    loader: &'a dyn Loader,
    macros: FxHashMap<Name, Rc<Macro>>,
    hides: HideSets,
    /// The file being read is the last; below it stand the files that include it.
    files: Vec<OpenFile>,
    diagnostics: Vec<Diagnostic>,
    tokens_left: usize,
    tokens_written_left: usize,
    bytes_left: usize,
    includes_left: usize,
    stopped: bool,
    /// A macro use began a line and left no token to say so: the next token begins it.
    line_owed: bool,
    /// The arguments of a macro use stand on several lines: the next token of the text begins a line.
    line_after_use: bool,
}

struct OpenFile {
    path: PathBuf,
    tokens: Vec<Token>,
    at: usize,
    conditions: Vec<Condition>,
}

/// One `#if` that is not closed yet.
struct Condition {
    directive: Span,
    /// This branch is read.
    active: bool,
    /// A branch was read already, or the whole group stands in text that is skipped.
    done: bool,
    /// `#else` was seen.
    last: bool,
}

/// A token on its way through expansion.
#[derive(Clone, Debug)]
struct Hidden {
    token: Token,
    hide: HideSet,
}

impl Preprocessor<'_> {
    fn run(&mut self) -> Vec<Token> {
        let mut output = Vec::new();
        let mut pending = Vec::new();
        while let Some(mut found) = self.next_expanded(&mut pending, true, 0) {
            found.token.new_line |= std::mem::take(&mut self.line_owed);
            output.push(found.token);
        }
        output
    }

    fn append(&mut self, extra: &ExtraText) -> Appended {
        let text = &extra.text;
        let file = self.sources.add_file(extra.name.clone(), text.clone(), None);
        let part = extra.part.clone().unwrap_or(0..text.len());
        // The rest is blank, so that every place is what it is in the whole text.
        let blank = |text: &str| " ".repeat(text.len());
        let read = blank(&text[..part.start]) + &text[part.clone()] + &blank(&text[part.end..]);
        let tokens = lex_at_most(file, &read, self.tokens_written_left);
        self.open_tokens(file, tokens, PathBuf::new());
        let trimmed = text[part.clone()].trim();
        let lo = part.start + (text[part.clone()].len() - text[part].trim_start().len());
        let span = Span { file, lo: lo as u32, hi: (lo + trimmed.len()) as u32, expansion: None };
        Appended { role: extra.role, file, span, tokens: self.run() }
    }

    fn open_text(&mut self, name: &str, text: String) {
        if !text.is_empty() {
            let file = self.sources.add_file(name, text, None);
            self.open(file, PathBuf::new());
        }
    }

    fn open(&mut self, file: FileId, path: PathBuf) {
        let tokens = lex_at_most(file, &self.sources.file(file).text, self.tokens_written_left);
        self.open_tokens(file, tokens, path);
    }

    /// The same for a file that is taken for these tokens; none if they are too many.
    fn open_tokens(&mut self, file: FileId, tokens: Option<Vec<Token>>, path: PathBuf) {
        let bytes = self.sources.file(file).text.len();
        let start = Span { file, lo: 0, hi: 0, expansion: None };
        match (self.bytes_left.checked_sub(bytes), &tokens) {
            (Some(left), Some(tokens)) => {
                self.bytes_left = left;
                self.tokens_written_left -= tokens.len();
            }
            (None, _) => {
                let message =
                    format!("the model and what it includes have more than {} MiB", SOURCE_BYTES_MAX >> 20);
                self.stop(Diagnostic::error(start, message));
            }
            (_, None) => {
                let message = format!(
                    "the model and what it includes have more than {TOKENS_WRITTEN_MAX} words and signs"
                );
                self.stop(Diagnostic::error(start, message));
            }
        }
        let tokens = tokens.unwrap_or_default();
        self.files.push(OpenFile { path, tokens, at: 0, conditions: Vec::new() });
    }

    /// The next token of the files as it is written; directives on the way are obeyed.
    fn next_written(&mut self) -> Option<Token> {
        while !self.stopped {
            let file = self.files.last_mut()?;
            let Some(token) = file.tokens.get(file.at) else {
                self.close_file();
                continue;
            };
            let skipping = file.conditions.last().is_some_and(|condition| !condition.active);
            if token.line_start && (token.is(Punct::Hash) || skipping) {
                let rest = &file.tokens[file.at + 1..];
                let length = 1 + rest.iter().position(|token| token.line_start).unwrap_or(rest.len());
                let line = file.tokens[file.at..file.at + length].to_vec();
                file.at += length;
                if line[0].is(Punct::Hash) {
                    self.directive(&line, skipping);
                }
                continue;
            }
            let token = token.clone();
            file.at += 1;
            return Some(token);
        }
        None
    }

    fn close_file(&mut self) {
        let file = self.files.pop().expect("a file is open");
        for condition in file.conditions {
            self.error(condition.directive, "this `#if` has no `#endif`");
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        diagnostic.add_to(&mut self.diagnostics);
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    /// Ends the preprocessing with a message: going on could take forever.
    fn stop(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.stopped = true;
            self.diagnostics.push(diagnostic);
        }
    }
}
