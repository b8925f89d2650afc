//! The expressions of `#if` and `#elif`: C's integer expressions, with `defined`.

use super::{Hidden, Preprocessor};
use crate::token::{Punct, Token, TokenKind};
use panoptes_source::{Diagnostic, Span};

const DEPTH_MAX: usize = 100;

impl Preprocessor<'_> {
    /// The truth of a condition; an erroneous one is reported and false.
    pub(super) fn condition(&mut self, word: &Token, line: &[Token]) -> bool {
        let Some(last) = line.last() else {
            self.error(word.span, format!("`#{}` has no condition", word.kind.text()));
            return false;
        };
        let end = Span { lo: last.span.hi, ..last.span };
        let line = self.replace_defined(line);
        let tokens: Vec<Token> = self.expand_all(line, 0).into_iter().map(|it| it.token).collect();
        let mut evaluator = Evaluator { tokens: &tokens, at: 0, depth: 0, end };
        let value = evaluator.ternary(true).and_then(|value| match evaluator.peek() {
            None => Ok(value),
            Some(token) => Err(Diagnostic::error(token.span, "the condition should end here")),
        });
        match value {
            Ok(value) => value != 0,
            Err(diagnostic) => {
                self.report(diagnostic);
                false
            }
        }
    }

    /// `defined X` and `defined(X)` become numbers, before `X` is expanded.
    fn replace_defined(&self, line: &[Token]) -> Vec<Hidden> {
        let mut replaced = Vec::new();
        let mut at = 0;
        while let Some(token) = line.get(at) {
            let is = |ahead: usize, punct| line.get(at + ahead).is_some_and(|token| token.is(punct));
            let named = |ahead: usize| line.get(at + ahead).and_then(|token| token.ident());
            let is_defined = token.ident().is_some_and(|name| &**name == "defined");
            let found = match (is_defined, is(1, Punct::LParen) && is(3, Punct::RParen)) {
                (true, true) => named(2).map(|name| (name, 4)),
                (true, false) => named(1).map(|name| (name, 2)),
                (false, _) => None,
            };
            let mut token = token.clone();
            if let Some((name, length)) = found {
                let value = if self.macros.contains_key(name) { "1" } else { "0" };
                token.kind = TokenKind::Number(value.into());
                at += length;
            } else {
                at += 1;
            }
            replaced.push(Hidden { token, hide: Default::default() });
        }
        replaced
    }
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    end: Span,
}

type Value = Result<i64, Diagnostic>;

/// `live` is false in the operand that `&&`, `||` and `?:` do not look at: there a division by zero is no error.
impl Evaluator<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.peek().is_some_and(|token| token.is(punct));
        self.at += usize::from(found);
        found
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Diagnostic> {
        Err(Diagnostic::error(self.peek().map_or(self.end, |token| token.span), message))
    }

    fn ternary(&mut self, live: bool) -> Value {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.fail("the condition is nested too deeply");
        }
        let condition = self.binary(0, live)?;
        let value = if self.eat(Punct::Query) {
            let yes = self.ternary(live && condition != 0)?;
            if !self.eat(Punct::Colon) {
                return self.fail("expected `:` in this condition");
            }
            let no = self.ternary(live && condition == 0)?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, weakest: u8, live: bool) -> Value {
        let mut left = self.unary(live)?;
        while let Some(TokenKind::Punct(punct)) = self.peek().map(|token| &token.kind) {
            let punct = *punct;
            let Some(strength) = strength(punct).filter(|strength| *strength >= weakest) else { break };
            let operator = self.at;
            self.at += 1;
            let live = live
                && match punct {
                    Punct::AndAnd => left != 0,
                    Punct::OrOr => left == 0,
                    _ => true,
                };
            let right = self.binary(strength + 1, live)?;
            left = match apply(punct, left, right) {
                Some(value) => value,
                None if !live => 0,
                None => {
                    return Err(Diagnostic::error(
                        self.tokens[operator].span,
                        "division by zero in a condition",
                    ));
                }
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Value {
        let Some(token) = self.peek() else { return self.fail("the condition is incomplete") };
        let kind = token.kind.clone();
        self.at += 1;
        match kind {
            TokenKind::Number(text) => match number(&text) {
                Some(value) => Ok(value),
                None => {
                    self.at -= 1;
                    self.fail(format!("`{text}` is not a whole number"))
                }
            },
            TokenKind::Char(value) => Ok(value),
            // A name that is no macro counts as 0.
            TokenKind::Ident(_) => Ok(0),
            TokenKind::Punct(Punct::LParen) => {
                let value = self.ternary(live)?;
                if self.eat(Punct::RParen) { Ok(value) } else { self.fail("expected `)` in this condition") }
            }
            TokenKind::Punct(punct) => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return self.fail("the condition is nested too deeply");
                }
                let value = match punct {
                    Punct::Minus => self.unary(live)?.wrapping_neg(),
                    Punct::Plus => self.unary(live)?,
                    Punct::Tilde => !self.unary(live)?,
                    Punct::Bang => i64::from(self.unary(live)? == 0),
                    Punct::BangBang => i64::from(self.unary(live)? != 0),
                    _ => {
                        self.at -= 1;
                        return self.fail(format!("`{}` cannot stand here in a condition", punct.text()));
                    }
                };
                self.depth -= 1;
                Ok(value)
            }
            kind => {
                self.at -= 1;
                self.fail(format!("{} cannot stand in a condition", kind.describe()))
            }
        }
    }
}

fn strength(punct: Punct) -> Option<u8> {
    Some(match punct {
        Punct::OrOr => 1,
        Punct::AndAnd => 2,
        Punct::Pipe => 3,
        Punct::Caret => 4,
        Punct::Amp => 5,
        Punct::Eq | Punct::Ne => 6,
        Punct::Lt | Punct::Le | Punct::Gt | Punct::Ge => 7,
        Punct::Shl | Punct::Shr => 8,
        Punct::Plus | Punct::Minus => 9,
        Punct::Star | Punct::Slash | Punct::Percent => 10,
        _ => return None,
    })
}

/// The value of `a op b`; none for a division by zero.
fn apply(punct: Punct, a: i64, b: i64) -> Option<i64> {
    Some(match punct {
        Punct::OrOr => i64::from(a != 0 || b != 0),
        Punct::AndAnd => i64::from(a != 0 && b != 0),
        Punct::Pipe => a | b,
        Punct::Caret => a ^ b,
        Punct::Amp => a & b,
        Punct::Eq => i64::from(a == b),
        Punct::Ne => i64::from(a != b),
        Punct::Lt => i64::from(a < b),
        Punct::Le => i64::from(a <= b),
        Punct::Gt => i64::from(a > b),
        Punct::Ge => i64::from(a >= b),
        Punct::Shl => a.wrapping_shl(b as u32),
        Punct::Shr => a.wrapping_shr(b as u32),
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        Punct::Star => a.wrapping_mul(b),
        Punct::Slash if b != 0 => a.wrapping_div(b),
        Punct::Percent if b != 0 => a.wrapping_rem(b),
        _ => return None,
    })
}

/// A number as C writes it: decimal, `0x…`, `0…`, `0b…`, with any of the suffixes `u` and `l`.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let lower = digits.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', _, ..] => (&lower[1..], 8),
        _ => (&lower[..], 10),
    };
    u64::from_str_radix(digits, radix).ok().map(|value| value as i64)
}
