//! Expressions that must have a value before anything runs.

use super::Lowering;
use crate::ast;
use panoptes_model::{BinaryOp, Expr, UnaryOp};

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
        Expr::Unary(op, operand) => {
            let value = fold(operand)?;
            match op {
                UnaryOp::Neg => value.wrapping_neg(),
                UnaryOp::Not => i32::from(value == 0),
                UnaryOp::BitNot => !value,
            }
        }
        Expr::Binary(op, left, right) => {
            let (a, b) = (fold(left)?, fold(right)?);
            match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::Div => a.checked_div(b)?,
                BinaryOp::Rem => a.checked_rem(b)?,
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitOr => a | b,
                BinaryOp::BitXor => a ^ b,
                BinaryOp::Shl => a.wrapping_shl(b as u32),
                BinaryOp::Shr => a.wrapping_shr(b as u32),
                BinaryOp::Lt => i32::from(a < b),
                BinaryOp::Le => i32::from(a <= b),
                BinaryOp::Gt => i32::from(a > b),
                BinaryOp::Ge => i32::from(a >= b),
                BinaryOp::Eq => i32::from(a == b),
                BinaryOp::Ne => i32::from(a != b),
                BinaryOp::And => i32::from(a != 0 && b != 0),
                BinaryOp::Or => i32::from(a != 0 || b != 0),
            }
        }
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
