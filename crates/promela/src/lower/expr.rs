//! Expressions, places and messages.

use super::{Lowering, ending};
use crate::ast::{self, ChanTest, ExprKind, RecvArg, RecvArgKind, VarRef};
use crate::resolve::{Type, Var};
use panoptes_model::{
    ChannelTest, Display, Expr, IndexTerm, Pattern, Place, Receive, Region, ScalarType, Spawn,
};
use panoptes_source::{Diagnostic, Span};

/// What a variable reference leads to.
pub(super) enum Target {
    Scalar(Place, Display),
    /// A whole record, or an array without its index: its scalar parts in order.
    Parts(Vec<Place>),
}

impl Lowering<'_> {
    /// An expression whose value is assigned, sent, printed or compared; processes may be created in it.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Int(value) => match i32::try_from(*value) {
                Ok(value) => Expr::Const(value),
                Err(_) if u32::try_from(*value).is_ok() => Expr::Const(*value as u32 as i32),
                Err(_) => {
                    self.error(expr.span, format!("the number {value} does not fit 32 bits"));
                    Expr::Const(0)
                }
            },
            ExprKind::Ref(var) => self.reference(var),
            ExprKind::Unary(op, operand) => Expr::Unary(*op, Box::new(self.value(operand))),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                Expr::binary(*op, left, right)
            }
            ExprKind::Cond(condition, then, otherwise) => Expr::Cond(
                Box::new(self.value(condition)),
                Box::new(self.value(then)),
                Box::new(self.value(otherwise)),
            ),
            ExprKind::Run { name, args, priority } => {
                let spawn = self.spawn(name, args, priority.as_deref(), expr.span);
                spawn.map_or(Expr::Const(0), |spawn| Expr::Spawn(Box::new(spawn)))
            }
            ExprKind::ChanTest(test, chan) => {
                let test = match test {
                    ChanTest::Len => ChannelTest::Len,
                    ChanTest::Empty => ChannelTest::Empty,
                    ChanTest::Nempty => ChannelTest::NotEmpty,
                    ChanTest::Full => ChannelTest::Full,
                    ChanTest::Nfull => ChannelTest::NotFull,
                };
                Expr::Channel(test, Box::new(self.channel(chan)))
            }
            ExprKind::Poll { chan, random, args } => {
                let channel = self.channel(chan);
                let patterns = self.patterns(args);
                Expr::Poll(Box::new(Receive { channel, patterns, random: *random, peek: true }))
            }
            ExprKind::Timeout => Expr::Timeout,
            ExprKind::Np => Expr::NonProgress,
            ExprKind::Enabled(pid) => Expr::Enabled(Box::new(self.value(pid))),
            ExprKind::PcValue(pid) => Expr::ControlPoint(Box::new(self.value(pid))),
            ExprKind::GetPriority(pid) => {
                self.model.uses_priorities = true;
                Expr::Priority(Box::new(self.value(pid)))
            }
            ExprKind::RemoteLabel { process, index, label } => {
                self.remote_label(process, index.as_deref(), label)
            }
            ExprKind::RemoteVar { process, index, var } => self.remote_var(process, index.as_deref(), var),
        }
    }

    /// An expression that only looks: a guard, an assertion, an index.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Expr {
        let value = self.value(expr);
        if value.any(&|e| matches!(e, Expr::Spawn(_))) {
            let diagnostic = Diagnostic::error(expr.span, "`run` inside a larger expression")
                .help("`run` can be a statement of its own or the value of an assignment");
            self.report(diagnostic);
            return Expr::Const(1);
        }
        value
    }

    fn reference(&mut self, var: &VarRef) -> Expr {
        if self.find_var(&var.name.name).is_none() {
            if let Some((value, _)) = self.symbols.constants.get(&var.name.name) {
                return Expr::Const(*value);
            }
            match &*var.name.name {
                "_pid" => return Expr::SelfPid,
                "_nr_pr" => return Expr::ProcessCount,
                "_last" => {
                    self.uses_last = true;
                    return Expr::LastPid;
                }
                "_priority" => {
                    self.model.uses_priorities = true;
                    return Expr::Priority(Box::new(Expr::SelfPid));
                }
                "_" => {
                    self.error(var.span, "`_` can be written but not read");
                    return Expr::Const(0);
                }
                _ => {}
            }
        }
        match self.target(var) {
            Some(Target::Scalar(place, _)) => Expr::load(place),
            Some(Target::Parts(_)) => {
                self.error(var.span, format!("`{}` is not a single value", self.sources.snippet(var.span)));
                Expr::Const(0)
            }
            None => Expr::Const(0),
        }
    }

    /// The variable a name stands for here.
    pub(super) fn find_var(&self, name: &str) -> Option<&Var> {
        self.scopes.find(name).or_else(|| {
            self.symbols.globals.get(name).filter(|(item, _)| *item <= self.item).map(|(_, var)| var)
        })
    }

    /// The place a reference names; reports what is wrong with it.
    pub(super) fn target(&mut self, var: &VarRef) -> Option<Target> {
        let Some(found) = self.find_var(&var.name.name).cloned() else {
            let diagnostic =
                Diagnostic::error(var.name.span, format!("undeclared variable `{}`", var.name.name));
            let diagnostic = match self.symbols.globals.get(&var.name.name) {
                Some((_, later)) => diagnostic.label(later.span, "it is declared only here, further down"),
                None => diagnostic,
            };
            self.report(diagnostic);
            return None;
        };
        let start = Place {
            region: found.region,
            offset: found.offset,
            ty: ScalarType::BYTE,
            indices: Vec::new(),
            name: found.name.to_string(),
        };
        self.follow(var, start, found.ty, found.array)
    }

    /// Applies the index and field of `var` to a place of the given type.
    fn follow(&mut self, var: &VarRef, mut place: Place, ty: Type, array: Option<u32>) -> Option<Target> {
        let size = self.symbols.type_bytes(ty);
        match (&var.index, array) {
            (Some(index), Some(len)) => {
                let value = self.condition(index);
                match value {
                    Expr::Const(constant) if constant >= 0 && (constant as u32) < len => {
                        place.offset += constant as u32 * size;
                        place.name = format!("{}[{constant}]", place.name);
                    }
                    index => {
                        place.name.push_str("[]");
                        place.indices.push(IndexTerm { index, len, stride: size });
                    }
                }
            }
            (None, None) => {}
            (Some(index), None) => {
                let value = self.condition(index);
                if !matches!(value, Expr::Const(0)) {
                    self.error(var.span, format!("`{}` is not an array", var.name.name));
                }
            }
            (None, Some(_)) if var.field.is_some() => {
                self.error(var.span, format!("missing array index for `{}`", var.name.name));
                return None;
            }
            (None, Some(len)) => {
                let mut parts = Vec::new();
                for element in 0..len {
                    let element_place = Place { offset: place.offset + element * size, ..place.clone() };
                    self.parts(element_place, ty, &mut parts);
                }
                return Some(Target::Parts(parts));
            }
        }
        match (&var.field, ty) {
            (None, Type::Scalar(scalar, display)) => {
                Some(Target::Scalar(Place { ty: scalar, ..place }, display))
            }
            (None, Type::Record(_)) => {
                let mut parts = Vec::new();
                self.parts(place, ty, &mut parts);
                Some(Target::Parts(parts))
            }
            (Some(field), Type::Scalar(..)) => {
                self.error(field.span, format!("`{}` is not a record", var.name.name));
                None
            }
            (Some(field), Type::Record(index)) => {
                let record = &self.symbols.records[index];
                let Some(found) = record.fields.iter().find(|f| f.name == field.name.name).cloned() else {
                    let names: Vec<&str> = record.fields.iter().map(|f| &*f.name).collect();
                    let help = format!("`{}` has the fields {}", record.name, names.join(", "));
                    let message = format!("`{}` has no field `{}`", var.name.name, field.name.name);
                    self.report(Diagnostic::error(field.name.span, message).help(help));
                    return None;
                };
                place.offset += found.offset;
                place.name = format!("{}.{}", place.name, found.name);
                self.follow(field, place, found.ty, found.array)
            }
        }
    }

    /// The scalar parts of a value at `place`, in message order.
    fn parts(&self, place: Place, ty: Type, out: &mut Vec<Place>) {
        match ty {
            Type::Scalar(scalar, _) => out.push(Place { ty: scalar, ..place }),
            Type::Record(index) => {
                for field in &self.symbols.records[index].fields {
                    let size = self.symbols.type_bytes(field.ty);
                    for element in 0..field.array.unwrap_or(1) {
                        let offset = place.offset + field.offset + element * size;
                        let name = format!("{}.{}", place.name, field.name);
                        self.parts(Place { offset, name, ..place.clone() }, field.ty, out);
                    }
                }
            }
        }
    }

    /// A place that can be assigned to.
    pub(super) fn assignable(&mut self, var: &VarRef) -> Option<Place> {
        if self.find_var(&var.name.name).is_none() {
            let name = &*var.name.name;
            if self.symbols.constants.contains_key(name) {
                self.error(var.span, format!("`{name}` is a constant"));
                return None;
            }
            if matches!(name, "_pid" | "_nr_pr" | "_last") {
                self.error(var.span, format!("`{name}` cannot be assigned to"));
                return None;
            }
        }
        match self.target(var)? {
            Target::Scalar(place, _) => Some(place),
            Target::Parts(_) => {
                let text = self.sources.snippet(var.span).to_string();
                self.report(
                    Diagnostic::error(var.span, format!("`{text}` is not a single value"))
                        .help("give the array index or the field"),
                );
                None
            }
        }
    }

    /// The number of the channel that a reference names.
    pub(super) fn channel(&mut self, var: &VarRef) -> Expr {
        if self.find_var(&var.name.name).is_none() && self.symbols.constants.contains_key(&var.name.name) {
            self.error(var.span, format!("`{}` is not a channel", var.name.name));
            return Expr::Const(0);
        }
        match self.target(var) {
            Some(Target::Scalar(place, Display::Channel)) => Expr::load(place),
            // Numbers of channels may be kept in bytes; SPIN only asks that the name is a variable of that size.
            Some(Target::Scalar(place, Display::Int)) if place.ty == ScalarType::BYTE => Expr::load(place),
            Some(Target::Scalar(..)) => {
                self.error(var.span, format!("`{}` is not a channel", self.sources.snippet(var.span)));
                Expr::Const(0)
            }
            Some(Target::Parts(_)) => {
                self.error(var.span, format!("missing array index for `{}`", self.sources.snippet(var.span)));
                Expr::Const(0)
            }
            None => Expr::Const(0),
        }
    }

    /// The values of a message: a record stands for its fields.
    pub(super) fn message(&mut self, args: &[ast::Expr]) -> Vec<Expr> {
        let mut values = Vec::new();
        for arg in args {
            if let ExprKind::Ref(var) = &arg.kind
                && self.find_var(&var.name.name).is_some()
            {
                match self.target(var) {
                    Some(Target::Scalar(place, _)) => values.push(Expr::load(place)),
                    Some(Target::Parts(parts)) => values.extend(parts.into_iter().map(Expr::load)),
                    None => {}
                }
            } else {
                values.push(self.condition(arg));
            }
        }
        values
    }

    pub(super) fn patterns(&mut self, args: &[RecvArg]) -> Vec<Pattern> {
        let mut patterns = Vec::new();
        for arg in args {
            match &arg.kind {
                RecvArgKind::Const(value) => patterns.push(Pattern::Match(Expr::Const(*value as i32))),
                RecvArgKind::Eval(value) => {
                    let value = self.condition(value);
                    patterns.push(Pattern::Match(value));
                }
                RecvArgKind::Ref(var) if self.find_var(&var.name.name).is_some() => match self.target(var) {
                    Some(Target::Scalar(place, _)) => patterns.push(Pattern::Bind(place)),
                    Some(Target::Parts(parts)) => patterns.extend(parts.into_iter().map(Pattern::Bind)),
                    None => {}
                },
                RecvArgKind::Ref(var) if &*var.name.name == "_" => patterns.push(Pattern::Any),
                RecvArgKind::Ref(var) => {
                    let value = self.reference(var);
                    patterns.push(Pattern::Match(value));
                }
            }
        }
        patterns
    }

    pub(super) fn spawn(
        &mut self,
        name: &ast::Ident,
        args: &[ast::Expr],
        priority: Option<&ast::Expr>,
        span: Span,
    ) -> Option<Spawn> {
        let Some(signature) = self.symbols.processes.get(&name.name).cloned() else {
            self.error(name.span, format!("there is no proctype `{}`", name.name));
            return None;
        };
        let args: Vec<Expr> = args.iter().map(|arg| self.condition(arg)).collect();
        if args.len() > signature.params {
            let message = format!(
                "`{}` takes {} parameter{}, but {} {} given",
                name.name,
                signature.params,
                ending(signature.params),
                args.len(),
                if args.len() == 1 { "is" } else { "are" },
            );
            self.report(Diagnostic::error(span, message).label(signature.span, "declared here"));
            return None;
        }
        let priority = priority.map(|priority| {
            self.model.uses_priorities = true;
            self.condition(priority)
        });
        Some(Spawn { process: signature.id, args, priority })
    }

    fn remote_pid(
        &mut self,
        process: &ast::Ident,
        index: Option<&ast::Expr>,
    ) -> Option<(panoptes_model::ProcId, Expr)> {
        let Some(signature) = self.symbols.processes.get(&process.name).cloned() else {
            self.error(process.span, format!("there is no proctype `{}`", process.name));
            return None;
        };
        let pid = match index {
            Some(index) => self.condition(index),
            None => Expr::PidOf(signature.id),
        };
        Some((signature.id, pid))
    }

    fn remote_label(&mut self, process: &ast::Ident, index: Option<&ast::Expr>, label: &ast::Ident) -> Expr {
        let Some((id, pid)) = self.remote_pid(process, index) else { return Expr::Const(0) };
        self.points_forward = true;
        self.symbols.remote_labels.insert((process.name.clone(), label.name.clone()));
        let anatomy = self.symbols.anatomy.get(&process.name);
        let known = anatomy.and_then(|anatomy| anatomy.labels.get(&label.name)).copied();
        if known.is_none() && self.anatomy_complete {
            self.error(label.span, format!("`{}` has no label `{}`", process.name, label.name));
        }
        let state = known.unwrap_or(0);
        Expr::AtState { process: id, pid: Box::new(pid), state, label: label.name.to_string() }
    }

    fn remote_var(&mut self, process: &ast::Ident, index: Option<&ast::Expr>, var: &VarRef) -> Expr {
        let Some((id, pid)) = self.remote_pid(process, index) else { return Expr::Const(0) };
        let known =
            self.symbols.anatomy.get(&process.name).and_then(|anatomy| anatomy.locals.get(&var.name.name));
        let Some(found) = known.cloned() else {
            if self.anatomy_complete {
                self.error(var.name.span, format!("`{}` has no variable `{}`", process.name, var.name.name));
            }
            self.points_forward = true;
            return Expr::Const(0);
        };
        let start = Place {
            region: Region::Local,
            offset: found.offset,
            ty: ScalarType::BYTE,
            indices: Vec::new(),
            name: found.name.to_string(),
        };
        match self.follow(var, start, found.ty, found.array) {
            Some(Target::Scalar(place, _)) => {
                Expr::Remote { process: id, pid: Box::new(pid), place: Box::new(place) }
            }
            Some(Target::Parts(_)) => {
                self.error(var.span, format!("`{}` is not a single value", var.name.name));
                Expr::Const(0)
            }
            None => Expr::Const(0),
        }
    }

    /// The value of an expression that must be known before anything runs.
    pub(super) fn constant(&mut self, expr: &ast::Expr, what: &str) -> Option<i32> {
        let value = self.condition(expr);
        let folded = fold(&value);
        if folded.is_none() {
            self.error(expr.span, format!("{what} must be a constant"));
        }
        folded
    }
}

/// The value of a constant expression.
pub(super) fn fold(expr: &Expr) -> Option<i32> {
    Some(match expr {
        Expr::Const(value) => *value,
        Expr::Unary(op, operand) => op.apply(fold(operand)?),
        Expr::Binary(op, left, right) => op.apply(fold(left)?, fold(right)?)?,
        Expr::Cond(condition, then, otherwise) => {
            if fold(condition)? != 0 {
                fold(then)?
            } else {
                fold(otherwise)?
            }
        }
        _ => return None,
    })
}
