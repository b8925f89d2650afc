//! LTL formulas.
//!
//! SPIN reads them with the grammar of expressions and some more operators, and so do we: a formula without temporal
//! operators can be an operand of `+` or `==`. Unary operators bind strongest (`[] a U b` is `([] a) U b`), then
//! arithmetic, then `U`, `V` and `W`, then `&&`, `||`, and last `->` and `<->`; all are left-associative.

use super::expr::{Tall, binary_op};
use super::{Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Ltl, LtlKind, UnaryOp};
use crate::token::{Punct, TokenKind};
use crate::with_stack;
use panoptes_source::{Diagnostic, Span};

/// What was read: a plain expression as long as it is one, so that it can still become an operand of arithmetic.
enum Formula {
    Plain(Tall),
    Logic(TallLtl),
}

struct TallLtl {
    ltl: Ltl,
    height: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Implies,
    Equiv,
    Or,
    And,
    Until,
    WeakUntil,
    Release,
    Arithmetic(BinaryOp),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Always,
    Eventually,
    Next,
    Not,
    Value(UnaryOp),
}

impl Parser<'_> {
    pub(super) fn ltl_formula(&mut self) -> Parse<Ltl> {
        self.in_ltl = true;
        let formula = self.formula(0);
        self.in_ltl = false;
        Ok(logic(formula?).ltl)
    }

    fn formula(&mut self, weakest: u8) -> Parse<Formula> {
        let mut left = self.prefixed()?;
        while let Some((op, strength, length)) =
            self.operator().filter(|(_, strength, _)| *strength >= weakest)
        {
            self.skip_tokens(length);
            let right = self.formula(strength + 1)?;
            let mut operands = vec![left, right];
            while let Some((next, _, length)) = self.operator().filter(|(next, ..)| *next == op) {
                debug_assert!(next == op);
                self.skip_tokens(length);
                operands.push(self.formula(strength + 1)?);
            }
            left = self.combine(op, operands)?;
        }
        Ok(left)
    }

    fn skip_tokens(&mut self, length: usize) {
        for _ in 0..length {
            self.bump();
        }
    }

    /// The binary operator here, how strongly it binds, and of how many tokens it is made: the lexer knows no `<->`.
    fn operator(&self) -> Option<(Operator, u8, usize)> {
        let (op, strength) = match &self.peek().kind {
            TokenKind::Punct(Punct::Arrow) => (Operator::Implies, 0),
            TokenKind::Punct(Punct::Lt) if self.followed_by(Punct::Arrow) => {
                return Some((Operator::Equiv, 0, 2));
            }
            TokenKind::Punct(Punct::OrOr) => (Operator::Or, 1),
            TokenKind::Punct(Punct::AndAnd) => (Operator::And, 2),
            TokenKind::Punct(sign) => {
                let (op, strength) = binary_op(*sign)?;
                (Operator::Arithmetic(op), strength + 1)
            }
            TokenKind::Ident(word) => match &**word {
                "implies" => (Operator::Implies, 0),
                "equivalent" => (Operator::Equiv, 0),
                "until" | "stronguntil" | "U" => (Operator::Until, 3),
                "weakuntil" | "W" => (Operator::WeakUntil, 3),
                "release" | "V" => (Operator::Release, 3),
                _ => return None,
            },
            _ => return None,
        };
        Some((op, strength, 1))
    }

    /// The next token is this one, with nothing between.
    fn followed_by(&self, punct: Punct) -> bool {
        self.peek_at(1).is(punct) && !self.peek_at(1).spaced
    }

    fn prefix(&self) -> Option<(Prefix, usize)> {
        let prefix = match &self.peek().kind {
            TokenKind::Punct(Punct::LBracket) if self.followed_by(Punct::RBracket) => {
                return Some((Prefix::Always, 2));
            }
            TokenKind::Punct(Punct::Lt) if self.followed_by(Punct::Gt) => {
                return Some((Prefix::Eventually, 2));
            }
            TokenKind::Punct(Punct::Bang) => Prefix::Not,
            TokenKind::Punct(Punct::Minus) => Prefix::Value(UnaryOp::Neg),
            TokenKind::Punct(Punct::Tilde) => Prefix::Value(UnaryOp::BitNot),
            TokenKind::Ident(word) => match &**word {
                "always" => Prefix::Always,
                "eventually" => Prefix::Eventually,
                "next" | "X" => Prefix::Next,
                _ => return None,
            },
            _ => return None,
        };
        Some((prefix, 1))
    }

    fn prefixed(&mut self) -> Parse<Formula> {
        if self.expression_depth >= super::EXPRESSION_HEIGHT_MAX {
            return self.fail(Diagnostic::error(self.peek().span, "this formula is nested too deeply"));
        }
        self.expression_depth += 1;
        let result = with_stack(|| self.prefixed_nested());
        self.expression_depth -= 1;
        result
    }

    fn prefixed_nested(&mut self) -> Parse<Formula> {
        let start = self.peek().span;
        let Some((prefix, length)) = self.prefix() else { return self.operand() };
        self.skip_tokens(length);
        let sign = self.cover(start, self.last.span);
        let operand = self.prefixed()?;
        if let Prefix::Value(op) = prefix {
            let operand = self.value(operand, sign)?;
            let span = self.cover(start, operand.expr.span);
            let height = self.taller(operand.height, span)?;
            let kind = ExprKind::Unary(op, Box::new(operand.expr));
            return Ok(Formula::Plain(Tall { expr: Expr { kind, span }, height }));
        }
        let operand = logic(operand);
        let span = self.cover(start, operand.ltl.span);
        let height = self.taller(operand.height, span)?;
        let operand = Box::new(operand.ltl);
        let kind = match prefix {
            Prefix::Always => LtlKind::Always(operand),
            Prefix::Eventually => LtlKind::Eventually(operand),
            Prefix::Next => LtlKind::Next(operand),
            Prefix::Not | Prefix::Value(_) => LtlKind::Not(operand),
        };
        Ok(Formula::Logic(TallLtl { ltl: Ltl { kind, span }, height }))
    }

    fn operand(&mut self) -> Parse<Formula> {
        let start = self.peek().clone();
        let is_operator = self.operator().is_some() && start.ident().is_some();
        if !start.is(Punct::LParen) {
            if is_operator {
                let message =
                    format!("`{}` is an operator in LTL and needs a formula before it", start.kind.text());
                return self.fail(Diagnostic::error(start.span, message));
            }
            return Ok(Formula::Plain(self.primary("a formula")?));
        }
        self.bump();
        let mut formula = self.formula(0)?;
        if !self.at(Punct::RParen) {
            let diagnostic = self.expected("an operator or `)` in an LTL formula");
            return self.fail(diagnostic.label(start.span, "for this `(`"));
        }
        let close = self.bump();
        let span = self.cover(start.span, close.span);
        match &mut formula {
            Formula::Plain(tall) => tall.expr.span = span,
            Formula::Logic(tall) => tall.ltl.span = span,
        }
        Ok(formula)
    }

    fn combine(&mut self, op: Operator, operands: Vec<Formula>) -> Parse<Formula> {
        if let Operator::Arithmetic(op) = op {
            let sign = self.last.span;
            let mut values = Vec::with_capacity(operands.len());
            for operand in operands {
                values.push(self.value(operand, sign)?);
            }
            return Ok(Formula::Plain(self.chain(op, values)?));
        }
        let mut operands: Vec<TallLtl> = operands.into_iter().map(logic).collect();
        // As for expressions: a long chain of an associative operator becomes a balanced tree.
        while operands.len() > 64 && matches!(op, Operator::And | Operator::Or) {
            let mut pairs = Vec::with_capacity(operands.len() / 2 + 1);
            let mut rest = operands.into_iter();
            while let Some(left) = rest.next() {
                match rest.next() {
                    Some(right) => pairs.push(self.connect(op, left, right)?),
                    None => pairs.push(left),
                }
            }
            operands = pairs;
        }
        let mut operands = operands.into_iter();
        let mut left = operands.next().expect("an operator has operands");
        for right in operands {
            left = self.connect(op, left, right)?;
        }
        Ok(Formula::Logic(left))
    }

    fn connect(&mut self, op: Operator, left: TallLtl, right: TallLtl) -> Parse<TallLtl> {
        let span = self.cover(left.ltl.span, right.ltl.span);
        let height = self.taller(left.height.max(right.height), span)?;
        let (left, right) = (Box::new(left.ltl), Box::new(right.ltl));
        let kind = match op {
            Operator::Implies => LtlKind::Implies(left, right),
            Operator::Equiv => LtlKind::Equiv(left, right),
            Operator::Or => LtlKind::Or(left, right),
            Operator::And | Operator::Arithmetic(_) => LtlKind::And(left, right),
            Operator::Until => LtlKind::Until(left, right),
            Operator::WeakUntil => LtlKind::WeakUntil(left, right),
            Operator::Release => LtlKind::Release(left, right),
        };
        Ok(TallLtl { ltl: Ltl { kind, span }, height })
    }

    /// The formula as an operand of arithmetic. SPIN computes with a placeholder if it is temporal; we refuse.
    fn value(&mut self, formula: Formula, operator: Span) -> Parse<Tall> {
        let logic = match formula {
            Formula::Plain(tall) => return Ok(tall),
            Formula::Logic(logic) => logic,
        };
        let span = logic.ltl.span;
        // Each connective becomes at most three levels of expression.
        match as_expr(logic.ltl) {
            Some(expr) => {
                let height = self.taller(logic.height.saturating_mul(3), span)?;
                Ok(Tall { expr, height })
            }
            None => {
                let wrong = Diagnostic::error(span, "a temporal formula has no value to compute with");
                let wrong = wrong.label(operator, "an operand of arithmetic or of a comparison");
                self.fail(
                    wrong.help("temporal operators bind stronger: write `[] (a == b)`, not `[] a == b`"),
                )
            }
        }
    }
}

fn logic(formula: Formula) -> TallLtl {
    match formula {
        Formula::Logic(logic) => logic,
        Formula::Plain(tall) => {
            let span = tall.expr.span;
            TallLtl { ltl: Ltl { kind: LtlKind::Atom(Box::new(tall.expr)), span }, height: tall.height }
        }
    }
}

/// A formula without temporal operators as an expression.
fn as_expr(ltl: Ltl) -> Option<Expr> {
    let span = ltl.span;
    let not = |expr: Expr| Expr { span: expr.span, kind: ExprKind::Unary(UnaryOp::Not, Box::new(expr)) };
    let binary = |op, a: Expr, b: Expr| ExprKind::Binary(op, Box::new(a), Box::new(b));
    let kind = match ltl.kind {
        LtlKind::Atom(expr) => return Some(*expr),
        LtlKind::Not(a) => ExprKind::Unary(UnaryOp::Not, Box::new(as_expr(*a)?)),
        LtlKind::And(a, b) => binary(BinaryOp::And, as_expr(*a)?, as_expr(*b)?),
        LtlKind::Or(a, b) => binary(BinaryOp::Or, as_expr(*a)?, as_expr(*b)?),
        LtlKind::Implies(a, b) => binary(BinaryOp::Or, not(as_expr(*a)?), as_expr(*b)?),
        LtlKind::Equiv(a, b) => binary(BinaryOp::Eq, not(as_expr(*a)?), not(as_expr(*b)?)),
        _ => return None,
    };
    Some(Expr { kind, span })
}
