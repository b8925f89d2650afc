//! The items of a model, in two rounds: first everything that shapes the state vector, then the bodies.

use super::Lowering;
use super::decl::Shape;
use super::process::Role;
use super::size::{RECORD_BYTES_MAX, RECORD_DEPTH_MAX};
use crate::ast::{self, Item, LtlKind, TypeName, Visibility};
use crate::resolve::{Field, Record, Signature};
use panoptes_model::{
    EnumId, Enumeration, Expr, Formula, Header, InitialProcess, Monitor, ProcId, ProcessKind,
    TemporalProperty,
};
use panoptes_source::{Diagnostic, Span};

/// The set of symbolic constants that `mtype` without a subtype names.
const PLAIN_MTYPE: &str = "mtype";

impl Lowering<'_> {
    pub(super) fn module(&mut self, module: &ast::Module) {
        self.declare_types(module);
        self.declare_signatures(module);
        self.layout_globals(module);
        for (index, item) in module.items.iter().enumerate() {
            self.item = index;
            match item {
                Item::Proctype(proctype) => {
                    let role = if proctype.is_init { Role::Init } else { Role::Proctype };
                    let id = self.lower_process(proctype, role);
                    self.start_actively(proctype, id);
                }
                Item::Never(claim) => {
                    let id = self.lower_claim(claim);
                    self.model.claims.push(id);
                }
                Item::Trace(trace) => self.lower_trace(trace),
                Item::Mtype(_) | Item::Typedef(_) | Item::Var(_) | Item::Ltl(_) => {}
            }
        }
        // A formula may speak of what is declared after it.
        self.item = module.items.len();
        for item in &module.items {
            if let Item::Ltl(property) = item {
                self.lower_ltl(property);
            }
        }
        module.given.iter().for_each(|given| self.lower_given(given));
        if self.model.initial.is_empty() && !self.diagnostics.iter().any(Diagnostic::is_error) {
            let diagnostic = Diagnostic::error(module_start(module), "no process is ever started")
                .help("write `init { run … }` or mark a proctype `active`");
            self.report(diagnostic);
        }
        self.warn_of_unused_processes(module);
        if !self.uses_last {
            self.model.header.last = None;
        }
    }

    fn declare_types(&mut self, module: &ast::Module) {
        for (index, item) in module.items.iter().enumerate() {
            self.item = index;
            match item {
                Item::Mtype(mtype) => self.declare_mtype(mtype),
                Item::Typedef(typedef) => self.declare_record(typedef),
                _ => {}
            }
        }
    }

    fn enumeration(&mut self, subtype: &str) -> EnumId {
        let found = self.model.enumerations.iter().position(|enumeration| enumeration.name == subtype);
        EnumId(found.unwrap_or_else(|| {
            self.model.enumerations.push(Enumeration {
                name: subtype.to_string(),
                values: Vec::new(),
                alone: Vec::new(),
            });
            self.model.enumerations.len() - 1
        }) as u32)
    }

    pub(super) fn enumeration_of(&mut self, subtype: Option<&ast::Ident>) -> EnumId {
        match subtype {
            Some(subtype) => self.enumeration(&subtype.name.clone()),
            None => self.enumeration(PLAIN_MTYPE),
        }
    }

    /// SPIN numbers the names of one declaration from the last to the first, after those declared before.
    pub(super) fn declare_mtype(&mut self, mtype: &ast::MtypeDecl) {
        let id = self.enumeration_of(mtype.subtype.as_ref());
        let first = self.model.enumerations[id.index()].values.len() as i32 + 1;
        if first as usize + mtype.names.len() > 256 {
            self.error(mtype.span, "more than 255 symbolic constants in one mtype");
        }
        self.check_mtype_twice(&mtype.names);
        for (value, name) in (first..).zip(mtype.names.iter().rev()) {
            self.symbols.constants.insert(name.name.clone(), (value, id));
            self.model.enumerations[id.index()].values.push((value, name.name.to_string()));
        }
    }

    fn check_mtype_twice(&mut self, names: &[ast::Ident]) {
        for (index, name) in names.iter().enumerate() {
            let message = format!("`{}` is declared twice", name.name);
            let diagnostic = Diagnostic::error(name.span, message);
            if let Some(first) = names[..index].iter().find(|other| other.name == name.name) {
                self.report(diagnostic.label(first.span, "first declared here"));
            } else if let Some((_, other)) = self.symbols.constants.get(&name.name) {
                let set = &self.model.enumerations[other.index()].name;
                let help = format!("it is already a constant of `{set}`");
                self.report(diagnostic.help(help));
            }
        }
    }

    fn declare_record(&mut self, typedef: &ast::Typedef) {
        let name = &typedef.name.name;
        if self.symbols.record_names.contains_key(name) {
            self.error(typedef.name.span, format!("type `{name}` is declared twice"));
            return;
        }
        let mut record = Record { name: name.clone(), fields: Vec::new(), bytes: 0, values: 0, depth: 1 };
        for decl in &typedef.fields {
            self.check_not_hidden(decl, "a field");
            for declarator in &decl.vars {
                let Some(shape) = self.shape(&decl.ty, declarator) else { continue };
                if !self.add_field(&mut record, shape, declarator) {
                    // Without that field it would be another type, and perhaps one that takes no bytes at all.
                    self.symbols.broken_records.insert(name.clone());
                    return;
                }
            }
        }
        if record.fields.is_empty() {
            self.symbols.broken_records.insert(name.clone());
            return;
        }
        self.symbols.record_names.insert(name.clone(), self.symbols.records.len());
        self.symbols.records.push(record);
    }

    /// False, and reported, if the record gets too large.
    fn add_field(&mut self, record: &mut Record, shape: Shape, declarator: &ast::Declarator) -> bool {
        let Shape { ty, array, wide_bits } = shape;
        let name = declarator.name.name.clone();
        if record.fields.iter().any(|field| field.name == name) {
            self.error(declarator.name.span, format!("field `{name}` is declared twice"));
            return true;
        }
        let bytes = record.bytes.saturating_add(self.symbols.total_bytes(ty, array));
        let depth = self.symbols.depth(ty) + 1;
        if bytes > RECORD_BYTES_MAX {
            self.report_large_record(declarator.span);
            return false;
        }
        if depth > RECORD_DEPTH_MAX {
            self.report_deep_record(declarator.span);
            return false;
        }
        record.values += self.symbols.component_count(ty) * array.unwrap_or(1);
        record.depth = record.depth.max(depth);
        let (offset, init) = (record.bytes, declarator.init.clone());
        record.fields.push(Field { name, ty, array, offset, wide_bits, init });
        record.bytes = bytes;
        true
    }

    /// How many values the parameters of one declaration take: a record is as many as it has parts.
    fn param_values(&self, decl: &ast::VarDecl) -> usize {
        let each = match &decl.ty {
            TypeName::User(name) => match self.symbols.record_names.get(&name.name) {
                Some(index) => self.symbols.component_count(crate::resolve::Type::Record(*index)) as usize,
                None => 1,
            },
            _ => 1,
        };
        each * decl.vars.len()
    }

    fn declare_signatures(&mut self, module: &ast::Module) {
        let mut next = 0;
        for item in &module.items {
            let Item::Proctype(proctype) = item else {
                next += usize::from(matches!(item, Item::Never(_) | Item::Trace(_)));
                continue;
            };
            let id = ProcId(next as u32);
            next += 1;
            let params = proctype.params.iter().map(|decl| self.param_values(decl)).sum();
            let signature = Signature { id, params, span: proctype.name.span };
            if self.symbols.constants.contains_key(&proctype.name.name) {
                self.check_new_name(&proctype.name);
            }
            if let Some(other) = self.symbols.processes.insert(proctype.name.name.clone(), signature) {
                let diagnostic = Diagnostic::error(
                    proctype.name.span,
                    format!("`{}` is declared twice", proctype.name.name),
                )
                .label(other.span, "first declared here");
                self.report(diagnostic);
            }
        }
        if next > 255 {
            self.error(module_start(module), "more than 255 process types");
        }
    }

    /// Gives every global its place: hidden ones first, then the header, then the rest, then the channels' contents.
    fn layout_globals(&mut self, module: &ast::Module) {
        let globals = |hidden: bool| {
            module.items.iter().enumerate().filter_map(move |(index, item)| match item {
                Item::Var(decl) if (decl.visibility == Visibility::Hidden) == hidden => Some((index, decl)),
                _ => None,
            })
        };
        for (index, decl) in globals(true) {
            self.item = index;
            self.declare_globals(decl);
        }
        let hidden_bytes = self.next_global_offset;
        let last = hidden_bytes + 1;
        let has_monitor = module.items.iter().any(|item| matches!(item, Item::Trace(_)));
        let monitor = has_monitor.then_some(last + 1);
        self.next_global_offset = last + if has_monitor { 3 } else { 1 };
        self.model.header = Header { hidden_bytes, last: Some(last), monitor, frames: 0 };
        for (index, decl) in globals(false) {
            self.item = index;
            self.declare_globals(decl);
        }
        for channel in &mut self.model.channels {
            channel.offset = self.next_global_offset;
            self.next_global_offset += channel.total_bytes() as u32;
        }
        if self.model.channels.len() > 255 {
            let span = self.model.channels[255].span;
            self.report_many_channels(span);
        }
        self.model.header.frames = self.next_global_offset;
    }

    fn start_actively(&mut self, proctype: &ast::Proctype, id: ProcId) {
        let count = match &proctype.active {
            Some(Some(count)) => self.constant(count, "the number of active processes").unwrap_or(1),
            Some(None) => 1,
            None => i32::from(proctype.is_init),
        };
        let priority = proctype.priority.as_ref().and_then(|priority| self.constant(priority, "a priority"));
        let priority = match priority.unwrap_or(1) {
            valid @ 1..=255 => valid as u8,
            _ => {
                self.report_priority(proctype.priority.as_ref().map_or(proctype.name.span, |p| p.span));
                1
            }
        };
        if proctype.priority.is_some() {
            self.model.uses_priorities = true;
        }
        if !(0..=255).contains(&count) || self.model.initial.len() + count as usize > 255 {
            let diagnostic = Diagnostic::error(proctype.name.span, "more than 255 processes are active")
                .help("a process number is one byte");
            self.report(diagnostic);
            return;
        }
        for _ in 0..count {
            self.model.initial.push(InitialProcess { process: id, priority });
        }
    }

    fn lower_claim(&mut self, claim: &ast::Claim) -> ProcId {
        let name = claim.name.clone().unwrap_or(ast::Ident { name: "never_0".into(), span: claim.span });
        let proctype = bare_process(name, claim.body.clone(), claim.span);
        self.lower_process(&proctype, Role::Claim)
    }

    fn lower_trace(&mut self, trace: &ast::TraceDecl) {
        let word = if trace.negated { "notrace" } else { "trace" };
        let name = trace.name.clone().unwrap_or(ast::Ident { name: word.into(), span: trace.span });
        let proctype = bare_process(name, trace.body.clone(), trace.span);
        let id = self.lower_process(&proctype, Role::Trace);
        if self.model.monitor.is_some() {
            self.error(trace.span, "only one trace or notrace assertion can be used");
        }
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for transition in self.model.transitions.iter().filter(|transition| transition.process == id) {
            for action in &transition.actions {
                if let panoptes_model::Action::Observe(observe) = action
                    && let Expr::Const(number) = observe.channel
                {
                    if observe.sent { &mut sends } else { &mut receives }.push(number as u8);
                }
            }
        }
        self.model.monitor = Some(Monitor { process: id, negated: trace.negated, sends, receives });
        debug_assert_eq!(self.model.process(id).kind, ProcessKind::Monitor);
    }

    fn lower_ltl(&mut self, property: &ast::LtlDecl) {
        let count = self.model.temporal.len();
        let name =
            property.name.as_ref().map_or_else(|| format!("ltl_{count}"), |ident| ident.name.to_string());
        if self.model.temporal.iter().any(|other| other.name == name) {
            self.error(property.span, format!("two ltl properties are named `{name}`"));
        }
        let formula = self.formula(&property.formula);
        self.model.temporal.push(TemporalProperty { name, formula, span: property.span });
    }

    fn formula(&mut self, ltl: &ast::Ltl) -> Formula {
        let mut sub = |part: &ast::Ltl| Box::new(self.formula(part));
        match &ltl.kind {
            LtlKind::Atom(expr) => Formula::Atom(self.condition(expr)),
            LtlKind::Not(f) => Formula::Not(sub(f)),
            LtlKind::Always(f) => Formula::Always(sub(f)),
            LtlKind::Eventually(f) => Formula::Eventually(sub(f)),
            LtlKind::Next(f) => Formula::Next(sub(f)),
            LtlKind::And(f, g) => Formula::And(sub(f), sub(g)),
            LtlKind::Or(f, g) => Formula::Or(sub(f), sub(g)),
            LtlKind::Implies(f, g) => Formula::Implies(sub(f), sub(g)),
            LtlKind::Equiv(f, g) => Formula::Equiv(sub(f), sub(g)),
            LtlKind::Until(f, g) => Formula::Until(sub(f), sub(g)),
            LtlKind::WeakUntil(f, g) => Formula::WeakUntil(sub(f), sub(g)),
            LtlKind::Release(f, g) => Formula::Release(sub(f), sub(g)),
        }
    }

    /// The type that a type name stands for.
    pub(super) fn named_type(&mut self, ty: &TypeName) -> Option<crate::resolve::Type> {
        use crate::resolve::Type::{Record, Scalar};
        use panoptes_model::{Display, ScalarType};
        Some(match ty {
            TypeName::Bit => Scalar(ScalarType::BIT, Display::Int),
            TypeName::Bool => Scalar(ScalarType::BIT, Display::Bool),
            TypeName::Byte | TypeName::Pid => Scalar(ScalarType::BYTE, Display::Int),
            TypeName::Short => Scalar(ScalarType::SHORT, Display::Int),
            TypeName::Int => Scalar(ScalarType::INT, Display::Int),
            TypeName::Unsigned => Scalar(ScalarType::unsigned(32), Display::Int),
            TypeName::Mtype(subtype) => {
                Scalar(ScalarType::BYTE, Display::Enum(self.enumeration_of(subtype.as_ref())))
            }
            TypeName::Chan => Scalar(ScalarType::BYTE, Display::Channel),
            TypeName::User(name) => match self.symbols.record_names.get(&name.name) {
                Some(index) => Record(*index),
                None => {
                    if !self.symbols.broken_records.contains(&name.name) {
                        self.error(name.span, format!("there is no type `{}`", name.name));
                    }
                    return None;
                }
            },
        })
    }
}

/// The first process, where messages about the whole model point.
fn module_start(module: &ast::Module) -> Span {
    let processes = module.items.iter().filter_map(|item| match item {
        Item::Proctype(proctype) => Some(proctype.name.span),
        _ => None,
    });
    processes.into_iter().next().unwrap_or_default()
}

/// A claim or trace as a process without parameters.
fn bare_process(name: ast::Ident, body: ast::Block, span: Span) -> ast::Proctype {
    ast::Proctype {
        name,
        is_init: false,
        deterministic: false,
        active: None,
        params: Vec::new(),
        priority: None,
        provided: None,
        body,
        span,
    }
}
