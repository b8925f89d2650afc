//! Conditions and formulas that are not in the text of the model but beside it, on the command line.

use super::{Cursor, Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Given, Ident, LtlDecl, UnaryOp};
use crate::token::{Punct, Token, TokenKind};
use panoptes_preprocess::{Appended, Name, Role};
use panoptes_source::Span;

impl Parser<'_> {
    /// Reads one, after the whole model: it may speak of everything in it.
    pub(super) fn given_condition(&mut self, text: Appended) -> Parse<Given> {
        let (role, span) = (text.role, text.span);
        let (end, expected) = match role {
            Role::Invariant => ("the end of the invariant", "an operator or the end of the invariant"),
            Role::Estimate => ("the end of the entry", "an operator or the end of the entry"),
            _ => ("the end of the condition", "an operator or the end of the condition"),
        };
        self.turn_to(text, end);
        let condition = self.implication()?;
        match self.at_end() {
            true => Ok(Given { role, condition, span }),
            false if self.at(Punct::Assign) => {
                let wrong = self.assignment_for_comparison();
                self.fail(wrong)
            }
            false => self.fail_expected(expected),
        }
    }

    /// Reads a temporal formula in the same way.
    pub(super) fn given_formula(&mut self, text: Appended) -> Parse<LtlDecl> {
        let span = text.span;
        let name: Name = self.sources.snippet(span).into();
        self.turn_to(text, "the end of the formula");
        let formula = self.ltl_formula()?;
        if !self.at_end() {
            return self.fail_expected("an operator or the end of the formula");
        }
        let name = Some(Ident { name, span });
        Ok(LtlDecl { name, formula, span })
    }

    /// Goes on with another text.
    fn turn_to(&mut self, text: Appended, end_name: &'static str) {
        let end = Span { lo: text.span.hi, ..text.span };
        let mark = Token {
            kind: TokenKind::End,
            span: end,
            place: end,
            spaced: true,
            line_start: true,
            new_line: true,
        };
        let tokens = self.promela_tokens(text.tokens, end);
        self.last = tokens.first().unwrap_or(&mark).clone();
        self.cursor = Cursor { tokens, at: 0, end: mark, end_name };
    }

    /// `a -> b` is not among the expressions of Promela, where an arrow ends a statement, but of use here.
    fn implication(&mut self) -> Parse<Expr> {
        let left = self.expr()?;
        if !self.at(Punct::Arrow) {
            return Ok(left);
        }
        self.bump();
        let right = self.implication()?;
        let span = self.cover(left.span, right.span);
        let not = Expr { span: left.span, kind: ExprKind::Unary(UnaryOp::Not, Box::new(left)) };
        Ok(Expr { kind: ExprKind::Binary(BinaryOp::Or, Box::new(not), Box::new(right)), span })
    }
}
