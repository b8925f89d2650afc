//! Statements.

use super::{Parse, Parser, STATEMENT_DEPTH_MAX};
use crate::ast::{Block, Expr, ExprKind, Ident, Name, Stmt, StmtKind};
use crate::token::{Keyword, Punct, TokenKind};
use crate::with_stack;
use panoptes_preprocess::unescape_string;
use panoptes_source::{Diagnostic, Warning};

impl Parser<'_> {
    /// A statement with its labels, and its escape after `unless`.
    pub(super) fn step(&mut self) -> Parse<Stmt> {
        if self.statement_depth >= STATEMENT_DEPTH_MAX {
            return self.fail(Diagnostic::error(self.peek().span, "statements are nested too deeply"));
        }
        self.statement_depth += 1;
        let stmt = with_stack(|| self.step_nested());
        self.statement_depth -= 1;
        stmt
    }

    fn step_nested(&mut self) -> Parse<Stmt> {
        let start = self.peek().place;
        let body = self.labelled()?;
        if !self.at_keyword(Keyword::Unless) {
            return Ok(body);
        }
        let is_step = !matches!(
            body.kind,
            StmtKind::Decl(_) | StmtKind::ExclusiveReceive(_) | StmtKind::ExclusiveSend(_)
        );
        if !is_step {
            let message = "`unless` stands between statements, not after a declaration";
            return self.fail(Diagnostic::error(self.peek().span, message));
        }
        self.bump();
        let escape = self.labelled()?;
        if self.at_keyword(Keyword::Unless) {
            let message = "`unless` cannot follow `unless`";
            let help = "put the first two statements into braces: `{ a unless b } unless c`";
            return self.fail(Diagnostic::error(self.peek().span, message).help(help));
        }
        let kind = StmtKind::Unless { body: Box::new(body), escape: Box::new(escape) };
        Ok(Stmt { labels: Vec::new(), kind, span: self.span_from(start) })
    }

    fn labelled(&mut self) -> Parse<Stmt> {
        let mut labels = Vec::new();
        while self.peek_at(1).is(Punct::Colon) {
            match self.peek().kind.clone() {
                TokenKind::Ident(name) if !self.proctypes.contains(&name) => {
                    let token = self.bump();
                    labels.push(Ident { name, span: token.span });
                    self.bump();
                }
                TokenKind::Keyword(_) if !self.at_declaration() => {
                    self.expect_name("a label")?;
                }
                _ => break,
            }
        }
        let start = self.peek().place;
        if let Some(label) = labels.last() {
            if self.at(Punct::Assign) && !self.peek().spaced {
                let message = "an assignment is written `=`, not `:=`";
                return self.fail(Diagnostic::error(self.cover(self.last.span, self.peek().span), message));
            }
            if self.at_separator() || self.at_sequence_end() {
                // A label alone stands before a step that does nothing.
                let span = label.span;
                let kind = StmtKind::Expr(Expr { kind: ExprKind::Int(1), span });
                return Ok(Stmt { labels, kind, span: self.last.place });
            }
            if self.at_declaration() {
                let message = format!("label `{}` stands before a declaration", label.name);
                let help = "move the label to a statement, or write `skip;` after it";
                self.report(Diagnostic::error(label.span, message).help(help));
            }
        }
        let kind = self.statement()?;
        Ok(Stmt { labels, kind, span: self.span_from(start) })
    }

    fn statement(&mut self) -> Parse<StmtKind> {
        if self.at_embedded_c() && !self.at_keyword(Keyword::CExpr) {
            return self.embedded_c();
        }
        if self.at_mtype_names() {
            return Ok(StmtKind::Mtype(self.mtype_names()?));
        }
        if self.at_declaration() {
            return Ok(StmtKind::Decl(self.declaration()?));
        }
        match self.peek().kind.clone() {
            TokenKind::Ident(name) => self.named_statement(name),
            TokenKind::Keyword(word) => self.keyword_statement(word),
            TokenKind::Punct(Punct::LBrace) => Ok(StmtKind::Block(self.block("")?)),
            TokenKind::Punct(sign @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                let message = format!("`{}` stands after its variable", sign.text());
                self.fail(Diagnostic::error(self.peek().span, message))
            }
            _ => Ok(StmtKind::Expr(self.expr_or("a statement")?)),
        }
    }

    fn keyword_statement(&mut self, word: Keyword) -> Parse<StmtKind> {
        match word {
            Keyword::If => Ok(StmtKind::If(self.options(Keyword::Fi)?)),
            Keyword::Do => Ok(StmtKind::Do(self.options(Keyword::Od)?)),
            Keyword::Else => {
                self.bump();
                Ok(StmtKind::Else)
            }
            Keyword::Break => {
                self.bump();
                Ok(StmtKind::Break)
            }
            Keyword::Goto => {
                self.bump();
                Ok(StmtKind::Goto(self.expect_name("a label")?))
            }
            Keyword::Assert => {
                self.bump();
                let condition = self.expr()?;
                if self.at(Punct::Assign) {
                    let wrong = self.assignment_for_comparison();
                    return self.fail(wrong);
                }
                Ok(StmtKind::Assert(condition))
            }
            Keyword::Atomic => {
                self.bump();
                Ok(StmtKind::Atomic(self.block(" after `atomic`")?))
            }
            Keyword::DStep => {
                self.bump();
                Ok(StmtKind::DStep(self.block(" after `d_step`")?))
            }
            Keyword::Printf => self.printf(),
            Keyword::Printm => {
                self.bump();
                self.expect(Punct::LParen, " after `printm`")?;
                let argument = self.expr()?;
                self.expect(Punct::RParen, " after the argument of `printm`")?;
                Ok(StmtKind::Printm(argument))
            }
            Keyword::For => self.for_statement(),
            Keyword::Select => self.select(),
            Keyword::Xr | Keyword::Xs => self.exclusive(),
            Keyword::SetPriority => {
                self.bump();
                self.expect(Punct::LParen, " after `set_priority`")?;
                let pid = self.expr()?;
                self.expect(Punct::Comma, " between the process and its priority")?;
                let priority = self.expr()?;
                self.expect(Punct::RParen, " after the arguments of `set_priority`")?;
                Ok(StmtKind::SetPriority { pid: Box::new(pid), priority: Box::new(priority) })
            }
            Keyword::Return => self.return_statement(),
            _ => Ok(StmtKind::Expr(self.expr_or("a statement")?)),
        }
    }

    fn printf(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect(Punct::LParen, " after `printf`")?;
        let TokenKind::Str(raw) = self.peek().kind.clone() else {
            return self.fail_expected("a string: the format of `printf`");
        };
        self.bump();
        let mut args = Vec::new();
        while self.eat(Punct::Comma) {
            args.push(self.expr()?);
        }
        self.expect(Punct::RParen, " after the arguments of `printf`")?;
        Ok(StmtKind::Printf { format: unescape_string(&raw), args })
    }

    fn for_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect(Punct::LParen, " after `for`")?;
        if self.at_declaration() && self.peek().ident().is_none() {
            return self.loop_of_c();
        }
        let var = self.var_ref()?;
        if self.at(Punct::Assign) {
            return self.loop_of_c();
        }
        if self.eat(Punct::Colon) {
            let (from, to) = self.range()?;
            let body = self.for_body()?;
            let (var, from, to) = (Box::new(var), Box::new(from), Box::new(to));
            return Ok(StmtKind::ForRange { var, from, to, body });
        }
        if self.peek().ident().is_some_and(|word| &**word == "in") {
            self.bump();
            let over = self.var_ref()?;
            self.expect(Punct::RParen, " before the body of the loop")?;
            let body = self.for_body()?;
            return Ok(StmtKind::ForIn { var: Box::new(var), over: Box::new(over), body });
        }
        self.fail_expected("`:` and a range, or `in` and an array")
    }

    /// `from .. to )`.
    fn range(&mut self) -> Parse<(Expr, Expr)> {
        let from = self.expr()?;
        self.expect(Punct::DotDot, " between the bounds")?;
        let to = self.expr()?;
        self.expect(Punct::RParen, " after the bounds")?;
        Ok((from, to))
    }

    fn for_body(&mut self) -> Parse<Block> {
        if self.peek_at(1).is(Punct::LBrace) {
            self.eat(Punct::Semi);
        }
        self.block(" before the body of the loop")
    }

    fn select(&mut self) -> Parse<StmtKind> {
        self.bump();
        self.expect(Punct::LParen, " after `select`")?;
        let var = self.var_ref()?;
        self.expect(Punct::Colon, " and a range")?;
        let (from, to) = self.range()?;
        Ok(StmtKind::Select { var: Box::new(var), from: Box::new(from), to: Box::new(to) })
    }

    /// `xr a, b` and `xs a, b`.
    fn exclusive(&mut self) -> Parse<StmtKind> {
        let word = self.bump();
        let mut channels = vec![self.var_ref()?];
        while self.eat(Punct::Comma) {
            channels.push(self.var_ref()?);
        }
        Ok(match word.is_keyword(Keyword::Xr) {
            true => StmtKind::ExclusiveReceive(channels),
            false => StmtKind::ExclusiveSend(channels),
        })
    }

    /// A statement that begins with a name.
    fn named_statement(&mut self, name: Name) -> Parse<StmtKind> {
        if self.peek_at(1).is(Punct::LParen) {
            return self.inline_call(name, None);
        }
        if &*name == "STDIN" && self.peek_at(1).is(Punct::Query) {
            let message = "reading standard input is not supported: `STDIN` is a channel like any other";
            self.report(
                Diagnostic::warning(Warning::StdinChannel, self.peek().span, message)
                    .help("use `select` for a free choice"),
            );
        }
        let start = self.peek().place;
        let (target, height) = self.tall_var_ref()?;
        match self.peek().kind {
            TokenKind::Punct(Punct::Assign) => {
                self.bump();
                let called = self.peek().ident().filter(|_| self.peek_at(1).is(Punct::LParen)).cloned();
                if let Some(name) = called {
                    return self.inline_call(name, Some(target));
                }
                let value = self.expr()?;
                Ok(StmtKind::Assign { target, value: Box::new(value) })
            }
            TokenKind::Punct(Punct::PlusPlus) => {
                self.bump();
                Ok(StmtKind::Increment(target))
            }
            TokenKind::Punct(Punct::MinusMinus) => {
                self.bump();
                Ok(StmtKind::Decrement(target))
            }
            TokenKind::Punct(sign @ (Punct::Bang | Punct::BangBang)) => {
                self.bump();
                self.send(target, sign == Punct::BangBang)
            }
            TokenKind::Punct(sign @ (Punct::Query | Punct::QueryQuery))
                if !self.peek_at(1).is(Punct::LBracket) =>
            {
                self.bump();
                self.receive(target, sign == Punct::QueryQuery)
            }
            _ => Ok(StmtKind::Expr(self.expr_after_ref(target, height, start)?)),
        }
    }
}
