//! One input through the front end, the verifier and a short search, with everything that must hold on the way.

use super::walk;
use panoptes_argos::{EndStates, Meaning, Timeouts};
use panoptes_model::{Model, verify};
use panoptes_promela::{MemoryLoader, PreprocessorOptions as TextOptions};
use panoptes_source::{Diagnostic, SourceMap, Span, render};
use std::fmt::{self, Display, Formatter};
use std::path::Path;
use std::time::Duration;

/// What an input is taken for, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub language: Language,
    pub extent: Extent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Promela,
    Argos,
}

impl Language {
    pub fn parse(name: &str) -> Option<Language> {
        match name {
            "promela" => Some(Language::Promela),
            "argos" => Some(Language::Argos),
            _ => None,
        }
    }

    pub fn file_ending(self) -> &'static str {
        match self {
            Language::Promela => "pml",
            Language::Argos => "argos",
        }
    }
}

/// How far an input is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Preprocess,
    Parse,
    Lower,
}

impl Extent {
    pub fn parse(name: &str) -> Option<Extent> {
        Some(match name {
            "preprocess" => Extent::Preprocess,
            "parse" => Extent::Parse,
            "lower" => Extent::Lower,
            _ => return None,
        })
    }
}

/// How far an input came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    Unreadable,
    Parsed,
    Lowered,
    Searched,
}

impl Depth {
    pub const COUNT: usize = 4;
    pub const ALL: [Depth; Depth::COUNT] =
        [Depth::Unreadable, Depth::Parsed, Depth::Lowered, Depth::Searched];

    pub fn describe(self) -> &'static str {
        match self {
            Depth::Unreadable => "did not parse",
            Depth::Parsed => "parsed, but meant nothing",
            Depth::Lowered => "were models, but too slow or faulty to search whole",
            Depth::Searched => "were models with few states, searched whole",
        }
    }
}

/// What is wrong with the program.
#[derive(Debug)]
pub enum Failure {
    Panic(String),
    Slow(Duration),
    /// Rules of the verifier that a lowered model breaks.
    Malformed(String),
    /// A place outside the text.
    Lost(String),
    /// Two ways to the same answer that differ.
    Disagreement(String),
}

impl Failure {
    /// Is this the same defect, as far as one can tell? Shrinking must not wander off to another.
    pub fn same_as(&self, other: &Failure) -> bool {
        match (self, other) {
            (Failure::Panic(a), Failure::Panic(b)) => place_of(a) == place_of(b),
            (Failure::Malformed(a), Failure::Malformed(b)) => rule_of(a) == rule_of(b),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}

/// `message at file:line` without the message.
fn place_of(panic: &str) -> &str {
    panic.rsplit(" at ").next().unwrap_or(panic)
}

fn rule_of(violation: &str) -> &str {
    violation.split(':').next().unwrap_or(violation)
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Panic(text) => write!(f, "panic: {text}"),
            Failure::Slow(time) => write!(f, "took {:.1} s", time.as_secs_f64()),
            Failure::Malformed(text) => write!(f, "the verifier says: {text}"),
            Failure::Lost(text) => write!(f, "a place outside the text: {text}"),
            Failure::Disagreement(text) => write!(f, "disagreement: {text}"),
        }
    }
}

/// Takes an input as far as it goes.
pub fn examine(input: &[u8], target: Target) -> Result<Depth, Failure> {
    let text = String::from_utf8_lossy(input).into_owned();
    let mut sources = SourceMap::default();
    let file = sources.add_file("model", text, None);
    let path = Path::new("model");
    let options = TextOptions::default();
    let loader = MemoryLoader::default()
        .with("shapes.h", include_str!("../../../models/shapes.h"))
        .with("self.h", "#include \"self.h\"\n");
    if target.extent == Extent::Preprocess {
        let done = panoptes_promela::preprocess::preprocess(&mut sources, file, path, &options, &loader);
        check_diagnostics(&sources, &done.diagnostics)?;
        return Ok(if done.stopped { Depth::Unreadable } else { Depth::Parsed });
    }
    match target.language {
        Language::Promela => {
            let (module, diagnostics) =
                panoptes_promela::parse_file(&mut sources, file, path, &options, &loader);
            go_on(&sources, &diagnostics, target, || {
                let lowered = panoptes_promela::lower(&module, &sources, "model");
                (lowered.model, lowered.diagnostics)
            })
        }
        Language::Argos => {
            let (module, diagnostics) =
                panoptes_argos::parse_file(&mut sources, file, path, &options, &loader);
            let depth = go_on(&sources, &diagnostics, target, || {
                let lowered = panoptes_argos::lower(&module, &sources, "model", Meaning::default());
                (lowered.model, lowered.diagnostics)
            })?;
            if depth == Depth::Searched {
                other_meanings(&sources, &module)?;
            }
            Ok(depth)
        }
    }
}

/// What was parsed is lowered, verified, shown and searched.
fn go_on(
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    target: Target,
    lower: impl FnOnce() -> (Option<Model>, Vec<Diagnostic>),
) -> Result<Depth, Failure> {
    check_diagnostics(sources, diagnostics)?;
    let readable = !diagnostics.iter().any(Diagnostic::is_error);
    if target.extent == Extent::Parse {
        return Ok(if readable { Depth::Parsed } else { Depth::Unreadable });
    }
    // What could be understood of a text with errors is lowered too: an editor does that.
    let (model, diagnostics) = lower();
    check_diagnostics(sources, &diagnostics)?;
    if !readable {
        return Ok(Depth::Unreadable);
    }
    let Some(model) = model else {
        if !diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Failure::Disagreement("no model, but no error either".to_string()));
        }
        return Ok(Depth::Parsed);
    };
    check_model(&model, sources)?;
    walk::walk(&model, sources)
}

fn check_model(model: &Model, sources: &SourceMap) -> Result<(), Failure> {
    if let Some(violation) = verify(model).first() {
        return Err(Failure::Malformed(violation.to_string()));
    }
    for transition in &model.transitions {
        check_span(sources, transition.span, &transition.text)?;
    }
    let shown = panoptes_model::to_text(model, sources);
    drop(panoptes_model::to_dot(model, sources));
    drop(panoptes_model::to_json(model, sources));
    if shown.is_empty() {
        return Err(Failure::Disagreement("the model's text is empty".to_string()));
    }
    Ok(())
}

/// The same text with the other meanings that it can have, and along each of its assertions.
fn other_meanings(sources: &SourceMap, module: &panoptes_argos::ast::Module) -> Result<(), Failure> {
    let other = Meaning { timeouts: Timeouts::LockOnly, end_states: EndStates::Strict };
    let plain = panoptes_argos::lower(module, sources, "model", other).model;
    let names = plain.iter().flat_map(|model| &model.requirements).map(|one| one.name.clone());
    let along: Vec<Model> = names
        .filter_map(|name| {
            panoptes_argos::lower_along(module, sources, "model", Meaning::default(), Some(&name)).model
        })
        .collect();
    for model in plain.iter().chain(&along) {
        check_model(model, sources)?;
        walk::walk(model, sources)?;
    }
    Ok(())
}

/// Every place of every message is inside its file, and every message can be shown.
fn check_diagnostics(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
    for diagnostic in diagnostics {
        check_span(sources, diagnostic.span, &diagnostic.message)?;
        for label in &diagnostic.labels {
            check_span(sources, label.span, &label.message)?;
        }
        for color in [false, true] {
            if !render(sources, diagnostic, color).contains(": ") {
                return Err(Failure::Disagreement(format!("an empty message for {diagnostic:?}")));
            }
        }
    }
    Ok(())
}

fn check_span(sources: &SourceMap, span: Span, what: &str) -> Result<(), Failure> {
    for span in [span, sources.user_span(span)] {
        let lost = || Failure::Lost(format!("{span:?} of {what:?}"));
        if span.file.0 as usize >= sources.file_count() {
            return Err(lost());
        }
        let text = &sources.file(span.file).text;
        let (lo, hi) = (span.lo as usize, span.hi as usize);
        if lo > hi || hi > text.len() || !text.is_char_boundary(lo) || !text.is_char_boundary(hi) {
            return Err(lost());
        }
    }
    Ok(())
}
