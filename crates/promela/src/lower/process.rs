//! One process type: its frame, its variables, its body.

use super::Lowering;
use super::decl::Shape;
use super::flow::Flow;
use crate::ast::{self, Name};
use crate::resolve::{Anatomy, Var};
use panoptes_model::{
    Action, Channel, Display, Expr, FrameLayout, ProcId, Process, ProcessKind, Region, StateId, Variable,
};
use panoptes_source::{Diagnostic, ExpansionKind, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Proctype,
    Init,
    Claim,
    Trace,
}

/// The process being lowered.
pub(super) struct Body {
    pub id: ProcId,
    pub role: Role,
    pub flow: Flow,
    /// Initial values still belong to the creation of the process, because no statement came before.
    pub at_start: bool,
    pub frame_bytes: u32,
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub init: Vec<Action>,
    pub locals: FxHashMap<Name, Var>,
    /// Loops around the current statement, as indices of their exits.
    pub loops: Vec<usize>,
    pub in_d_step: bool,
    /// Labels before loops that begin with an assignment, and the word of the loop.
    pub loop_labels: FxHashMap<Name, (Span, &'static str)>,
}

/// The number that the `index`-th channel of the executing process has.
pub(super) fn own_channel(index: i32) -> Expr {
    Expr::OwnChannel(index as u32)
}

impl Lowering<'_> {
    /// Lowers a process type and gives its id, which is the one its signature promised.
    pub(super) fn lower_process(&mut self, proctype: &ast::Proctype, role: Role) -> ProcId {
        let id = ProcId(self.model.processes.len() as u32);
        self.reserve_process(proctype, role);
        self.current = Some(Body {
            id,
            role,
            flow: Flow::default(),
            at_start: true,
            frame_bytes: FrameLayout::FIXED_BYTES,
            variables: Vec::new(),
            channels: Vec::new(),
            init: Vec::new(),
            locals: FxHashMap::default(),
            loops: Vec::new(),
            in_d_step: false,
            loop_labels: FxHashMap::default(),
        });
        let watched = self.symbols.remote_labels.iter().filter(|(process, _)| *process == proctype.name.name);
        let watched = watched.map(|(_, label)| label.clone()).collect();
        self.body().flow.watched_labels = watched;
        self.scopes.open();
        for decl in &proctype.params {
            self.declare_params(decl);
        }
        let param_count = self.body().variables.len();
        let provided = proctype.provided.as_ref().map(|provided| self.condition(provided));
        self.body().flow.open();
        self.statements(&proctype.body.stmts);
        self.scopes.close();
        let end = Span { lo: proctype.body.span.hi.saturating_sub(1), ..proctype.body.span };
        let whole = self.body().flow.finish(end);
        self.report_labels();
        let Some(mut body) = self.current.take() else { return id };
        self.wire(&mut body, whole);
        let channel_count = self.model.channels.len() + body.channels.len();
        if let Some(channel) = body.channels.last()
            && channel_count > 255
        {
            self.report_many_channels(channel.span);
        }
        let mut at = body.frame_bytes;
        for channel in &mut body.channels {
            channel.offset = at;
            at += channel.total_bytes() as u32;
        }
        self.remember_anatomy(&proctype.name.name, &body);
        let process = &mut self.model.processes[id.index()];
        process.frame = FrameLayout::wide(at);
        process.param_count = param_count;
        process.variables = body.variables;
        process.channels = body.channels;
        process.init = body.init;
        process.provided = provided;
        id
    }

    fn declare_params(&mut self, decl: &ast::VarDecl) {
        self.check_not_hidden(decl, "a parameter");
        for declarator in &decl.vars {
            if declarator.array.is_some() || declarator.init.is_some() {
                self.error(declarator.span, "a parameter is a single value, without an initial one");
            }
            let Some(var) = self.make_local(&decl.ty, declarator) else { continue };
            self.scopes.declare(var);
        }
    }

    /// Puts a process without a body in its place in the model, so that ids follow the text.
    fn reserve_process(&mut self, proctype: &ast::Proctype, role: Role) {
        let name = if role == Role::Init { "init".to_string() } else { proctype.name.name.to_string() };
        self.model.processes.push(Process {
            name,
            kind: match role {
                Role::Proctype | Role::Init => ProcessKind::Process,
                Role::Claim => ProcessKind::Claim,
                Role::Trace => ProcessKind::Monitor,
            },
            frame: FrameLayout::default(),
            param_count: 0,
            variables: Vec::new(),
            channels: Vec::new(),
            init: Vec::new(),
            states: Vec::new(),
            initial: StateId(0),
            provided: None,
            deterministic: proctype.deterministic,
            dead_code: Vec::new(),
            span: proctype.name.span,
        });
    }

    pub(super) fn body(&mut self) -> &mut Body {
        self.current.as_mut().expect("statements are lowered only inside a body")
    }

    /// Gives a local variable its place in the frame; its name is not visible yet.
    pub(super) fn make_local(&mut self, ty: &ast::TypeName, declarator: &ast::Declarator) -> Option<Var> {
        let Shape { ty, array, wide_bits } = self.shape(ty, declarator)?;
        self.check_new_name(&declarator.name);
        if !self.claim(ty, array, declarator.span) {
            self.symbols.broken.insert(declarator.name.name.clone());
            return None;
        }
        let bytes = self.symbols.total_bytes(ty, array);
        let mut shown = Vec::new();
        let offset = self.body().frame_bytes;
        self.display_variables(&declarator.name.name, ty, array, offset, &mut shown);
        let body = self.body();
        body.frame_bytes = offset.saturating_add(bytes);
        body.variables.extend(shown);
        let var = Var {
            name: declarator.name.name.clone(),
            ty,
            array,
            region: Region::Local,
            offset,
            span: declarator.name.span,
            wide_bits,
            message_fields: None,
            channel_numbers: Vec::new(),
        };
        body.locals.insert(var.name.clone(), var.clone());
        Some(var)
    }

    /// A local variable that the text does not name.
    pub(super) fn declare_temporary(&mut self, name: &str) -> panoptes_model::Place {
        let ty = panoptes_model::ScalarType::INT;
        let body = self.body();
        let offset = body.frame_bytes;
        body.frame_bytes += ty.bytes() as u32;
        body.variables.push(Variable {
            name: name.to_string(),
            offset,
            ty,
            display: Display::Int,
            count: 1,
            is_array: false,
        });
        panoptes_model::Place {
            region: Region::Local,
            offset,
            ty,
            indices: Vec::new(),
            name: name.to_string(),
        }
    }

    fn report_labels(&mut self) {
        let clashes = std::mem::take(&mut self.body().flow.label_clashes);
        // Each use of an inline has labels of its own.
        let inline = |span: Span| {
            let chain = self.sources.expansion_chain(span).into_iter();
            chain.filter(|expansion| expansion.kind == ExpansionKind::Inline).map(|e| e.call).next()
        };
        let clashes: Vec<_> =
            clashes.into_iter().filter(|(_, span, other)| inline(*span) == inline(*other)).collect();
        for (name, span, other) in clashes {
            let diagnostic = Diagnostic::error(span, format!("label `{name}` is declared twice"))
                .label(other, "first declared here")
                .help("labels of the same name stand in different blocks, none inside the other");
            self.report(diagnostic);
        }
    }

    fn remember_anatomy(&mut self, name: &Name, body: &Body) {
        let states: FxHashSet<u16> =
            self.model.process(body.id).states.iter().map(|state| state.number).collect();
        let mut labels = FxHashMap::default();
        for ((label, _), (element, _)) in &body.flow.labels {
            let number = element.number().filter(|number| states.contains(number));
            // Of several blocks with this label, one that can be reached.
            let known: &mut Option<u16> = labels.entry(label.clone()).or_default();
            *known = (*known).max(number);
        }
        let anatomy = Anatomy { labels, locals: body.locals.clone() };
        self.symbols.anatomy.insert(name.clone(), anatomy);
    }
}
