//! Messages: what is sent to a channel and received from it.

use super::{Parse, Parser};
use crate::ast::{RecvArg, RecvArgKind, StmtKind, VarRef};
use crate::token::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// `c!x,y` and `c!m(x,y)`.
    pub(super) fn send(&mut self, chan: VarRef, sorted: bool) -> Parse<StmtKind> {
        self.in_message = true;
        let first = self.expr_or("a message");
        self.in_message = false;
        let mut args = vec![first?];
        if self.eat(Punct::LParen) {
            args.push(self.expr()?);
            while self.eat(Punct::Comma) {
                args.push(self.expr()?);
            }
            self.expect(Punct::RParen, " after the message")?;
        } else {
            while self.eat(Punct::Comma) {
                args.push(self.expr()?);
            }
        }
        Ok(StmtKind::Send { chan, sorted, args })
    }

    pub(super) fn receive(&mut self, chan: VarRef, random: bool) -> Parse<StmtKind> {
        let peek = self.eat(Punct::Lt);
        let args = self.receive_args()?;
        if peek {
            self.expect(Punct::Gt, " after the message")?;
        }
        Ok(StmtKind::Receive { chan, random, peek, args })
    }

    /// `x,y`, `m(x,y)`, `(x,y)` and what they make together, as `x,m(y)`: parentheses mean nothing, but close the list.
    pub(super) fn receive_args(&mut self) -> Parse<Vec<RecvArg>> {
        let mut args = Vec::new();
        let mut open = 0;
        loop {
            if self.eat(Punct::LParen) {
                open += 1;
                continue;
            }
            args.push(self.receive_arg()?);
            if !self.eat(Punct::Comma) && !self.at(Punct::LParen) {
                break;
            }
        }
        for _ in 0..open {
            self.expect(Punct::RParen, " after the message")?;
        }
        Ok(args)
    }

    fn receive_arg(&mut self) -> Parse<RecvArg> {
        let start = self.peek().clone();
        let kind = match start.kind {
            TokenKind::Ident(_) => RecvArgKind::Ref(self.var_ref()?),
            TokenKind::Keyword(Keyword::Eval) => {
                self.bump();
                self.expect(Punct::LParen, " after `eval`")?;
                let value = self.expr()?;
                self.expect(Punct::RParen, " after the argument of `eval`")?;
                RecvArgKind::Eval(value)
            }
            TokenKind::Punct(Punct::Minus) => {
                self.bump();
                RecvArgKind::Const(self.number("a number")?.wrapping_neg())
            }
            _ => RecvArgKind::Const(self.number("a variable, a constant or `eval(…)`")?),
        };
        Ok(RecvArg { kind, span: self.cover(start.span, self.last.span) })
    }
}
