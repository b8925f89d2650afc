//! Sequences of statements: blocks, options, the separators between statements, and how to go on after an error.

use super::{Failed, Parse, Parser};
use crate::ast::{Block, Stmt};
use crate::token::{Keyword, Punct, Token, TokenKind};
use panoptes_source::Diagnostic;

impl Parser<'_> {
    pub(super) fn at_separator(&self) -> bool {
        self.at(Punct::Semi) || self.at(Punct::Arrow)
    }

    /// `{ statements }`; `context` follows "expected `{`" in the message.
    pub(super) fn block(&mut self, context: &str) -> Parse<Block> {
        let open = self.expect(Punct::LBrace, context)?;
        let mut stmts = Vec::new();
        loop {
            self.sequence(&mut stmts);
            match self.peek().kind {
                TokenKind::Punct(Punct::RBrace) => {
                    self.bump();
                    break;
                }
                TokenKind::Keyword(Keyword::Fi | Keyword::Od) | TokenKind::Punct(Punct::ColonColon) => {
                    self.stray();
                }
                _ => {
                    let diagnostic = self.expected("`}`").label(open.span, "this `{` is not closed");
                    self.report(diagnostic);
                    break;
                }
            }
        }
        Ok(Block { stmts, span: self.span_from(open.place) })
    }

    /// At `fi`, `od` or `::` that belongs to nothing.
    fn stray(&mut self) {
        let token = self.bump();
        let message = match token.kind {
            TokenKind::Keyword(Keyword::Fi) => "this `fi` has no `if`",
            TokenKind::Keyword(Keyword::Od) => "this `od` has no `do`",
            _ => "an option `::` stands only between `if` and `fi` or between `do` and `od`",
        };
        self.report(Diagnostic::error(token.span, message));
        while self.at_separator() {
            self.bump();
        }
    }

    pub(super) fn at_sequence_end(&self) -> bool {
        use TokenKind::{End, Keyword as Word, Punct as Sign};
        let closing = Sign(Punct::RBrace) == self.peek().kind
            || matches!(self.peek().kind, Word(Keyword::Fi | Keyword::Od) | Sign(Punct::ColonColon) | End);
        closing || self.at_item_keyword()
    }

    /// Statements with separators between them. After `}` and `else` the separator may be missing.
    fn sequence(&mut self, stmts: &mut Vec<Stmt>) {
        let mut is_empty = stmts.is_empty();
        loop {
            if is_empty && (self.at_separator() || self.at_sequence_end()) {
                if !self.at_item_keyword() {
                    let diagnostic = self.expected("a statement");
                    self.report(diagnostic.help("a block cannot be empty: `skip` does nothing"));
                }
                while self.at_separator() {
                    self.bump();
                }
            }
            if self.at_sequence_end() {
                return;
            }
            is_empty = false;
            let before = self.cursor.at;
            let step = self.step();
            let failed = step.is_err();
            match step {
                Ok(stmt) => stmts.push(stmt),
                Err(_) => self.skip_statement(before),
            }
            if self.at_separator() {
                while self.at_separator() {
                    self.bump();
                }
                continue;
            }
            let needless = self.last.is(Punct::RBrace) || self.last.is_keyword(Keyword::Else);
            if failed || needless || self.at_sequence_end() {
                continue;
            }
            let diagnostic = self.expected("`;` or `->` between statements");
            self.report(diagnostic);
            if !self.starts_statement() {
                self.skip_statement(before);
                while self.at_separator() {
                    self.bump();
                }
            }
        }
    }

    /// Could a statement begin here? Used only to choose how to go on after an error.
    pub(super) fn starts_statement(&self) -> bool {
        use Keyword::{Do, Else, Eval, Fi, Od, Of, Priority, Provided, Unless};
        match self.peek().kind {
            TokenKind::Ident(_) => true,
            TokenKind::Keyword(word) => {
                ![Else, Eval, Fi, Od, Of, Priority, Provided, Unless].contains(&word) || word == Do
            }
            TokenKind::Punct(Punct::LBrace) => true,
            _ => false,
        }
    }

    /// Goes to the end of the statement: a separator or what closes the sequence. Whole blocks are skipped.
    fn skip_statement(&mut self, before: usize) {
        let mut depth = 0usize;
        if self.cursor.at == before && !self.at_sequence_end() && !self.at_separator() {
            depth += usize::from(opens(self.peek()));
            self.bump();
        }
        loop {
            if self.at_end()
                || self.at_item_keyword()
                || (depth == 0 && (self.at_separator() || self.at_sequence_end()))
            {
                return;
            }
            let token = self.bump();
            if opens(&token) {
                depth += 1;
            } else if closes(&token) {
                depth = depth.saturating_sub(1);
            }
        }
    }

    /// `if` or `do` with its options, up to `close`.
    pub(super) fn options(&mut self, close: Keyword) -> Parse<Vec<Block>> {
        let open = self.bump();
        let (word, closing) = (open.kind.text(), close.text());
        let mut options = Vec::new();
        loop {
            match self.peek().kind {
                TokenKind::Punct(Punct::ColonColon) => {
                    let start = self.bump().place;
                    let mut stmts = Vec::new();
                    self.sequence(&mut stmts);
                    options.push(Block { stmts, span: self.span_from(start) });
                }
                TokenKind::Keyword(found @ (Keyword::Fi | Keyword::Od)) => {
                    if found != close {
                        let message =
                            format!("this `{word}` ends with `{}` instead of `{closing}`", found.text());
                        let wrong = Diagnostic::error(self.peek().span, message);
                        self.report(wrong.label(open.span, format!("the `{word}` begins here")));
                    } else if options.is_empty() {
                        let message = format!("this `{word}` has no options");
                        self.report(Diagnostic::error(open.span, message).help("an option begins with `::`"));
                    }
                    self.bump();
                    return Ok(options);
                }
                _ if !options.is_empty() || self.at_sequence_end() => {
                    let diagnostic = self.expected(&format!("`::` or `{closing}`"));
                    self.report(diagnostic.label(open.span, format!("this `{word}` has no `{closing}`")));
                    return Ok(options);
                }
                _ => {
                    let diagnostic = self.expected(&format!("`::` after `{word}`"));
                    self.report(diagnostic.help("an option begins with `::`"));
                    // The statements up to the next option are lost, but the construct is kept.
                    let before = self.cursor.at;
                    self.skip_statement(before);
                    while self.at_separator() {
                        self.bump();
                        if !self.at_sequence_end() {
                            self.skip_statement(self.cursor.at);
                        }
                    }
                    if !self.at(Punct::ColonColon)
                        && !self.at_keyword(Keyword::Fi)
                        && !self.at_keyword(Keyword::Od)
                    {
                        return Err(Failed);
                    }
                }
            }
        }
    }
}

fn opens(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Punct(Punct::LBrace) | TokenKind::Keyword(Keyword::If | Keyword::Do))
}

fn closes(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Punct(Punct::RBrace) | TokenKind::Keyword(Keyword::Fi | Keyword::Od))
}
