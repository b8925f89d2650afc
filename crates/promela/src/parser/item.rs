//! What stands outside processes: processes themselves, declarations, claims, formulas.

use super::habits::{instead_of_function, meant};
use super::{Failed, Parse, Parser};
use crate::ast::{Claim, Ident, Item, LtlDecl, Module, Proctype, TraceDecl, Typedef, VarDecl};
use crate::token::{Keyword, Punct, TokenKind};
use panoptes_source::Diagnostic;

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Module {
        let mut module = Module::default();
        loop {
            while self.at_separator() {
                self.bump();
            }
            if self.at_end() {
                return module;
            }
            let before = self.cursor.at;
            match self.item() {
                Ok(item) => module.items.extend(item),
                Err(_) => self.skip_item(before),
            }
        }
    }

    /// One item; an inline is only remembered.
    fn item(&mut self) -> Parse<Option<Item>> {
        if self.at_embedded_c() {
            return self.embedded_c();
        }
        let item = match self.peek().kind {
            TokenKind::Keyword(Keyword::Active | Keyword::Proctype | Keyword::DProctype) => {
                Item::Proctype(Box::new(self.proctype()?))
            }
            TokenKind::Keyword(Keyword::Init) => Item::Proctype(Box::new(self.init()?)),
            TokenKind::Keyword(Keyword::Never) => Item::Never(self.never()?),
            TokenKind::Keyword(Keyword::Trace | Keyword::Notrace) => Item::Trace(self.trace()?),
            TokenKind::Keyword(Keyword::Ltl) => Item::Ltl(self.ltl_item()?),
            TokenKind::Keyword(Keyword::Typedef) => Item::Typedef(self.typedef()?),
            TokenKind::Keyword(Keyword::Inline) => {
                self.inline_definition()?;
                return Ok(None);
            }
            _ if self.at_mtype_names() => Item::Mtype(self.mtype_names()?),
            _ if self.at_declaration() => Item::Var(self.declaration()?),
            _ => return self.no_item(),
        };
        Ok(Some(item))
    }

    fn no_item<T>(&mut self) -> Parse<T> {
        let found = self.peek().clone();
        if found.is(Punct::RBrace) && self.unclosed > 0 {
            // It closes what we took for closed when we said that a `}` is missing.
            self.unclosed -= 1;
            return Err(Failed);
        }
        let message = match found.kind {
            TokenKind::Punct(Punct::RBrace) => "this `}` closes nothing".to_string(),
            _ => format!("expected a declaration or a process, found {}", found.kind.describe()),
        };
        let mut diagnostic = Diagnostic::error(found.span, message);
        if let Some(help) = found.ident().and_then(|word| meant(word, std::iter::empty())) {
            diagnostic = diagnostic.help(help);
        } else if let Some(name) = self.last.ident().filter(|_| found.is(Punct::LParen) && !found.new_line) {
            diagnostic = diagnostic.help(instead_of_function(name));
        } else if self.starts_statement() {
            diagnostic = diagnostic.help("statements stand in the body of a `proctype` or of `init`");
        }
        self.fail(diagnostic)
    }

    /// Goes to where an item can begin.
    fn skip_item(&mut self, before: usize) {
        if self.cursor.at == before {
            self.bump();
        }
        self.skip_to_brackets_end(before);
        let since = &self.cursor.tokens[before..self.cursor.at];
        let braces = |brace| since.iter().filter(|token| token.is(brace)).count();
        let mut depth = braces(Punct::LBrace).saturating_sub(braces(Punct::RBrace));
        while !self.at_end() && !(self.at_item_keyword() && (depth == 0 || self.peek().new_line)) {
            match self.peek().kind {
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => depth = depth.saturating_sub(1),
                TokenKind::Punct(Punct::Semi) if depth == 0 => return,
                _ if depth == 0 && self.peek().new_line && self.at_declaration() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// At a word that only an item begins with: what is open before it was not closed.
    pub(super) fn at_item_keyword(&self) -> bool {
        use Keyword::{Active, DProctype, Init, Inline, Ltl, Never, Notrace, Proctype, Trace, Typedef};
        let words = [Active, DProctype, Init, Inline, Ltl, Never, Notrace, Proctype, Trace, Typedef];
        matches!(self.peek().kind, TokenKind::Keyword(word) if words.contains(&word))
    }

    fn proctype(&mut self) -> Parse<Proctype> {
        let start = self.peek().place;
        let mut active = None;
        if self.eat_keyword(Keyword::Active) {
            active = Some(None);
            if self.eat(Punct::LBracket) {
                active = Some(Some(self.expr()?));
                self.expect(Punct::RBracket, " after the number of processes")?;
            }
        }
        let deterministic = self.at_keyword(Keyword::DProctype);
        if !self.eat_keyword(Keyword::DProctype) {
            self.expect_keyword(Keyword::Proctype, "")?;
        }
        let name = self.expect_name("a process")?;
        self.proctypes.insert(name.name.clone());
        if !self.at(Punct::LParen) {
            let wrong = self.expected("`(` before the parameters");
            let help = format!("a process without parameters is written `proctype {}() {{ … }}`", name.name);
            return self.fail(wrong.help(help));
        }
        self.bump();
        let params = self.parameters()?;
        let priority = if self.at_keyword(Keyword::Priority) { Some(self.priority()?) } else { None };
        let mut provided = None;
        if self.eat_keyword(Keyword::Provided) {
            self.expect(Punct::LParen, " after `provided`")?;
            provided = Some(self.expr()?);
            self.expect(Punct::RParen, " after the condition of `provided`")?;
        }
        let body = self.block(" before the body of the process")?;
        let span = self.span_from(start);
        Ok(Proctype { name, is_init: false, deterministic, active, params, priority, provided, body, span })
    }

    fn parameters(&mut self) -> Parse<Vec<VarDecl>> {
        let mut params = Vec::new();
        while !self.at(Punct::RParen) {
            if !self.at_declaration() {
                return self.fail_expected("a parameter with its type");
            }
            let param = self.declaration()?;
            self.check_parameter(&param);
            params.push(param);
            if !self.at(Punct::Semi) {
                break;
            }
            while self.eat(Punct::Semi) {}
            if self.at(Punct::RParen) {
                return self.fail_expected("a parameter with its type");
            }
        }
        if self.at(Punct::Comma) || self.at_declaration() {
            let help = "parameters of different types are separated by `;`: `(byte a, b; chan c)`";
            let diagnostic = self.expected("`;` or `)` after a parameter").help(help);
            return self.fail(diagnostic);
        }
        self.expect(Punct::RParen, " after the parameters")?;
        Ok(params)
    }

    fn check_parameter(&mut self, param: &VarDecl) {
        for var in &param.vars {
            if var.init.is_some() {
                let message = format!("parameter `{}` cannot have an initial value", var.name.name);
                self.report(Diagnostic::error(var.span, message));
            }
            if var.array.is_some() {
                let message = format!("parameter `{}` cannot be an array", var.name.name);
                let help = "put the array into a `typedef` or make it global";
                self.report(Diagnostic::error(var.span, message).help(help));
            }
        }
    }

    fn init(&mut self) -> Parse<Proctype> {
        let word = self.bump();
        let priority = if self.at_keyword(Keyword::Priority) { Some(self.priority()?) } else { None };
        if self.at_keyword(Keyword::Provided) {
            let message = "`init` cannot have a `provided` clause";
            return self.fail(Diagnostic::error(self.peek().span, message));
        }
        let body = self.block(" after `init`")?;
        Ok(Proctype {
            name: Ident { name: "init".into(), span: word.span },
            is_init: true,
            deterministic: false,
            active: None,
            params: Vec::new(),
            priority,
            provided: None,
            body,
            span: self.span_from(word.place),
        })
    }

    fn never(&mut self) -> Parse<Claim> {
        let start = self.bump().place;
        let name = if self.at(Punct::LBrace) { None } else { Some(self.expect_name("a never claim")?) };
        let body = self.block(" after `never`")?;
        Ok(Claim { name, body, span: self.span_from(start) })
    }

    fn trace(&mut self) -> Parse<TraceDecl> {
        let word = self.bump();
        let body = self.block(&format!(" after `{}`", word.kind.text()))?;
        let negated = word.is_keyword(Keyword::Notrace);
        Ok(TraceDecl { negated, name: None, body, span: self.span_from(word.place) })
    }

    fn ltl_item(&mut self) -> Parse<LtlDecl> {
        let start = self.bump().place;
        let name = if self.at(Punct::LBrace) { None } else { Some(self.expect_name("an LTL formula")?) };
        let open = self.expect(Punct::LBrace, " before an LTL formula")?;
        let formula = self.ltl_formula()?;
        while self.at_separator() {
            self.bump();
        }
        if !self.at(Punct::RBrace) {
            let diagnostic = self.expected("an operator or `}` in an LTL formula");
            return self.fail(diagnostic.label(open.span, "the formula begins here"));
        }
        self.bump();
        Ok(LtlDecl { name, formula, span: self.span_from(start) })
    }

    fn typedef(&mut self) -> Parse<Typedef> {
        let start = self.bump().place;
        let name = self.expect_name("a type")?;
        self.typedefs.insert(name.name.clone());
        let open = self.expect(Punct::LBrace, " before the fields of a type")?;
        let mut fields = Vec::new();
        while !self.at(Punct::RBrace) {
            if !self.at_declaration() {
                let diagnostic = self.expected("a field with its type, or `}`");
                return self.fail(diagnostic.label(open.span, "the fields begin here"));
            }
            fields.push(self.declaration()?);
            let closed = self.last.is(Punct::RBrace);
            if !self.at(Punct::Semi) && !self.at(Punct::RBrace) && !closed {
                return self.fail_expected("`;` or `}` after a field");
            }
            while self.eat(Punct::Semi) {}
        }
        let close = self.bump();
        if fields.is_empty() {
            return self.fail(Diagnostic::error(close.span, format!("type `{}` has no fields", name.name)));
        }
        Ok(Typedef { name, fields, span: self.span_from(start) })
    }
}
