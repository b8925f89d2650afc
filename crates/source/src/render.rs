//! Diagnostics as text for people, drawn by `annotate-snippets`.
//!
//! The place in the headline is where the reader of the model would look: the use of a macro, the body of an inline.
//! Labels in the same picture lead from there into the `#define`s of macros and out to the calls of inlines. The first
//! place is a line `--> file:line:column`, which editors and scripts find.

use crate::excerpt::Excerpt;
use crate::{Diagnostic, ExpansionKind, FileId, Severity, SourceMap, Span};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::fmt::Write;

/// Longer lines are shown in part, around the place.
const WIDTH_MAX: usize = 120;

/// More steps of a chain than this are not all shown.
const CHAIN_SHOWN_MAX: usize = 8;

/// The diagnostic with the text it is about; `color` adds escape codes for a terminal.
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let (places, between) = places(sources, diagnostic);
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(printable(&diagnostic.message));
    let mut group = Group::with_title(match diagnostic.severity {
        Severity::Error => title,
        Severity::Warning => title.id(diagnostic.code),
    });
    for part in parts(sources, &places) {
        if part.excerpt.is_far {
            let at = sources.position(part.places[0].span);
            group = group.element(Origin::path(at.file).line(at.line).char_column(at.column));
            if let Some(label) = &part.places[0].label {
                group = group.element(Level::NOTE.message(printable(label)));
            }
            continue;
        }
        group = group.element(part.snippet());
    }
    if let Some(text) = between {
        group = group.element(Level::NOTE.message(text));
    }
    for text in inclusions(sources, places[0].span.file) {
        group = group.element(Level::NOTE.message(printable(&text)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let text = renderer.term_width(WIDTH_MAX).render(&[group]);
    text.lines().fold(String::new(), |all, line| all + line.trim_end() + "\n")
}

/// A place to show and what to say there; the first one is what the diagnostic is about.
struct Labelled {
    span: Span,
    label: Option<String>,
}

/// All places, the first one first, and a word about steps of the chain that are left out.
fn places(sources: &SourceMap, diagnostic: &Diagnostic) -> (Vec<Labelled>, Option<String>) {
    let ways = ways_out(sources, diagnostic.span);
    let shown = ways.iter().position(|way| *way == sources.user_span(diagnostic.span)).unwrap_or(0);
    let mut places = vec![Labelled { span: ways[shown], label: None }];
    let mut chain = Vec::new();
    for inner in (0..shown).rev() {
        let (_, name) = expansion(sources, ways[inner]);
        chain
            .push(Labelled { span: ways[inner], label: Some(format!("in the expansion of macro `{name}`")) });
    }
    for outer in shown + 1..ways.len() {
        let label = match expansion(sources, ways[outer - 1]) {
            (ExpansionKind::Macro, name) => format!("macro `{name}` is used here"),
            (ExpansionKind::Inline, name) => format!("inline `{name}` is called here"),
        };
        chain.push(Labelled { span: ways[outer], label: Some(label) });
    }
    // The first steps lead away from the place shown, the last one is where the chain ends.
    let between = chain.len().saturating_sub(CHAIN_SHOWN_MAX);
    if between > 0 {
        chain.drain(CHAIN_SHOWN_MAX - 1..CHAIN_SHOWN_MAX - 1 + between);
    }
    places.extend(chain);
    for label in &diagnostic.labels {
        places.push(Labelled { span: sources.user_span(label.span), label: Some(label.message.clone()) });
    }
    let note = match between {
        0 => None,
        1 => Some("one more expansion is between these".to_string()),
        more => Some(format!("{more} more expansions are between these")),
    };
    (places, note)
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

/// The places that are drawn in one picture: those near to each other in one file.
struct Part<'a> {
    path: &'a str,
    excerpt: Excerpt<'a>,
    places: Vec<&'a Labelled>,
}

fn parts<'a>(sources: &'a SourceMap, places: &'a [Labelled]) -> Vec<Part<'a>> {
    let mut parts: Vec<(FileId, Part)> = Vec::new();
    for place in places {
        let file = sources.file(place.span.file);
        let excerpt = Excerpt::of_line(file, place.span);
        let near = parts.iter_mut().find_map(|(id, part)| {
            let joined = part.excerpt.join(&excerpt, file).filter(|_| *id == place.span.file)?;
            Some((part, joined))
        });
        match near {
            Some((part, joined)) => {
                part.excerpt = joined;
                part.places.push(place);
            }
            None => {
                let part = Part { path: &file.name, excerpt, places: vec![place] };
                parts.push((place.span.file, part));
            }
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

impl<'a> Part<'a> {
    fn snippet(&self) -> Snippet<'a, Annotation<'a>> {
        let mut snippet =
            Snippet::source(self.excerpt.text).line_start(self.excerpt.first_line).path(self.path).fold(true);
        for place in &self.places {
            let kind = match place.label {
                None => AnnotationKind::Primary,
                Some(_) => AnnotationKind::Context,
            };
            let label = place.label.as_deref().map(printable);
            snippet = snippet.annotation(kind.span(self.excerpt.bytes(place.span)).label(label));
        }
        snippet
    }
}

/// The files that include this one.
fn inclusions(sources: &SourceMap, file: FileId) -> Vec<String> {
    let mut file = sources.file(file);
    let mut lines = Vec::new();
    while let Some(at) = file.included_at.filter(|_| lines.len() < CHAIN_SHOWN_MAX) {
        lines.push(format!("{} is included from {}", file.name, sources.position(at)));
        file = sources.file(at.file);
    }
    lines
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
