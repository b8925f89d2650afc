//! Diagnostics as text for people.
//!
//! The first place shown is where the reader of the model would look: the use of a macro, the body of an inline. Notes
//! then lead from there into the bodies of macros and out to the calls of inlines. Each place is a line
//! `--> file:line:column`, which editors and scripts find.

use crate::{Diagnostic, ExpansionKind, Severity, SourceMap, Span};
use std::fmt::Write;

/// Longer lines are shown in part, around the place.
const LINE_WIDTH_MAX: usize = 120;
const TAB_WIDTH: usize = 4;

/// More steps of a chain than this are not all shown.
const CHAIN_SHOWN_MAX: usize = 8;

/// The diagnostic with the text it is about; `color` adds escape codes for a terminal.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let mut out = Renderer { sources, color, text: String::new() };
    let (word, paint) = match diagnostic.severity {
        Severity::Error => ("error", RED),
        Severity::Warning => ("warning", YELLOW),
    };
    out.heading(word, paint, &diagnostic.message);
    let ways = ways_out(sources, diagnostic.span);
    let shown = ways.iter().position(|way| *way == sources.user_span(diagnostic.span)).unwrap_or(0);
    out.place(ways[shown], paint);
    out.inclusions(ways[shown]);
    out.notes((0..shown).rev().map(|inner| {
        let (_, name) = expansion(sources, ways[inner]);
        (format!("in expansion of macro `{name}`"), ways[inner])
    }));
    out.notes((shown + 1..ways.len()).map(|outer| {
        let (kind, name) = expansion(sources, ways[outer - 1]);
        let (kind, used) = match kind {
            ExpansionKind::Macro => ("macro", "used"),
            ExpansionKind::Inline => ("inline", "called"),
        };
        (format!("in expansion of {kind} `{name}`, {used} here"), ways[outer])
    }));
    for label in &diagnostic.labels {
        out.note(&label.message, sources.user_span(label.span));
    }
    if let Some(help) = &diagnostic.help {
        out.heading("help", CYAN, help);
    }
    out.text
}

/// The span, the place of the use that brought it in, the place of the use that brought that in, and so on.
fn ways_out(sources: &SourceMap, span: Span) -> Vec<Span> {
    let calls = sources.expansion_chain(span).into_iter().map(|expansion| expansion.call);
    std::iter::once(span).chain(calls).collect()
}

fn expansion(sources: &SourceMap, span: Span) -> (ExpansionKind, &str) {
    let expansion = sources.expansion(span.expansion.expect("only the last way out has none"));
    (expansion.kind, &expansion.name)
}

const RED: &str = "1;31";
const YELLOW: &str = "1;33";
const CYAN: &str = "1;36";
const BLUE: &str = "1;34";
const BOLD: &str = "1";

struct Renderer<'a> {
    sources: &'a SourceMap,
    color: bool,
    text: String,
}

impl Renderer<'_> {
    fn painted(&self, paint: &str, text: &str) -> String {
        if self.color { format!("\x1b[{paint}m{text}\x1b[0m") } else { text.to_string() }
    }

    fn line(&mut self, line: &str) {
        self.text += line.trim_end();
        self.text.push('\n');
    }

    fn heading(&mut self, word: &str, paint: &str, message: &str) {
        let line = format!(
            "{}{}",
            self.painted(paint, word),
            self.painted(BOLD, &format!(": {}", printable(message)))
        );
        self.line(&line);
    }

    fn notes(&mut self, notes: impl ExactSizeIterator<Item = (String, Span)>) {
        let count = notes.len();
        for (nth, (message, span)) in notes.enumerate() {
            // The first steps lead away from the place shown, the last one is where the chain ends.
            if count <= CHAIN_SHOWN_MAX || nth + 1 < CHAIN_SHOWN_MAX || nth + 1 == count {
                self.note(&message, span);
            } else if nth + 2 == count {
                self.heading(
                    "note",
                    BOLD,
                    &match count - CHAIN_SHOWN_MAX {
                        1 => "and one more expansion between".to_string(),
                        more => format!("and {more} more expansions between"),
                    },
                );
            }
        }
    }

    fn note(&mut self, message: &str, span: Span) {
        self.heading("note", BOLD, message);
        self.place(span, BLUE);
    }

    /// The files that include the one of the span.
    fn inclusions(&mut self, span: Span) {
        let mut file = self.sources.file(span.file);
        let mut shown = 0;
        while let Some(at) = file.included_at.filter(|_| shown < CHAIN_SHOWN_MAX) {
            let line = format!("{} included from {}", self.painted(BLUE, "  ="), self.sources.position(at));
            self.line(&line);
            file = self.sources.file(at.file);
            shown += 1;
        }
    }

    /// The position of a span and its line with the span underlined.
    fn place(&mut self, span: Span, paint: &str) {
        let position = self.sources.position(span);
        let number = position.line.to_string();
        let margin = " ".repeat(number.len());
        let arrow = format!("{margin}{} {position}", self.painted(BLUE, "-->"));
        self.line(&arrow);
        let excerpt = Excerpt::new(&self.sources.file(span.file).text, span);
        let bar = self.painted(BLUE, "|");
        self.line(&format!("{margin} {bar}"));
        self.line(&format!("{} {bar} {}", self.painted(BLUE, &number), excerpt.line));
        let underline = self.painted(paint, &"^".repeat(excerpt.carets));
        self.line(&format!("{margin} {bar} {}{underline}", " ".repeat(excerpt.column)));
    }
}

/// A line as it is shown: tabs are spaces, and a long line is cut on both sides.
struct Excerpt {
    line: String,
    /// What stands before the carets, in characters.
    column: usize,
    carets: usize,
}

impl Excerpt {
    fn new(text: &str, span: Span) -> Excerpt {
        let lo = boundary(text, span.lo as usize);
        let hi = boundary(text, span.hi as usize).max(lo);
        let start = text[..lo].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[lo..].find('\n').map_or(text.len(), |length| lo + length);
        let mut shown: Vec<char> = Vec::new();
        let (mut from, mut to) = (None, None);
        for (offset, character) in text[start..end].trim_end_matches('\r').char_indices() {
            // A span that goes on behind its line is underlined to the end of the line.
            if start + offset >= lo {
                from = from.or(Some(shown.len()));
            }
            if start + offset >= hi {
                to = to.or(Some(shown.len()));
            }
            match character {
                '\t' => shown.resize(shown.len() + TAB_WIDTH - shown.len() % TAB_WIDTH, ' '),
                character if character.is_control() => shown.push('\u{fffd}'),
                character => shown.push(character),
            }
        }
        let from = from.unwrap_or(shown.len());
        let to = to.unwrap_or(shown.len()).max(from + 1);
        Excerpt::cut(&shown, from, to)
    }

    fn cut(shown: &[char], from: usize, to: usize) -> Excerpt {
        let whole = shown.len() <= LINE_WIDTH_MAX;
        let first =
            if whole { 0 } else { from.saturating_sub(LINE_WIDTH_MAX / 2).min(shown.len() - LINE_WIDTH_MAX) };
        let last = if whole { shown.len() } else { first + LINE_WIDTH_MAX };
        let mut line = String::new();
        if first > 0 {
            line.push('…');
        }
        line.extend(&shown[first..last]);
        if last < shown.len() {
            line.push('…');
        }
        let column = from - first + usize::from(first > 0);
        let carets = to.min(last.max(from + 1)) - from;
        Excerpt { line, column, carets }
    }
}

/// The nearest place at or before `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A message on one line, without anything that moves a terminal's cursor.
fn printable(message: &str) -> String {
    let mut text = String::new();
    for character in message.chars() {
        match character.is_control() {
            true => write!(text, "{}", character.escape_default()).expect("a string takes all"),
            false => text.push(character),
        }
    }
    text
}
