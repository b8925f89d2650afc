//! What is allowed but hardly meant.

use super::Lowering;
use super::process::Role;
use crate::ast::{Block, StmtKind, VarRef};
use crate::resolve::Type;
use panoptes_model::{BinaryOp, Expr, ScalarType, UnaryOp};
use panoptes_source::{Diagnostic, Span, Warning};

impl Lowering<'_> {
    /// `else` beside a send or receive is taken when the channel happens to be full or empty: seldom a decision that a
    /// protocol should rest on.
    pub(super) fn warn_of_dubious_else(&mut self, options: &[Block]) {
        let is_io = |block: &&Block| {
            let first = block.stmts.first().map(|stmt| &stmt.kind);
            matches!(first, Some(StmtKind::Send { .. } | StmtKind::Receive { .. }))
        };
        let otherwise = options.iter().find_map(|block| {
            block.stmts.first().filter(|stmt| matches!(stmt.kind, StmtKind::Else)).map(|stmt| stmt.span)
        });
        if let (Some(io), Some(otherwise)) = (options.iter().find(is_io), otherwise) {
            let span = io.stmts[0].span;
            let diagnostic = Diagnostic::warning(
                Warning::ElseBesideMessage,
                otherwise,
                "dubious use of `else` beside a send or receive",
            )
            .label(span, "`else` is taken whenever this one cannot be executed at once")
            .help("ask for the channel's state with `nempty`, `nfull` or `len`, or wait with `timeout`");
            self.report(diagnostic);
        }
    }

    /// An element of a bit array keeps a whole byte, unlike a single bit.
    pub(super) fn check_bits(&mut self, target: &VarRef) {
        if !self.names_wide_bits(target) {
            return;
        }
        let text = self.sources.snippet(target.span);
        let message = format!("`{text}` keeps a whole byte: values above 1 are not cut to a bit");
        let help = "bits in arrays take a byte each, as in SPIN: assign 0 or 1";
        self.report(Diagnostic::warning(Warning::WideBit, target.span, message).help(help));
    }

    pub(super) fn names_wide_bits(&self, target: &VarRef) -> bool {
        let Some(var) = self.find_var(&target.name.name) else { return false };
        let (mut ty, mut wide, mut reference) = (var.ty, var.wide_bits, target);
        while let Some(field) = &reference.field {
            let Type::Record(index) = ty else { return false };
            let fields = &self.symbols.records[index].fields;
            let Some(found) = fields.iter().find(|f| f.name == field.name.name) else { return false };
            (ty, wide, reference) = (found.ty, found.wide_bits, field);
        }
        wide
    }

    /// A never claim that changes what it watches.
    pub(super) fn check_side_effect(&mut self, span: Span) {
        if self.body().role == Role::Claim {
            let diagnostic =
                Diagnostic::warning(Warning::ClaimSideEffect, span, "a never claim with a side effect")
                    .help("it changes the system that it is to watch");
            self.report(diagnostic);
        }
    }
}

/// Can the value plainly be something else than 0 or 1?
pub(super) fn may_exceed_bit(value: &Expr) -> bool {
    match value {
        Expr::Const(value) => !(0..=1).contains(value),
        Expr::Load(place) => place.ty != ScalarType::BIT && place.ty != ScalarType::BYTE,
        Expr::Unary(op, _) => *op != UnaryOp::Not,
        Expr::Binary(op, ..) => matches!(op, BinaryOp::Add | BinaryOp::Mul | BinaryOp::Shl),
        _ => false,
    }
}
