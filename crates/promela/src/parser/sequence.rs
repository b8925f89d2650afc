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
        let mut is_first = true;
        loop {
            self.sequence(&mut stmts, is_first);
            is_first = false;
            match self.peek().kind {
                TokenKind::Punct(Punct::RBrace) => {
                    self.bump();
                    break;
                }
                // Inside of a choice it is that of the choice, and the block is not closed.
                TokenKind::Keyword(Keyword::Fi | Keyword::Od) | TokenKind::Punct(Punct::ColonColon)
                    if self.choices_open == 0 =>
                {
                    self.stray();
                }
                _ => {
                    let diagnostic = self.expected("`}`").label(open.span, "this `{` is not closed");
                    self.report(diagnostic);
                    self.unclosed += 1;
                    break;
                }
            }
        }
        Ok(Block { stmts, arrow: false, span: self.span_from(open.place) })
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
        use panoptes_preprocess::TokenKind::{End, Keyword as Word, Punct as Sign};
        let closing = Sign(Punct::RBrace) == self.peek().kind
            || matches!(self.peek().kind, Word(Keyword::Fi | Keyword::Od) | Sign(Punct::ColonColon) | End);
        closing || self.at_item_keyword()
    }

    /// Statements with separators between them. After `}` and `else` the separator may be missing. Tells whether `->`
    /// follows the first statement.
    fn sequence(&mut self, stmts: &mut Vec<Stmt>, mut is_empty: bool) -> bool {
        let mut arrow = false;
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
                return arrow;
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
                arrow |= stmts.len() == 1 && self.at(Punct::Arrow);
                while self.at_separator() {
                    self.bump();
                }
                continue;
            }
            let needless = self.last.is(Punct::RBrace) || self.last.is_keyword(Keyword::Else);
            if failed || needless || self.at_sequence_end() {
                continue;
            }
            let diagnostic = self.after_statement();
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

    /// Goes to the end of the statement that begins at `before`: a separator or what closes the sequence. Whole blocks
    /// are skipped.
    fn skip_statement(&mut self, before: usize) {
        self.skip_to_brackets_end(before);
        let mut depth = 0usize;
        if self.cursor.at == before && !self.at_sequence_end() && !self.at_separator() {
            depth += usize::from(self.opens());
            self.bump();
        }
        loop {
            let ends = depth == 0 && (self.at_separator() || self.at_sequence_end());
            if ends || self.at_end() || self.at_item_keyword() {
                return;
            }
            depth += usize::from(self.opens());
            let token = self.bump();
            if depth > 0 && closes(&token) {
                depth -= 1;
                // After a `}` the next statement needs no separator.
                if depth == 0 && token.is(Punct::RBrace) {
                    return;
                }
            }
        }
    }

    /// At what begins something that is skipped as a whole. The words alone are not enough: a misplaced `do` is more
    /// likely a mistake than the start of a loop.
    fn opens(&self) -> bool {
        let word = self.at_keyword(Keyword::If) || self.at_keyword(Keyword::Do);
        self.at(Punct::LBrace) || (word && self.peek_at(1).is(Punct::ColonColon))
    }

    /// If brackets were opened since `before` and all close on this line, goes behind them: a `;` between them belongs
    /// to the mistake and ends nothing.
    pub(super) fn skip_to_brackets_end(&mut self, before: usize) {
        use Punct::{ColonColon, LBrace, LBracket, LParen, RBrace, RBracket, RParen};
        let side = |token: &Token| match token.kind {
            TokenKind::Punct(LParen | LBracket) => 1,
            TokenKind::Punct(RParen | RBracket) => -1,
            _ => 0,
        };
        let mut open: isize = self.cursor.tokens[before..self.cursor.at].iter().map(side).sum();
        let mut at = self.cursor.at;
        while open > 0 {
            let Some(token) = self.cursor.tokens.get(at) else { return };
            let limit =
                token.new_line || matches!(token.kind, TokenKind::Punct(LBrace | RBrace | ColonColon));
            if limit || closes(token) {
                return;
            }
            open += side(token);
            at += 1;
        }
        while self.cursor.at < at {
            self.bump();
        }
    }

    /// `if` or `do` with its options, up to `close`.
    pub(super) fn options(&mut self, close: Keyword) -> Parse<Vec<Block>> {
        self.choices_open += 1;
        let options = self.open_options(close);
        self.choices_open -= 1;
        options
    }

    fn open_options(&mut self, close: Keyword) -> Parse<Vec<Block>> {
        let after_else = self.last.is_keyword(Keyword::Else);
        let open = self.bump();
        let mut is_told = false;
        let (word, closing) = (open.kind.text(), close.text());
        let mut options = Vec::new();
        loop {
            match self.peek().kind {
                TokenKind::Punct(Punct::ColonColon) => {
                    let start = self.bump().place;
                    let mut stmts = Vec::new();
                    let arrow = self.sequence(&mut stmts, true);
                    options.push(Block { stmts, arrow, span: self.span_from(start) });
                }
                TokenKind::Keyword(found @ (Keyword::Fi | Keyword::Od)) => {
                    if found != close {
                        let message =
                            format!("this `{word}` ends with `{}` instead of `{closing}`", found.text());
                        let wrong = Diagnostic::error(self.peek().span, message);
                        self.report(wrong.label(open.span, format!("the `{word}` begins here")));
                    } else if options.is_empty() && !is_told {
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
                    self.report(diagnostic.help(self.help_for_options(close, after_else)));
                    if after_else {
                        // The `fi` that follows is that of the choice around.
                        return Err(Failed);
                    }
                    is_told = true;
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

fn closes(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Punct(Punct::RBrace) | TokenKind::Keyword(Keyword::Fi | Keyword::Od))
}
