//! Expressions.
//!
//! Operators bind as in C. Every function that reads an expression also knows its height, so that no tree becomes higher
//! than the program can walk: [`Tall`] carries it where it is built, [`Parser::tallest`] where expressions are parts of
//! something else. Long chains of `&&` and `||`, which generators write, are built as balanced trees: both operators are
//! associative, and the order of their operands is kept.

use super::{EXPRESSION_HEIGHT_MAX, Parse, Parser};
use crate::ast::{BinaryOp, ChanTest, Expr, ExprKind, UnaryOp, VarRef};
use crate::token::{Keyword, Punct, Token, TokenKind};
use crate::with_stack;
use panoptes_source::{Diagnostic, Span, Warning};

/// An expression and its height.
pub(super) struct Tall {
    pub expr: Expr,
    pub height: u32,
}

/// A chain of at least so many operands is balanced.
const CHAIN_BALANCED: usize = 64;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.expr_or("an expression")
    }

    /// An expression; `what` says what else could stand here.
    pub(super) fn expr_or(&mut self, what: &str) -> Parse<Expr> {
        let first = self.unary(what)?;
        let all = self.binary_rest(first, 0)?;
        self.tallest = self.tallest.max(all.height);
        Ok(all.expr)
    }

    /// The rest of an expression that begins with a name already read.
    pub(super) fn expr_after_ref(&mut self, name: VarRef, height: u32, start: Span) -> Parse<Expr> {
        let saved = std::mem::replace(&mut self.tallest, height);
        let expr = self.reference(name, start)?;
        let first = Tall { expr, height: std::mem::replace(&mut self.tallest, saved) + 1 };
        let all = self.binary_rest(first, 0)?;
        self.tallest = self.tallest.max(all.height);
        Ok(all.expr)
    }

    fn binary_rest(&mut self, mut left: Tall, weakest: u8) -> Parse<Tall> {
        while let Some((op, strength)) = self.binary_op().filter(|(_, strength)| *strength >= weakest) {
            let mut operands = Vec::with_capacity(2);
            operands.push(left);
            while self.binary_op().is_some_and(|(next, _)| next == op) {
                self.bump();
                if self.at(Punct::Assign) && !self.peek().spaced {
                    return self.compound_assignment(op, &operands[0].expr);
                }
                let right = self.unary("an expression")?;
                operands.push(self.binary_rest(right, strength + 1)?);
            }
            left = self.chain(op, operands)?;
        }
        Ok(left)
    }

    pub(super) fn at_binary_operator(&self) -> bool {
        self.binary_op().is_some()
    }

    fn binary_op(&self) -> Option<(BinaryOp, u8)> {
        match self.peek().kind {
            TokenKind::Punct(sign) => binary_op(sign),
            _ => None,
        }
    }

    pub(super) fn chain(&mut self, op: BinaryOp, mut operands: Vec<Tall>) -> Parse<Tall> {
        let balance = operands.len() >= CHAIN_BALANCED && matches!(op, BinaryOp::And | BinaryOp::Or);
        while balance && operands.len() > 2 {
            let mut pairs = Vec::with_capacity(operands.len() / 2 + 1);
            let mut rest = operands.into_iter();
            while let Some(left) = rest.next() {
                match rest.next() {
                    Some(right) => pairs.push(self.binary(op, left, right)?),
                    None => pairs.push(left),
                }
            }
            operands = pairs;
        }
        let mut operands = operands.into_iter();
        let mut left = operands.next().expect("a chain has operands");
        for right in operands {
            left = self.binary(op, left, right)?;
        }
        Ok(left)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: Tall, right: Tall) -> Parse<Tall> {
        let span = self.cover(left.expr.span, right.expr.span);
        let height = self.taller(left.height.max(right.height), span)?;
        let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
        Ok(Tall { expr: Expr { kind, span }, height })
    }

    pub(super) fn taller(&mut self, height: u32, span: Span) -> Parse<u32> {
        if height >= EXPRESSION_HEIGHT_MAX {
            return self.fail(Diagnostic::error(span, "this expression is nested too deeply"));
        }
        Ok(height + 1)
    }

    pub(super) fn unary(&mut self, what: &str) -> Parse<Tall> {
        if self.expression_depth >= EXPRESSION_HEIGHT_MAX {
            return self.fail(Diagnostic::error(self.peek().span, "this expression is nested too deeply"));
        }
        self.expression_depth += 1;
        let result = with_stack(|| self.unary_nested(what));
        self.expression_depth -= 1;
        result
    }

    fn unary_nested(&mut self, what: &str) -> Parse<Tall> {
        let op = match self.peek().kind {
            TokenKind::Punct(Punct::Minus) => UnaryOp::Neg,
            TokenKind::Punct(Punct::Bang) => UnaryOp::Not,
            TokenKind::Punct(Punct::Tilde) => UnaryOp::BitNot,
            TokenKind::Punct(sign @ (Punct::BangBang | Punct::MinusMinus)) => {
                let one = &sign.text()[1..];
                let message = format!("`{}` is not an operator before a value", sign.text());
                let help = format!("for twice `{one}` write `{one}({one}…)`");
                return self.fail(Diagnostic::error(self.peek().span, message).help(help));
            }
            _ => return self.primary(what),
        };
        let sign = self.bump().span;
        let operand = self.unary("an expression")?;
        let span = self.cover(sign, operand.expr.span);
        let height = self.taller(operand.height, span)?;
        Ok(Tall { expr: Expr { kind: ExprKind::Unary(op, Box::new(operand.expr)), span }, height })
    }

    pub(super) fn primary(&mut self, what: &str) -> Parse<Tall> {
        let saved = std::mem::replace(&mut self.tallest, 0);
        let start = self.peek().clone();
        let expr = self.primary_of(&start, what)?;
        let height = std::mem::replace(&mut self.tallest, saved);
        let height = self.taller(height, expr.span)?;
        Ok(Tall { expr, height })
    }

    fn primary_of(&mut self, start: &Token, what: &str) -> Parse<Expr> {
        let kind = match &start.kind {
            TokenKind::Number(_) | TokenKind::Char(_) => ExprKind::Int(self.number(what)?),
            TokenKind::Ident(_) => {
                let (name, height) = self.tall_var_ref()?;
                self.tallest = self.tallest.max(height);
                return self.reference(name, start.span);
            }
            TokenKind::Punct(Punct::LParen) => {
                self.bump();
                return self.parenthesised(start);
            }
            TokenKind::Keyword(word) => self.keyword_primary(*word, what)?,
            TokenKind::Punct(sign @ (Punct::BangBang | Punct::MinusMinus | Punct::PlusPlus)) => {
                let message = format!("`{}` cannot begin an expression", sign.text());
                return self.fail(Diagnostic::error(start.span, message));
            }
            TokenKind::Str(_) => {
                let wrong = self.expected(what);
                let help =
                    "there are no strings: names for values are declared with `mtype = { red, green }`";
                return self.fail(wrong.help(help));
            }
            _ => return self.fail_expected(what),
        };
        Ok(Expr { kind, span: self.cover(start.span, self.last.span) })
    }

    /// After `(`: an expression or `condition -> value : value`.
    fn parenthesised(&mut self, open: &Token) -> Parse<Expr> {
        let first = self.expr()?;
        let kind = if self.eat(Punct::Arrow) {
            let yes = self.expr()?;
            self.expect(Punct::Colon, " in a conditional expression `(c -> a : b)`")?;
            let no = self.expr()?;
            ExprKind::Cond(Box::new(first), Box::new(yes), Box::new(no))
        } else {
            first.kind
        };
        if self.at(Punct::Assign) {
            let wrong = self.assignment_for_comparison();
            return self.fail(wrong);
        }
        if !self.at(Punct::RParen) {
            let diagnostic = self.expected("`)`").label(open.span, "for this `(`");
            return self.fail(diagnostic);
        }
        let close = self.bump();
        Ok(Expr { kind, span: self.cover(open.span, close.span) })
    }

    fn keyword_primary(&mut self, word: Keyword, what: &str) -> Parse<ExprKind> {
        let constant = match word {
            Keyword::True | Keyword::Skip => ExprKind::Int(1),
            Keyword::False => ExprKind::Int(0),
            Keyword::Timeout => ExprKind::Timeout,
            Keyword::Np => ExprKind::Np,
            Keyword::Run => return self.run(),
            Keyword::Len => return self.channel_test(ChanTest::Len),
            Keyword::Empty => return self.channel_test(ChanTest::Empty),
            Keyword::Nempty => return self.channel_test(ChanTest::Nempty),
            Keyword::Full => return self.channel_test(ChanTest::Full),
            Keyword::Nfull => return self.channel_test(ChanTest::Nfull),
            Keyword::Enabled => return Ok(ExprKind::Enabled(self.function_argument()?)),
            Keyword::PcValue => return Ok(ExprKind::PcValue(self.function_argument()?)),
            Keyword::GetPriority => return Ok(ExprKind::GetPriority(self.function_argument()?)),
            Keyword::CExpr => return self.embedded_c(),
            _ => return self.fail_expected(what),
        };
        self.bump();
        Ok(constant)
    }

    fn function_argument(&mut self) -> Parse<Box<Expr>> {
        let word = self.bump().kind.text();
        self.expect(Punct::LParen, &format!(" after `{word}`"))?;
        let argument = self.expr()?;
        self.expect(Punct::RParen, &format!(" after the argument of `{word}`"))?;
        Ok(Box::new(argument))
    }

    fn channel_test(&mut self, test: ChanTest) -> Parse<ExprKind> {
        let word = self.bump().kind.text();
        self.expect(Punct::LParen, &format!(" after `{word}`"))?;
        let chan = self.var_ref()?;
        self.expect(Punct::RParen, &format!(" after the channel of `{word}`"))?;
        Ok(ExprKind::ChanTest(test, chan))
    }

    fn run(&mut self) -> Parse<ExprKind> {
        self.bump();
        if self.at(Punct::LParen) {
            let wrong = self.expected("the name of a process").help("write `run P(…)`");
            return self.fail(wrong);
        }
        let name = self.expect_name("a process")?;
        if !self.at(Punct::LParen) {
            let wrong = self.expected("`(` before the arguments of the process");
            return self
                .fail(wrong.help(format!("write `run {}()` for a process without parameters", name.name)));
        }
        self.bump();
        let mut args = Vec::new();
        if !self.at(Punct::RParen) {
            args.push(self.expr()?);
            while self.eat(Punct::Comma) {
                args.push(self.expr()?);
            }
        }
        self.expect(Punct::RParen, " after the arguments of the process")?;
        let priority =
            if self.at_keyword(Keyword::Priority) { Some(Box::new(self.priority()?)) } else { None };
        Ok(ExprKind::Run { name, args, priority })
    }

    pub(super) fn priority(&mut self) -> Parse<Expr> {
        self.bump();
        self.constant("the priority")
    }

    /// A constant, by number or by name.
    pub(super) fn constant(&mut self, what: &str) -> Parse<Expr> {
        let start = self.peek().span;
        if self.peek().ident().is_some() {
            let name = self.expect_name(what)?;
            let span = name.span;
            return Ok(Expr { kind: ExprKind::Ref(VarRef { name, index: None, field: None, span }), span });
        }
        let value = self.number(&format!("{what}, a constant"))?;
        Ok(Expr { kind: ExprKind::Int(value), span: start })
    }

    /// A number, a character or a word that stands for a number. Promela's numbers have 32 bits: SPIN cuts the rest off.
    pub(super) fn number(&mut self, what: &str) -> Parse<i64> {
        let token = self.peek().clone();
        let value = match &token.kind {
            TokenKind::Char(value) => *value,
            TokenKind::Keyword(Keyword::True | Keyword::Skip) => 1,
            TokenKind::Keyword(Keyword::False) => 0,
            TokenKind::Number(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let value = text.parse::<i64>().unwrap_or(i64::MAX);
                let cut = i64::from(value as i32);
                if cut != value {
                    let message = format!("{text} does not fit into 32 bits and is taken as {cut}");
                    self.report(Diagnostic::warning(Warning::NumberTooLarge, token.span, message));
                }
                cut
            }
            TokenKind::Number(text) => {
                let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
                let mut wrong = Diagnostic::error(token.span, format!("`{text}` is not a number of Promela"));
                wrong.help = Some(match hex.and_then(|digits| i64::from_str_radix(digits, 16).ok()) {
                    Some(value) => format!("numbers are decimal: write {value}"),
                    None => "numbers are decimal and have no suffix".to_string(),
                });
                self.report(wrong);
                1
            }
            _ => return self.fail_expected(what),
        };
        self.bump();
        Ok(value)
    }

    pub(super) fn var_ref(&mut self) -> Parse<VarRef> {
        let (name, height) = self.tall_var_ref()?;
        self.tallest = self.tallest.max(height);
        Ok(name)
    }

    /// `name[index].field…` and the height of it.
    pub(super) fn tall_var_ref(&mut self) -> Parse<(VarRef, u32)> {
        let saved = std::mem::replace(&mut self.tallest, 0);
        let mut parts: Vec<VarRef> = Vec::new();
        loop {
            let name = self.expect_name(if parts.is_empty() { "a variable" } else { "a field" })?;
            let mut index = None;
            if self.eat(Punct::LBracket) {
                index = Some(Box::new(self.expr()?));
                self.expect(Punct::RBracket, " after an index")?;
                if self.at(Punct::LBracket) {
                    let message = "an array has one dimension in Promela";
                    let help = "make an array of a `typedef` that contains an array";
                    return self.fail(Diagnostic::error(self.peek().span, message).help(help));
                }
            }
            let span = self.cover(name.span, self.last.span);
            parts.push(VarRef { name, index, field: None, span });
            if parts.len() as u32 >= EXPRESSION_HEIGHT_MAX {
                return self.fail(Diagnostic::error(self.peek().span, "these fields are nested too deeply"));
            }
            if !self.eat(Punct::Dot) {
                break;
            }
        }
        let height = std::mem::replace(&mut self.tallest, saved) + parts.len() as u32;
        let mut whole = parts.pop().expect("there is a name");
        while let Some(mut outer) = parts.pop() {
            outer.span = self.cover(outer.span, whole.span);
            outer.field = Some(Box::new(whole));
            whole = outer;
        }
        Ok((whole, height))
    }

    /// What a name is the beginning of: a remote reference, a poll of a channel, or nothing more.
    fn reference(&mut self, name: VarRef, start: Span) -> Parse<Expr> {
        let is_process = match self.in_ltl {
            true => self.proctypes_all.contains_key(&name.name.name),
            false => self.proctypes.contains(&name.name.name),
        };
        let kind = match self.peek().kind {
            TokenKind::Punct(Punct::At) if name.field.is_none() => {
                self.bump();
                let label = self.expect_name("a label")?;
                ExprKind::RemoteLabel { process: name.name, index: name.index, label }
            }
            TokenKind::Punct(Punct::Colon) if name.field.is_none() && is_process => {
                self.bump();
                let var = self.var_ref()?;
                ExprKind::RemoteVar { process: name.name, index: name.index, var: Box::new(var) }
            }
            TokenKind::Punct(sign @ (Punct::Query | Punct::QueryQuery))
                if self.peek_at(1).is(Punct::LBracket) =>
            {
                self.bump();
                self.bump();
                let args = self.receive_args()?;
                self.expect(Punct::RBracket, " after the message")?;
                ExprKind::Poll { chan: name, random: sign == Punct::QueryQuery, args }
            }
            TokenKind::Punct(sign @ (Punct::Query | Punct::QueryQuery | Punct::Bang | Punct::BangBang)) => {
                let message =
                    format!("`{}` is a statement and cannot be a part of an expression", sign.text());
                let mut wrong = Diagnostic::error(self.peek().span, message);
                if matches!(sign, Punct::Query | Punct::QueryQuery) {
                    wrong.help = Some(format!(
                        "to look whether a message is there, write `{}[…]`; to choose between two values, \
                         `(condition -> a : b)`",
                        sign.text()
                    ));
                } else {
                    let help = "wait for the condition first: `condition -> channel!message`";
                    wrong.help = Some(help.into());
                }
                return self.fail(wrong);
            }
            TokenKind::Punct(Punct::PlusPlus | Punct::MinusMinus) => {
                let text = self.sources.snippet(name.span).to_string();
                return self.counting_in_expression(&text);
            }
            TokenKind::Punct(Punct::LParen) if !self.in_message => {
                let message = format!("`{}` is not a function", name.name.name);
                let mut wrong = Diagnostic::error(name.span, message);
                if self.inlines_all.contains_key(&name.name.name) {
                    wrong.help =
                        Some("an inline is a statement: it cannot be a part of an expression".into());
                }
                return self.fail(wrong);
            }
            _ => {
                let span = name.span;
                return Ok(Expr { kind: ExprKind::Ref(name), span });
            }
        };
        Ok(Expr { kind, span: self.cover(start, self.last.span) })
    }
}

/// How strongly a binary operator binds, weakest first.
pub(super) fn binary_op(sign: Punct) -> Option<(BinaryOp, u8)> {
    let op = BinaryOp::of_sign(sign.text())?;
    Some((op, op.tightness()))
}
