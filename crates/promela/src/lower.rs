//! From the syntax tree to the model.
//!
//! Global declarations come first, so that the shape of the state vector is known; then each process body is turned
//! into elements and sequences ([`flow`]) and these into control states and transitions ([`wiring`]).

mod block;
mod constant;
mod decl;
mod expr;
mod flow;
mod forms;
mod given;
mod hunt;
mod init;
mod items;
mod merge;
mod message;
mod nesting;
mod observe;
mod place;
mod process;
mod remote;
mod size;
mod slips;
mod stmt;
mod unless;
mod values;
mod warnings;
mod wiring;

use self::merge::{Exclusive, Merging};
use crate::ast;
use crate::resolve::{Scopes, Symbols};
use panoptes_model::{Expr, Model, ProcId};
use panoptes_source::{Diagnostic, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// What lowering gives: a model if there were no errors, and everything there is to say about the text.
pub struct Lowered {
    pub model: Option<Model>,
    /// The conditions that were given for others to speak of, in their order.
    pub atoms: Vec<Expr>,
    /// The number that SPIN gives to the statement of each transition: statements are numbered through the whole model.
    pub statement_numbers: Vec<u32>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Lowers a parsed model. `name` is for display.
pub fn lower(module: &ast::Module, sources: &SourceMap, name: &str) -> Lowered {
    read(module, sources, name, None).finish()
}

/// The same with statements merged as SPIN's verifier merges them: what one step is.
pub fn lower_merged(module: &ast::Module, sources: &SourceMap, name: &str) -> Lowered {
    let plain = read(module, sources, name, None);
    if plain.has_errors() {
        return plain.finish();
    }
    match Merging::of(&plain.model, plain.private_globals(module), plain.exclusive.clone()) {
        Some(merging) => read(module, sources, name, Some(merging)).finish(),
        None => plain.finish(),
    }
}

fn read<'a>(
    module: &ast::Module,
    sources: &'a SourceMap,
    name: &str,
    merging: Option<Merging>,
) -> Lowering<'a> {
    let mut lowering = Lowering::new(sources, name, Symbols::default());
    lowering.merging = merging.clone();
    lowering.module(module);
    if lowering.points_forward {
        // A remote reference named a process whose body had been read without knowing it, or not at all: read
        // everything again.
        let Symbols { anatomy, remote_labels, .. } = lowering.symbols;
        lowering = Lowering::new(sources, name, Symbols { anatomy, remote_labels, ..Symbols::default() });
        lowering.anatomy_complete = true;
        lowering.merging = merging;
        lowering.module(module);
    }
    lowering
}

pub(crate) struct Lowering<'a> {
    sources: &'a SourceMap,
    symbols: Symbols,
    model: Model,
    atoms: Vec<Expr>,
    diagnostics: Vec<Diagnostic>,
    /// The item being lowered: later globals are not visible.
    item: usize,
    scopes: Scopes,
    /// The process whose body is being lowered.
    current: Option<process::Body>,
    /// A remote reference was met.
    points_forward: bool,
    anatomy_complete: bool,
    uses_last: bool,
    /// The process types that a `run` names.
    started: FxHashSet<ast::Name>,
    next_global_offset: u32,
    /// Of all declarations so far; see [`size`].
    bytes_claimed: u32,
    /// How statements are merged, if they are.
    merging: Option<Merging>,
    exclusive: Exclusive,
    /// Of each transition, the body it is of and its element there; and how many elements each body has.
    executed: Vec<(ProcId, u32)>,
    body_sizes: FxHashMap<ProcId, u32>,
    /// What was said and where, so that a mistake in an inline is not told once for each of its uses.
    reported: FxHashSet<(Span, String)>,
}

impl<'a> Lowering<'a> {
    fn new(sources: &'a SourceMap, name: &str, symbols: Symbols) -> Lowering<'a> {
        Lowering {
            sources,
            symbols,
            model: Model { name: name.to_string(), ..Model::default() },
            atoms: Vec::new(),
            diagnostics: Vec::new(),
            item: 0,
            scopes: Scopes::default(),
            current: None,
            points_forward: false,
            anatomy_complete: false,
            uses_last: false,
            started: FxHashSet::default(),
            next_global_offset: 0,
            bytes_claimed: 0,
            merging: None,
            exclusive: Exclusive::default(),
            executed: Vec::new(),
            body_sizes: FxHashMap::default(),
            reported: FxHashSet::default(),
        }
    }

    fn finish(mut self) -> Lowered {
        Diagnostic::name_unnamed(&mut self.diagnostics, "meaning");
        let failed = self.has_errors();
        // In the order of the text, whatever was looked at first.
        let sources = self.sources;
        self.diagnostics.sort_by_key(|diagnostic| {
            let span = sources.user_span(diagnostic.span);
            (span.file, span.lo)
        });
        let statement_numbers = self.statement_numbers();
        let Lowering { model, atoms, diagnostics, .. } = self;
        Lowered { model: (!failed).then_some(model), atoms, statement_numbers, diagnostics }
    }

    /// Bodies are numbered one after the other, in the order in which they stand in the text.
    fn statement_numbers(&self) -> Vec<u32> {
        let mut bodies: Vec<(Span, ProcId)> =
            self.body_sizes.keys().map(|id| (self.model.process(*id).span, *id)).collect();
        bodies.sort_by_key(|(span, id)| {
            let span = self.sources.user_span(*span);
            (span.file, span.lo, id.index())
        });
        let mut first = FxHashMap::default();
        let mut count = 0;
        for (_, id) in bodies {
            first.insert(id, count);
            count += self.body_sizes[&id];
        }
        self.executed.iter().map(|(id, element)| first.get(id).copied().unwrap_or(0) + element).collect()
    }

    /// Where the global variables are that the text declares to be `local`.
    fn private_globals(&self, module: &ast::Module) -> FxHashSet<u32> {
        let declared = module.items.iter().filter_map(|item| match item {
            ast::Item::Var(decl) if decl.visibility == ast::Visibility::Local => Some(decl),
            _ => None,
        });
        let names: FxHashSet<&str> =
            declared.flat_map(|decl| &decl.vars).map(|var| &*var.name.name).collect();
        let variables = self.model.variables.iter();
        variables.filter(|variable| names.contains(&*variable.name)).map(|variable| variable.offset).collect()
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        let place = Span { expansion: None, ..diagnostic.span };
        if diagnostic.fits(&self.diagnostics) && self.reported.insert((place, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Something was wrong: what follows may look odd only for that.
    fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    /// The text of a statement, on one line, as the user wrote it.
    fn statement_text(&self, span: Span) -> String {
        let text = self.sources.snippet(self.sources.user_span(span));
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.truncate(line.trim_end_matches([';', ' ']).len());
        if line.chars().count() > 100 {
            line = line.chars().take(97).chain("...".chars()).collect();
        }
        line
    }

    fn process_name(&self, id: ProcId) -> &str {
        &self.model.process(id).name
    }
}
