//! Invariants: conditions that are not in the text of the model but beside it, on the command line.

use super::{Cursor, Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Ident, LtlDecl, UnaryOp};
use crate::token::{Punct, Token, TokenKind};
use panoptes_preprocess::Appended;
use panoptes_source::Span;

impl Parser<'_> {
    /// Reads one, after the whole model: it may speak of everything in it.
    pub(super) fn invariant(&mut self, text: Appended) -> Parse<Expr> {
        self.turn_to(text, "the end of the invariant");
        let condition = self.implication()?;
        match self.at_end() {
            true => Ok(condition),
            false if self.at(Punct::Assign) => {
                let wrong = self.assignment_for_comparison();
                self.fail(wrong)
            }
            false => self.fail_expected("an operator or the end of the invariant"),
        }
    }

    /// Reads a temporal formula in the same way.
    pub(super) fn given_formula(&mut self, text: Appended) -> Parse<LtlDecl> {
        let written = self.sources.file(text.file).text.clone();
        let span = Span { file: text.file, lo: 0, hi: written.trim_end().len() as u32, expansion: None };
        self.turn_to(text, "the end of the formula");
        let formula = self.ltl_formula()?;
        if !self.at_end() {
            return self.fail_expected("an operator or the end of the formula");
        }
        let name = Some(Ident { name: written.trim().into(), span });
        Ok(LtlDecl { name, formula, span })
    }

    /// Goes on with another text.
    fn turn_to(&mut self, text: Appended, end_name: &'static str) {
        let end = self.sources.file(text.file).text.trim_end().len() as u32;
        let end = Span { file: text.file, lo: end, hi: end, expansion: None };
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
