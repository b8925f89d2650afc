//! Files and the places in them. A span names bytes of one file; when those bytes were brought in by a macro or an
//! inline, the span also names that expansion, so that a diagnostic can show the whole chain back to the user's text.

use std::num::NonZeroU32;

/// One file (or `-D` text, or standard input) in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// One use of a macro or inline in a [`SourceMap`], counted from one: spans are many, and an optional id is no larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpansionId(NonZeroU32);

impl ExpansionId {
    pub fn number(self) -> u32 {
        self.0.get()
    }

    /// The expansion with that number; none has zero.
    pub fn of_number(number: u32) -> Option<ExpansionId> {
        NonZeroU32::new(number).map(ExpansionId)
    }
}

/// Bytes `lo..hi` of a file, possibly seen through an expansion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub file: FileId,
    pub lo: u32,
    pub hi: u32,
    pub expansion: Option<ExpansionId>,
}

impl Span {
    /// The span as numbers, for a file.
    pub fn numbers(self) -> [u32; 4] {
        [self.file.0, self.lo, self.hi, self.expansion.map_or(0, |ExpansionId(number)| number.get())]
    }

    /// The span that has these numbers, in an equal map.
    pub fn of_numbers([file, lo, hi, expansion]: [u32; 4]) -> Span {
        Span { file: FileId(file), lo, hi, expansion: NonZeroU32::new(expansion).map(ExpansionId) }
    }

    /// The smallest span that covers both, if they stand in the same file and expansion; otherwise `self`.
    pub fn to(self, end: Span) -> Span {
        if self.file == end.file && self.expansion == end.expansion && end.hi >= self.lo {
            Span { lo: self.lo.min(end.lo), hi: self.hi.max(end.hi), ..self }
        } else {
            self
        }
    }
}

/// What kind of text replacement brought a token where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionKind {
    Macro,
    Inline,
}

/// One use of a macro or inline: its name and the place of the use.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub kind: ExpansionKind,
    pub name: String,
    pub call: Span,
}

/// A file with its text and the starts of its lines.
#[derive(Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: String,
    /// The `#include` that brought this file in.
    pub included_at: Option<Span>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// The line of a byte, counted from one.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start as usize <= at).max(1)
    }
}

/// A place for people: line and column count from one, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub file: String,
    pub line: usize,
    pub column: usize,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// All files and expansions of one model.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl SourceMap {
    pub fn add_file(&mut self, name: impl Into<String>, text: String, included_at: Option<Span>) -> FileId {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        self.files.push(SourceFile { name: name.into(), text, included_at, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    pub fn add_expansion(&mut self, kind: ExpansionKind, name: impl Into<String>, call: Span) -> ExpansionId {
        self.expansions.push(Expansion { kind, name: name.into(), call });
        let count = u32::try_from(self.expansions.len()).ok().and_then(NonZeroU32::new);
        ExpansionId(count.expect("one was added, and not four billion"))
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    pub fn expansion(&self, id: ExpansionId) -> &Expansion {
        &self.expansions[id.0.get() as usize - 1]
    }

    /// The text that a span names.
    pub fn snippet(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }

    /// Where the text of the span itself stands (inside the macro or inline body, if it came from one).
    pub fn position(&self, span: Span) -> Position {
        let file = self.file(span.file);
        let line = file.line_of(span.lo as usize);
        let start = file.line_starts[line - 1] as usize;
        let mut before = file.text.get(start..span.lo as usize).unwrap_or("");
        if file.text.as_bytes().get(start + before.len()) == Some(&b'\n') {
            // Both characters of a line's end are one place.
            before = before.trim_end_matches('\r');
        }
        Position { file: file.name.clone(), line, column: before.chars().count() + 1 }
    }

    /// The place a reader of a trace expects: macro uses are shown where the macro is used, inlines where their body is.
    pub fn user_span(&self, mut span: Span) -> Span {
        while let Some(expansion) = span.expansion.map(|id| self.expansion(id)) {
            match expansion.kind {
                ExpansionKind::Macro => span = expansion.call,
                ExpansionKind::Inline => break,
            }
        }
        span
    }

    /// [`Self::position`] of [`Self::user_span`].
    pub fn user_position(&self, span: Span) -> Position {
        self.position(self.user_span(span))
    }

    /// The expansions a span was brought in by, innermost first.
    pub fn expansion_chain(&self, span: Span) -> Vec<&Expansion> {
        let mut chain = Vec::new();
        let mut next = span.expansion;
        while let Some(id) = next {
            let expansion = self.expansion(id);
            chain.push(expansion);
            next = expansion.call.expansion;
        }
        chain
    }
}
