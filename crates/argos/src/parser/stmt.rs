//! Statements and sequences of them.

use super::habits::{NO_OPTION, meant};
use super::{Failed, Parse, Parser, STATEMENT_DEPTH_MAX};
use crate::ast::{Choice, Expr, Ident, Received, Stmt, StmtKind};
use crate::token::{Keyword, Punct, TokenKind};
use panoptes_source::Diagnostic;

impl Parser<'_> {
    /// Statements with `;` or `->` between them, up to what closes them; `place` says where, for messages.
    pub(super) fn sequence(&mut self, place: &str) -> Parse<Vec<Stmt>> {
        let mut stmts = Vec::new();
        loop {
            while self.eat_separator() {}
            if self.at_close() {
                return Ok(stmts);
            }
            let start = self.at;
            match self.stmt(place) {
                Ok(stmt) => stmts.push(stmt),
                Err(Failed) => self.skip_stmt()?,
            }
            if !self.eat_separator() && !self.at_close() {
                let found = self.peek().kind.describe();
                let message = format!("expected `;` or `->` after a statement, found {found}");
                let wrong = Diagnostic::error(self.peek().span, message);
                self.report(wrong.help_if(self.after_statement(start)));
                self.skip_stmt()?;
            }
        }
    }

    fn eat_separator(&mut self) -> bool {
        self.eat(Punct::Semi) || self.eat(Punct::Arrow)
    }

    fn at_close(&self) -> bool {
        self.at(Punct::RBrace)
            || self.at(Punct::ColonColon)
            || self.at_any(&[Keyword::Fi, Keyword::Od])
            // Only an item begins with these: what is open before was not closed.
            || self.at_any(&[Keyword::Proc, Keyword::Procedure, Keyword::Assert])
            || self.at_end()
    }

    /// Goes on behind a statement that could not be read; fails where its sequence cannot go on.
    fn skip_stmt(&mut self) -> Parse<()> {
        let mut open = 0;
        loop {
            if self.at_end() || self.at_any(&[Keyword::Proc, Keyword::Procedure]) {
                return Err(Failed);
            }
            if open == 0 && (self.at_close() || self.at(Punct::Semi) || self.at(Punct::Arrow)) {
                return Ok(());
            }
            let token = self.bump();
            match token.kind {
                TokenKind::Keyword(Keyword::If | Keyword::Do) | TokenKind::Punct(Punct::LBrace) => open += 1,
                TokenKind::Keyword(Keyword::Fi | Keyword::Od) => open -= 1,
                TokenKind::Punct(Punct::RBrace) if open == 0 => return Err(Failed),
                // No statement of Argos has braces: these are another language's, and end it.
                TokenKind::Punct(Punct::RBrace) => {
                    open -= 1;
                    if open == 0 {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
    }

    fn stmt(&mut self, place: &str) -> Parse<Stmt> {
        let mut labels = Vec::new();
        while self.peek().ident().is_some() && self.peek_at(1).is(Punct::Colon) {
            if self.peek_at(2).is(Punct::Assign) {
                let sign = self.peek_at(1).span;
                return self.fail(Diagnostic::error(sign, "an assignment is written `=`, not `:=`"));
            }
            labels.push(self.expect_name("a label")?);
            self.bump();
        }
        if self.at_close() && !labels.is_empty() {
            return self.fail(
                Diagnostic::error(self.peek().span, "expected a statement after the label")
                    .help("a label names the statement behind it: write `skip` if there is nothing to do"),
            );
        }
        let start = self.peek().place;
        let kind = self.stmt_kind(place)?;
        Ok(Stmt { labels, kind, span: self.span_from(start) })
    }

    fn stmt_kind(&mut self, place: &str) -> Parse<StmtKind> {
        match self.peek().kind.clone() {
            TokenKind::Keyword(Keyword::Skip) => {
                self.bump();
                Ok(StmtKind::Skip)
            }
            TokenKind::Keyword(Keyword::Break) => {
                self.bump();
                Ok(StmtKind::Break)
            }
            TokenKind::Keyword(Keyword::Goto) => {
                self.bump();
                Ok(StmtKind::Goto(self.expect_name("a label")?))
            }
            TokenKind::Keyword(Keyword::If) => Ok(StmtKind::If(self.choices(Keyword::Fi)?)),
            TokenKind::Keyword(Keyword::Do) => Ok(StmtKind::Do(self.choices(Keyword::Od)?)),
            TokenKind::Keyword(Keyword::Var | Keyword::Pvar | Keyword::Queue | Keyword::Channel) => self
                .fail(
                    Diagnostic::error(self.peek().span, "declarations come before the first statement")
                        .help("move it to the start of the body"),
                ),
            TokenKind::Keyword(keyword @ (Keyword::Default | Keyword::Timeout)) => {
                let word = keyword.text();
                let wrong = Diagnostic::error(self.peek().span, format!("`{word}` is not a statement"));
                self.fail(wrong.help(format!("write `c?{word}` with the channel that it is about")))
            }
            TokenKind::Ident(name) if &*name == "else" => {
                self.fail(Diagnostic::error(self.peek().span, "there is no `else` in Argos").help(
                    "write the opposite of the other conditions, or `c?default` for all other messages",
                ))
            }
            TokenKind::Ident(_) if self.peek_at(1).is(Punct::Bang) => self.send(),
            TokenKind::Ident(_) if self.peek_at(1).is(Punct::Query) => self.receive(),
            TokenKind::Ident(_) if self.peek_at(1).is(Punct::Assign) => {
                let variable = self.expect_name("a variable")?;
                self.bump();
                Ok(StmtKind::Assign { variable, value: self.expr()? })
            }
            TokenKind::Ident(name) if &*name == "return" => self.return_stmt(),
            TokenKind::Ident(_) if self.peek_at(1).is(Punct::LParen) => self.call(),
            TokenKind::Ident(_) | TokenKind::Number(_) | TokenKind::Char(_) => {
                Ok(StmtKind::Condition(self.expr()?))
            }
            TokenKind::Punct(Punct::LParen | Punct::Bang | Punct::Minus | Punct::Tilde) => {
                Ok(StmtKind::Condition(self.expr()?))
            }
            _ => self.fail_expected(&format!("a statement in {place}")),
        }
    }

    /// `return` is no keyword: a message or channel may be called so.
    fn return_stmt(&mut self) -> Parse<StmtKind> {
        self.bump();
        if self.at_close() || self.at(Punct::Semi) || self.at(Punct::Arrow) {
            return Ok(StmtKind::Return);
        }
        let wrong = Diagnostic::error(self.peek().span, "a procedure returns no value");
        self.fail(wrong.help("assign it to a variable of the process that calls, which the procedure sees"))
    }

    fn call(&mut self) -> Parse<StmtKind> {
        let name = self.expect_name("a procedure")?;
        self.bump();
        if !self.at(Punct::RParen) {
            let wrong = match meant(&name.name) {
                Some(help) => {
                    Diagnostic::error(name.span, format!("`{}` is no statement", name.name)).help(help)
                }
                None => Diagnostic::error(self.peek().span, "procedures take no arguments")
                    .help("a procedure sees the variables of the process that calls it; or use a macro"),
            };
            return self.fail(wrong);
        }
        self.bump();
        Ok(StmtKind::Call(name))
    }

    fn send(&mut self) -> Parse<StmtKind> {
        let channel = self.expect_name("a channel")?;
        self.bump();
        if self.at_any(&[Keyword::Default, Keyword::Timeout]) {
            let word = self.peek().kind.text();
            let wrong = Diagnostic::error(self.peek().span, format!("`{word}` cannot be sent"));
            return self.fail(wrong.help("it stands for what a process can meet at a channel that it reads"));
        }
        let message = self.expect_name("a message")?;
        let value = self.value()?;
        Ok(StmtKind::Send { channel, message, value })
    }

    fn receive(&mut self) -> Parse<StmtKind> {
        let channel = self.expect_name("a channel")?;
        self.bump();
        let what = match self.peek().kind {
            TokenKind::Keyword(Keyword::Default) => Received::Default(self.bump().span),
            TokenKind::Keyword(Keyword::Timeout) => Received::Timeout(self.bump().span),
            _ => Received::Message(self.expect_name("a message")?),
        };
        let mut variable = None;
        if self.at(Punct::LParen) {
            if let Received::Default(_) | Received::Timeout(_) = what {
                let word = if matches!(what, Received::Default(_)) { "default" } else { "timeout" };
                let wrong = Diagnostic::error(self.peek().span, format!("`{word}` brings no value"));
                return self.fail(wrong.help("name the message whose value is wanted: `c?m(v)`"));
            }
            self.bump();
            variable = Some(self.received_variable()?);
            self.expect(Punct::RParen, " after the variable")?;
        }
        Ok(StmtKind::Receive { channel, what, variable })
    }

    fn received_variable(&mut self) -> Parse<Ident> {
        if self.peek().ident().is_some() && self.peek_at(1).is(Punct::RParen) {
            return self.expect_name("a variable");
        }
        let wrong = Diagnostic::error(self.peek().span, "a received value goes to a variable")
            .help("receive it into a variable and test that in the next statement");
        self.fail(wrong)
    }

    /// `(e)` after a message, if it is there.
    pub(super) fn value(&mut self) -> Parse<Option<Expr>> {
        if !self.eat(Punct::LParen) {
            return Ok(None);
        }
        let value = self.expr()?;
        self.expect(Punct::RParen, " after the value of the message")?;
        Ok(Some(value))
    }

    fn choices(&mut self, close: Keyword) -> Parse<Vec<Choice>> {
        self.statement_depth += 1;
        let choices = self.choices_within(close);
        self.statement_depth -= 1;
        if choices.is_err() {
            self.skip_choice();
        }
        choices
    }

    /// Goes on behind the end of a choice that could not be read.
    fn skip_choice(&mut self) {
        let mut open = 1;
        while open > 0 && !self.at_end() && !self.at(Punct::RBrace) {
            match self.bump().kind {
                TokenKind::Keyword(Keyword::If | Keyword::Do) => open += 1,
                TokenKind::Keyword(Keyword::Fi | Keyword::Od) => open -= 1,
                _ => {}
            }
        }
    }

    fn choices_within(&mut self, close: Keyword) -> Parse<Vec<Choice>> {
        let start = self.bump();
        if self.statement_depth > STATEMENT_DEPTH_MAX {
            return self.fail(Diagnostic::error(start.span, "choices are nested too deeply"));
        }
        if !self.at(Punct::ColonColon) {
            let what = format!("`::` before the first option of `{}`", start.kind.text());
            return self.fail(self.expected(&what).help(NO_OPTION));
        }
        let mut choices = Vec::new();
        while self.at(Punct::ColonColon) {
            let sign = self.bump();
            let errors = self.diagnostics.len();
            let body = self.sequence(&format!("an option of `{}`", start.kind.text()))?;
            if body.is_empty() && self.diagnostics.len() == errors {
                let wrong = Diagnostic::error(sign.span, "this option has no statement")
                    .help("write `skip` if there is nothing to do");
                self.report(wrong);
            }
            choices.push(Choice { body });
        }
        if !self.at_keyword(close) {
            let (found, close) = (self.peek().kind.describe(), close.text());
            let message = format!("expected `::` or `{close}`, found {found}");
            let wrong = Diagnostic::error(self.peek().span, message);
            return self.fail(wrong.label(start.span, format!("`{close}` closes this")));
        }
        self.bump();
        Ok(choices)
    }
}
