//! Messages: what is sent, what a receive asks for, and how many fields there are.

use super::Lowering;
use super::flow::NodeKind;
use super::place::Target;
use super::process::Role;
use super::size::MESSAGE_FIELDS_MAX;
use super::stmt::simple;
use crate::ast::{self, ExprKind, RecvArg, RecvArgKind, VarRef};
use crate::resolve::Type;
use panoptes_model::{Action, Expr, Pattern, Place, Receive, Send};
use panoptes_source::{Diagnostic, Span, Warning};

impl Lowering<'_> {
    pub(super) fn send(
        &mut self,
        chan: &VarRef,
        sorted: bool,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<NodeKind> {
        match self.body().role {
            Role::Trace if sorted => return self.report_no_event(span),
            Role::Trace => {
                let patterns = args.iter().map(|arg| self.observed(arg)).collect();
                return self.observe(chan, true, patterns);
            }
            Role::Claim => return self.report_acting_claim(span),
            Role::Proctype | Role::Init => {}
        }
        let channel = self.channel(chan);
        self.check_sent_condition(chan, args);
        let args = self.message(args);
        self.check_field_count(chan, args.len(), "sent", span);
        Some(simple(Action::Send(Send { channel, args, sorted })))
    }

    pub(super) fn receive(
        &mut self,
        chan: &VarRef,
        random: bool,
        peek: bool,
        args: &[RecvArg],
        span: Span,
    ) -> Option<NodeKind> {
        match self.body().role {
            Role::Trace if random || peek => return self.report_no_event(span),
            Role::Trace => {
                let patterns = self.patterns(args);
                return self.observe(chan, false, patterns);
            }
            Role::Claim => return self.report_acting_claim(span),
            Role::Proctype | Role::Init => {}
        }
        let channel = self.channel(chan);
        let patterns = self.patterns(args);
        self.check_distinct(args);
        self.check_field_count(chan, patterns.len(), "received", span);
        Some(simple(Action::Receive(Receive { channel, patterns, random, peek })))
    }

    /// More fields than the channel has are an error here; fewer are one when the statement is executed, as in SPIN.
    fn check_field_count(&mut self, chan: &VarRef, given: usize, verb: &str, span: Span) {
        let Some(var) = self.find_var(&chan.name.name) else { return };
        if let Some(expected) = var.message_fields
            && given != expected
            && chan.field.is_none()
            && (given > expected || !self.has_errors())
        {
            let message = format!(
                "{given} {} {verb}, but messages of `{}` have {expected}",
                if given == 1 { "field" } else { "fields" },
                chan.name.name
            );
            let help = match verb {
                "sent" => "it is an error when it is executed: give a value for each field",
                _ => "it is an error when it is executed: write `_` for a field that is not needed",
            };
            let diagnostic = match given > expected {
                true => Diagnostic::error(span, message),
                false => Diagnostic::warning(Warning::MissingFields, span, message).help(help),
            };
            self.report(diagnostic.label(var.span, "the channel is declared here"));
        }
    }

    /// A variable that takes two fields keeps only one of them: a mistake, as in SPIN.
    fn check_distinct(&mut self, args: &[RecvArg]) {
        let mut seen: Vec<&VarRef> = Vec::new();
        for arg in args {
            let RecvArgKind::Ref(var) = &arg.kind else { continue };
            let is_plain = var.index.is_none() && var.field.is_none();
            if !is_plain || self.find_var(&var.name.name).is_none() {
                continue;
            }
            if let Some(first) = seen.iter().find(|other| other.name.name == var.name.name) {
                let message = format!("`{}` takes two fields of the same message", var.name.name);
                let diagnostic = Diagnostic::error(var.span, message)
                    .label(first.span, "the first one")
                    .help("write `_` for a field that is not needed");
                self.report(diagnostic);
            }
            seen.push(var);
        }
    }

    /// The values of a message: a record stands for its fields.
    pub(super) fn message(&mut self, args: &[ast::Expr]) -> Vec<Expr> {
        let mut values = Vec::new();
        for arg in args {
            if let ExprKind::Ref(var) = &arg.kind
                && self.find_var(&var.name.name).is_some()
            {
                values.extend(self.fields_of(var).into_iter().map(Expr::load));
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
                RecvArgKind::Ref(var) if self.find_var(&var.name.name).is_some() => {
                    patterns.extend(self.fields_of(var).into_iter().map(Pattern::Bind));
                }
                RecvArgKind::Ref(var) if &*var.name.name == "_" => patterns.push(Pattern::Any),
                RecvArgKind::Ref(var) => {
                    let value = self.reference(var);
                    patterns.push(Pattern::Match(value));
                }
            }
        }
        patterns
    }

    /// The places a variable takes in a message: a record takes one for each of its parts.
    pub(super) fn fields_of(&mut self, var: &VarRef) -> Vec<Place> {
        match self.target(var) {
            Some(Target::Scalar(place, _)) => vec![place],
            Some(Target::Record(place, index)) => {
                let ty = Type::Record(index);
                let mut parts = Vec::new();
                if self.symbols.component_count(ty) > MESSAGE_FIELDS_MAX {
                    self.report_many_fields(var.span);
                } else {
                    self.parts(place, ty, &mut parts);
                }
                parts
            }
            Some(Target::Array(name, len)) => {
                self.report_missing_index(var, &name, len);
                Vec::new()
            }
            None => Vec::new(),
        }
    }
}
