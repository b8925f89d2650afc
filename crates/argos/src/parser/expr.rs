//! Expressions: those of C over short integers, without side effects.

use super::{EXPRESSION_DEPTH_MAX, Parse, Parser};
use crate::ast::{Expr, ExprKind};
use crate::token::{Punct, TokenKind};
use panoptes_model::{BinaryOp, UnaryOp};
use panoptes_source::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.binary(0)
    }

    /// Fails where an expression is nested too deeply for those who walk it.
    fn within<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.expression_depth >= EXPRESSION_DEPTH_MAX {
            return self.fail(Diagnostic::error(self.peek().span, "the expression is nested too deeply"));
        }
        self.expression_depth += 1;
        let result = parse(self);
        self.expression_depth -= 1;
        result
    }

    fn binary(&mut self, weakest: u8) -> Parse<Expr> {
        let start = self.peek().place;
        let mut left = self.unary()?;
        let mut height = 0;
        while let TokenKind::Punct(punct) = self.peek().kind {
            let Some(op) = BinaryOp::of_sign(punct.text()).filter(|op| op.tightness() >= weakest) else {
                break;
            };
            // A long chain is as deep as a nested one.
            height += 1;
            if height > EXPRESSION_DEPTH_MAX {
                return self.fail(Diagnostic::error(self.peek().span, "the expression is too long"));
            }
            self.bump();
            if self.at(Punct::Assign) && !self.peek().spaced {
                let (sign, name) = (punct.text(), self.sources.snippet(left.span));
                let wrong = Diagnostic::error(self.last.span, format!("there is no `{sign}=` in Argos"))
                    .help(format!("write `{name} = {name} {sign} …`"));
                return self.fail(wrong);
            }
            let right = self.within(|this| this.binary(op.tightness() + 1))?;
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { kind, span: self.span_from(start) };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parse<Expr> {
        let start = self.peek().place;
        let op = match self.peek().kind {
            TokenKind::Punct(Punct::Minus) => UnaryOp::Neg,
            TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
            TokenKind::Punct(Punct::Tilde) => UnaryOp::BitNot,
            _ => return self.primary(start),
        };
        self.bump();
        let operand = self.within(Self::unary)?;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span: self.span_from(start) })
    }

    fn primary(&mut self, start: Span) -> Parse<Expr> {
        let kind = match self.peek().kind.clone() {
            TokenKind::Number(text) => {
                let Ok(value) = text.parse() else {
                    let message = format!("`{text}` is not a number that fits");
                    let wrong = Diagnostic::error(self.peek().span, message);
                    return self.fail(wrong.help("numbers are decimal; values are kept modulo 32768"));
                };
                self.bump();
                ExprKind::Number(value)
            }
            TokenKind::Char(value) => {
                self.bump();
                ExprKind::Number(value as i32)
            }
            TokenKind::Ident(name) => {
                self.bump();
                ExprKind::Variable(name)
            }
            TokenKind::Punct(Punct::LParen) => {
                self.bump();
                let inner = self.within(Self::expr)?;
                self.expect(Punct::RParen, " after the expression")?;
                return Ok(Expr { kind: inner.kind, span: self.span_from(start) });
            }
            _ => return self.fail_expected("an expression"),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }
}
