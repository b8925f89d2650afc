//! Warnings about values: constants that a type cannot hold, and comparisons that always come out the same.

use super::Lowering;
use super::constant::fold;
use super::process::Role;
use crate::ast::{self, ExprKind};
use panoptes_model::{BinaryOp, Expr, Place, ScalarType};
use panoptes_source::{Diagnostic, ExpansionKind, Span, Warning};

impl Lowering<'_> {
    /// A constant that is something else once it is stored.
    pub(super) fn check_fits(&mut self, name: &str, ty: ScalarType, value: &Expr, span: Span) {
        let Some(value) = fold(value) else { return };
        let kept = ty.wrap(value);
        if kept == value {
            return;
        }
        let (low, high) = range(ty);
        let message = format!("{value} does not fit into `{name}`, which keeps it as {kept}");
        let help = match (low..=high).contains(&value) {
            // More than 32 bits: the number itself was cut, which has its own warning.
            true => return,
            false => format!("{} holds {low} to {high}; take a larger type", type_name(ty)),
        };
        self.report(Diagnostic::warning(Warning::ValueTooLarge, span, message).help(help));
    }

    /// `x < 0` where `x` is never negative, and the like.
    pub(super) fn check_comparison(&mut self, op: BinaryOp, left: &Expr, right: &Expr, expr: &ast::Expr) {
        let (place, op, constant) = match (left, right) {
            (Expr::Load(place), Expr::Const(constant)) => (place, op, *constant),
            (Expr::Const(constant), Expr::Load(place)) => match mirrored(op) {
                Some(op) => (place, op, *constant),
                None => return,
            },
            _ => return,
        };
        let Some(holds) = always(op, range(place.ty), constant) else { return };
        // A limit that is zero for the moment: `i < N` with `#define N 0`.
        if self.has_errors() || constant == 0 && self.has_macro(expr) {
            return;
        }
        let text = self.statement_text(expr.span);
        let (low, high) = range(place.ty);
        let (warning, verb) = match holds {
            true => (Warning::AlwaysTrue, "always holds"),
            false => (Warning::AlwaysFalse, "never holds"),
        };
        let message = format!("`{text}` {verb}");
        let why = format!("`{}` is {} and holds {low} to {high}", place.name, type_name(place.ty));
        let signed = if constant < 0 || low == 0 && constant == 0 {
            "; `short` and `int` can be negative"
        } else {
            ""
        };
        self.report(Diagnostic::warning(warning, expr.span, message).help(why + signed));
    }

    /// A condition in which nothing can change, and which is not plainly written as `false`.
    pub(super) fn check_constant_guard(&mut self, condition: &Expr, expr: &ast::Expr) {
        if self.body().role == Role::Claim {
            return;
        }
        let is_computed = matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Unary(..));
        // A macro is how models are told which variant they are.
        if is_computed && fold(condition) == Some(0) && !self.has_macro(expr) && !self.has_errors() {
            let message =
                format!("`{}` never holds: nothing in it can change", self.statement_text(expr.span));
            let help = "the process waits here for ever; write `false` if that is meant";
            self.report(Diagnostic::warning(Warning::AlwaysFalse, expr.span, message).help(help));
        }
    }

    /// `for (i : 0 .. 255)` with a byte: `i` is never larger, so that the loop does not end.
    pub(super) fn check_loop_ends(&mut self, counter: &Place, to: &Expr, span: Span) {
        let (_, high) = range(counter.ty);
        let Some(last) = fold(to).filter(|last| *last >= high) else { return };
        let message = format!("this loop does not end: `{}` never becomes larger than {last}", counter.name);
        let help = format!("it is {} and holds at most {high}; take a larger type", type_name(counter.ty));
        self.report(Diagnostic::warning(Warning::EndlessFor, span, message).help(help));
    }

    /// A constant index that no element has.
    pub(super) fn check_index(&mut self, index: &Expr, array: &str, len: u32, var: &ast::VarRef) {
        let Some(index) =
            fold(index).filter(|index| u32::try_from(*index).is_ok_and(|index| index >= len) || *index < 0)
        else {
            return;
        };
        let span = var.index.as_ref().map_or(var.span, |index| index.span);
        let message = format!("`{array}` has no element {index}");
        let help = format!("its elements are 0 to {}; it is an error when this is executed", len - 1);
        self.report(Diagnostic::warning(Warning::IndexOutOfRange, span, message).help(help));
    }

    /// Does a macro stand in the expression, or did one bring it here?
    fn has_macro(&self, expr: &ast::Expr) -> bool {
        let chain = self.sources.expansion_chain(expr.span);
        chain.iter().any(|expansion| expansion.kind == ExpansionKind::Macro)
            || match &expr.kind {
                ExprKind::Unary(_, operand) => self.has_macro(operand),
                ExprKind::Binary(_, left, right) => self.has_macro(left) || self.has_macro(right),
                ExprKind::Cond(condition, then, otherwise) => {
                    [condition, then, otherwise].into_iter().any(|part| self.has_macro(part))
                }
                _ => false,
            }
    }
}

/// The smallest and the largest value of a type.
fn range(ty: ScalarType) -> (i32, i32) {
    match (ty.signed, ty.bits) {
        (true, bits) => (i32::MIN >> (32 - bits), i32::MAX >> (32 - bits)),
        (false, 32..) => (i32::MIN, i32::MAX),
        (false, bits) => (0, ((1u32 << bits) - 1) as i32),
    }
}

fn type_name(ty: ScalarType) -> String {
    match ty {
        ScalarType::BIT => "a bit".to_string(),
        ScalarType::BYTE => "a byte".to_string(),
        ScalarType::SHORT => "a short".to_string(),
        ScalarType::INT => "an int".to_string(),
        other => format!("an unsigned of {} bits", other.bits),
    }
}

/// The operator that says the same with its sides exchanged.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        BinaryOp::Eq | BinaryOp::Ne => op,
        _ => return None,
    })
}

/// What a comparison of any value of the range with the constant gives, if always the same.
fn always(op: BinaryOp, (low, high): (i32, i32), constant: i32) -> Option<bool> {
    if (low, high) == (i32::MIN, i32::MAX) {
        return None;
    }
    let (below, above) = (constant < low, constant > high);
    match op {
        BinaryOp::Eq if below || above => Some(false),
        BinaryOp::Ne if below || above => Some(true),
        BinaryOp::Lt if constant <= low => Some(false),
        BinaryOp::Lt if above => Some(true),
        BinaryOp::Le if below => Some(false),
        BinaryOp::Le if constant >= high => Some(true),
        BinaryOp::Gt if constant >= high => Some(false),
        BinaryOp::Gt if below => Some(true),
        BinaryOp::Ge if above => Some(false),
        BinaryOp::Ge if constant <= low => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against trying every value.
    #[test]
    fn comparisons_that_are_decided() {
        let ops = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];
        for ty in [ScalarType::BIT, ScalarType::BYTE, ScalarType::unsigned(3)] {
            let (low, high) = range(ty);
            for op in ops {
                for constant in -3..260 {
                    let results: Vec<bool> =
                        (low..=high).map(|value| op.apply(value, constant) != Some(0)).collect();
                    let same = results.iter().all(|result| *result == results[0]).then_some(results[0]);
                    assert_eq!(always(op, (low, high), constant), same, "{ty:?} {op:?} {constant}");
                }
            }
        }
        assert_eq!(range(ScalarType::SHORT), (-32768, 32767));
    }
}
