//! Expressions that must have a value before anything runs.

use super::Lowering;
use crate::ast;
use panoptes_model::Expr;

impl Lowering<'_> {
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
