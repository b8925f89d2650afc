//! Declarations of variables and of message names.

use super::habits::{meant, nothing_called, operator};
use super::{Parse, Parser};
use crate::ast::{
    ChanInit, Declarator, FieldType, Ident, Init, MtypeDecl, Name, TypeName, VarDecl, Visibility,
};
use crate::token::{Keyword, Punct, Token, TokenKind};
use panoptes_source::Diagnostic;

impl Parser<'_> {
    /// At a type or a word that stands before one.
    pub(super) fn at_declaration(&self) -> bool {
        use Keyword::{Bit, Bool, Byte, Chan, Hidden, Int, Local, Mtype, Pid, Short, Show, Unsigned};
        let words = [Bit, Bool, Byte, Chan, Hidden, Int, Local, Mtype, Pid, Short, Show, Unsigned];
        match &self.peek().kind {
            TokenKind::Keyword(word) => words.contains(word),
            // Two names in a row are a declaration, even if the first is not known to be a type: the message about the
            // type is the better one. On two lines they are rather two statements with a `;` forgotten.
            TokenKind::Ident(name) => {
                let next = self.peek_at(1);
                next.ident().is_some() && (self.typedefs.contains(name) || !next.new_line)
            }
            _ => false,
        }
    }

    /// At `mtype = {`, `mtype {` or `mtype : name = {`.
    pub(super) fn at_mtype_names(&self) -> bool {
        let is = |ahead, punct| self.peek_at(ahead).is(punct);
        let plain = is(1, Punct::Assign) || is(1, Punct::LBrace);
        let named = is(1, Punct::Colon) && (is(3, Punct::Assign) || is(3, Punct::LBrace));
        self.at_keyword(Keyword::Mtype) && (plain || named)
    }

    pub(super) fn mtype_names(&mut self) -> Parse<MtypeDecl> {
        let start = self.bump().place;
        let subtype = self.mtype_subtype()?;
        if !self.eat(Punct::Assign) && subtype.is_some() {
            return self.fail_expected("`=` before the names");
        }
        let open = self.expect(Punct::LBrace, " before the names of an `mtype`")?;
        let mut names = Vec::new();
        loop {
            while !names.is_empty() && self.eat(Punct::Comma) {}
            if self.at_close() {
                break;
            }
            if self.at_end() || self.at(Punct::Semi) {
                let diagnostic = self.expected("`}` after the names of an `mtype`");
                return self.fail(diagnostic.label(open.span, "the names begin here"));
            }
            names.push(self.expect_name("a message")?);
        }
        let close = self.close(" after the names of an `mtype`")?;
        if names.is_empty() {
            return self.fail(Diagnostic::error(close.span, "this `mtype` has no names"));
        }
        Ok(MtypeDecl { subtype, names, span: self.span_from(start) })
    }

    fn mtype_subtype(&mut self) -> Parse<Option<Ident>> {
        if self.eat(Punct::Colon) { Ok(Some(self.expect_name("a kind of `mtype`")?)) } else { Ok(None) }
    }

    pub(super) fn declaration(&mut self) -> Parse<VarDecl> {
        let start = self.peek().place;
        let visibility = match self.peek().kind {
            TokenKind::Keyword(Keyword::Hidden) => Visibility::Hidden,
            TokenKind::Keyword(Keyword::Show) => Visibility::Show,
            TokenKind::Keyword(Keyword::Local) => Visibility::Local,
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.bump();
        }
        let ty = self.type_name()?;
        let mut vars = vec![self.declarator()?];
        while self.eat(Punct::Comma) {
            if self.at_declaration() && !matches!(self.peek().kind, TokenKind::Ident(_)) {
                let help = "after `,` comes another name of the same type; a new declaration comes after `;`";
                let diagnostic = self.expected("a name").help(help);
                return self.fail(diagnostic);
            }
            vars.push(self.declarator()?);
        }
        Ok(VarDecl { visibility, ty, vars, span: self.span_from(start) })
    }

    fn type_name(&mut self) -> Parse<TypeName> {
        if let Some(name) = self.peek().ident().cloned() {
            return self.user_type(name);
        }
        let ty = match self.peek().kind {
            TokenKind::Keyword(Keyword::Bit) => TypeName::Bit,
            TokenKind::Keyword(Keyword::Bool) => TypeName::Bool,
            TokenKind::Keyword(Keyword::Byte) => TypeName::Byte,
            TokenKind::Keyword(Keyword::Pid) => TypeName::Pid,
            TokenKind::Keyword(Keyword::Short) => TypeName::Short,
            TokenKind::Keyword(Keyword::Int) => TypeName::Int,
            TokenKind::Keyword(Keyword::Unsigned) => TypeName::Unsigned,
            TokenKind::Keyword(Keyword::Chan) => TypeName::Chan,
            TokenKind::Keyword(Keyword::Mtype) => {
                self.bump();
                return Ok(TypeName::Mtype(self.mtype_subtype()?));
            }
            _ => return self.fail_expected("a type"),
        };
        self.bump();
        Ok(ty)
    }

    fn user_type(&mut self, name: Name) -> Parse<TypeName> {
        let known = self.typedefs.contains(&name);
        let next = self.peek_at(1).kind.describe();
        let named = self.peek_at(1).ident().is_some();
        let span = self.peek().span;
        if known {
            self.bump();
            return Ok(TypeName::User(Ident { name, span }));
        }
        let mut wrong = Diagnostic::error(span, nothing_called(&name, "type"));
        if let Some(later) = self.typedefs_all.get(&name) {
            wrong =
                wrong.label(*later, "it is defined here, after its use").help("define it before it is used");
        } else if let Some(help) = self.peek_at(1).ident().and_then(|word| operator(word)) {
            wrong = wrong.help(help);
        } else if let Some(help) = meant(&name, self.typedefs_all.keys().map(|name| &**name)) {
            wrong = wrong.help(help);
        } else if named {
            wrong = wrong
                .help(format!("if this is no declaration, something is missing between `{name}` and {next}"));
        }
        self.fail(wrong)
    }

    fn declarator(&mut self) -> Parse<Declarator> {
        let start = self.peek().place;
        let name = self.expect_name("a variable")?;
        let mut width = None;
        let mut array = None;
        if self.eat(Punct::Colon) {
            width = Some(self.constant("the number of bits")?);
        } else if self.eat(Punct::LBracket) {
            array = Some(self.expr()?);
            self.expect(Punct::RBracket, " after the size of an array")?;
            if self.at(Punct::LBracket) {
                let message = "an array has one dimension in Promela";
                let help = "make an array of a `typedef` that contains an array";
                return self.fail(Diagnostic::error(self.peek().span, message).help(help));
            }
        }
        let init = if self.eat(Punct::Assign) { Some(self.initial_value()?) } else { None };
        Ok(Declarator { name, width, array, init, span: self.span_from(start) })
    }

    fn initial_value(&mut self) -> Parse<Init> {
        if self.at(Punct::LBracket) {
            return Ok(Init::Channel(self.channel()?));
        }
        if !self.eat(Punct::LBrace) {
            return Ok(Init::Expr(self.expr()?));
        }
        let mut values = vec![self.expr()?];
        while self.eat(Punct::Comma) {
            values.push(self.expr()?);
        }
        self.close(" after the initial values")?;
        Ok(Init::List(values))
    }

    /// `[capacity] of { types }`.
    fn channel(&mut self) -> Parse<ChanInit> {
        let start = self.bump().place;
        let capacity = self.expr()?;
        self.expect(Punct::RBracket, " after the capacity of a channel")?;
        self.expect_keyword(Keyword::Of, " and the types of the messages")?;
        if !self.at(Punct::LBrace) {
            let wrong = self.expected("`{` before the types of the messages");
            return self.fail(wrong.help("write them in braces: `[1] of { byte, bool }`"));
        }
        self.bump();
        let mut fields = vec![self.field_type()?];
        while self.eat(Punct::Comma) {
            fields.push(self.field_type()?);
        }
        self.close(" after the types of the messages")?;
        Ok(ChanInit { capacity, fields, span: self.span_from(start) })
    }

    /// At `}`, or at a `;` before it: SPIN drops a `;` before `}` wherever it stands.
    fn at_close(&self) -> bool {
        self.at(Punct::RBrace) || (self.at(Punct::Semi) && self.peek_at(1).is(Punct::RBrace))
    }

    fn close(&mut self, context: &str) -> Parse<Token> {
        if self.at_close() {
            self.eat(Punct::Semi);
        }
        self.expect(Punct::RBrace, context)
    }

    fn field_type(&mut self) -> Parse<FieldType> {
        let start = self.peek().place;
        let ty = self.type_name()?;
        Ok(FieldType { ty, span: self.span_from(start) })
    }
}
