//! Channels, processes, procedures and assertions.

use super::habits::meant;
use super::{Parse, Parser};
use crate::ast::{Assertion, ChannelDecl, Content, Module, Proc, VarDecl};
use crate::token::{Keyword, Punct, TokenKind};
use panoptes_source::{Diagnostic, Span};

const CHANNEL_WORDS: [Keyword; 2] = [Keyword::Channel, Keyword::Queue];
const VAR_WORDS: [Keyword; 2] = [Keyword::Var, Keyword::Pvar];

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Module {
        let mut module = Module::default();
        while !self.at_end() {
            if self.item(&mut module).is_err() {
                self.skip_item();
            }
        }
        module
    }

    fn item(&mut self, module: &mut Module) -> Parse<()> {
        match self.peek().kind {
            TokenKind::Keyword(Keyword::Proc | Keyword::Procedure) => {
                let proc = self.proc()?;
                module.procs.push(proc);
            }
            TokenKind::Keyword(Keyword::Assert) => {
                let assertion = self.assertion()?;
                module.assertions.push(assertion);
            }
            TokenKind::Keyword(Keyword::Channel | Keyword::Queue) => self.channels(&mut module.channels)?,
            TokenKind::Keyword(Keyword::Var | Keyword::Pvar) => {
                let wrong = Diagnostic::error(self.peek().span, "there are no global variables in Argos")
                    .help("declare it inside the process that uses it; processes share nothing but channels");
                return self.fail(wrong);
            }
            TokenKind::Punct(Punct::Semi) => {
                self.bump();
            }
            _ => {
                let found = self.peek();
                let message =
                    format!("expected `channel`, `proc` or `assert`, found {}", found.kind.describe());
                let help = found.ident().and_then(|word| meant(word));
                return self.fail(Diagnostic::error(found.span, message).help_if(help));
            }
        }
        Ok(())
    }

    /// Goes on at the next item: at a word that begins one, outside braces.
    fn skip_item(&mut self) {
        let mut braces = 0;
        let mut is_first = true;
        while !self.at_end() {
            let starts = [Keyword::Proc, Keyword::Procedure, Keyword::Assert, Keyword::Channel];
            if !is_first && (self.at_any(&starts[..2]) || (braces == 0 && self.at_any(&starts))) {
                return;
            }
            is_first = false;
            let token = self.bump();
            braces += i32::from(token.is(Punct::LBrace));
            braces -= i32::from(token.is(Punct::RBrace));
            braces = braces.max(0);
        }
    }

    /// `channel a[1], b[2] = { m(1) };`, after whose `;` there may be more.
    fn channels(&mut self, found: &mut Vec<ChannelDecl>) -> Parse<()> {
        self.bump();
        loop {
            found.push(self.channel()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::Semi, " after the declaration of channels").map(|_| ())
    }

    fn channel(&mut self) -> Parse<ChannelDecl> {
        let name = self.expect_name("a channel")?;
        if !self.at(Punct::LBracket) {
            let wrong = Diagnostic::error(name.span, format!("channel `{}` has no size", name.name))
                .help(format!("write `{}[1]` for a channel that holds one message", name.name));
            return self.fail(wrong);
        }
        self.bump();
        let size = self.expr()?;
        self.expect(Punct::RBracket, " after the size of the channel")?;
        let mut contents = Vec::new();
        if self.eat(Punct::Assign) {
            self.expect(Punct::LBrace, " before the initial messages")?;
            while !self.at(Punct::RBrace) {
                let message = self.expect_name("a message")?;
                let value = self.value()?;
                contents.push(Content { message, value });
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::RBrace, " after the initial messages")?;
        }
        Ok(ChannelDecl { name, size, contents })
    }

    fn proc(&mut self) -> Parse<Proc> {
        let start = self.bump();
        let mut is_procedure = start.is_keyword(Keyword::Procedure);
        let name = self.expect_name(if is_procedure { "a procedure" } else { "a process" })?;
        if self.eat(Punct::LParen) {
            is_procedure = true;
            if !self.at(Punct::RParen) {
                let wrong = Diagnostic::error(self.peek().span, "procedures have no parameters")
                    .help("a procedure sees the variables of the process that calls it; or use a macro");
                return self.fail(wrong);
            }
            self.bump();
        }
        let span = self.span_from(start.place);
        let open = self.expect(Punct::LBrace, &format!(" before the body of `{}`", name.name))?.span;
        let (mut channels, mut variables) = (Vec::new(), Vec::new());
        loop {
            if self.at_any(&CHANNEL_WORDS) {
                self.channels(&mut channels)?;
            } else if self.at_any(&VAR_WORDS) {
                self.variables(&mut variables)?;
            } else if !self.eat(Punct::Semi) {
                break;
            }
        }
        let body = self.body(&name.name, open)?;
        Ok(Proc { name, is_procedure, channels, variables, body, span })
    }

    fn variables(&mut self, found: &mut Vec<VarDecl>) -> Parse<()> {
        self.bump();
        loop {
            let name = self.expect_name("a variable")?;
            let value = if self.eat(Punct::Assign) { Some(self.expr()?) } else { None };
            found.push(VarDecl { name, value });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::Semi, " after the declaration of variables").map(|_| ())
    }

    fn assertion(&mut self) -> Parse<Assertion> {
        let start = self.bump();
        let name = match self.peek().ident() {
            Some(_) => Some(self.expect_name("an assertion")?),
            None => None,
        };
        let span = self.span_from(start.place);
        let open = self.expect(Punct::LBrace, " before the body of the assertion")?.span;
        if self.at_any(&CHANNEL_WORDS) || self.at_any(&VAR_WORDS) {
            let wrong = Diagnostic::error(self.peek().span, "an assertion declares nothing")
                .help("it speaks of the messages that processes exchange");
            return self.fail(wrong);
        }
        let body = self.body("the assertion", open)?;
        Ok(Assertion { name, body, span })
    }

    /// The statements up to the `}` of a body whose `{` is read.
    fn body(&mut self, owner: &str, open: Span) -> Parse<Vec<crate::ast::Stmt>> {
        let body = self.sequence(&format!("the body of `{}`", owner.trim_matches('`')))?;
        match self.at(Punct::RBrace) {
            true => {
                self.bump();
                Ok(body)
            }
            false => {
                let found = self.peek().kind.describe();
                let message = format!("expected `;`, `->` or `}}` after a statement, found {found}");
                let wrong =
                    Diagnostic::error(self.peek().span, message).label(open, "this `{` is not closed");
                self.report(wrong);
                // What follows may be the next item, which is read as such.
                Ok(body)
            }
        }
    }
}
