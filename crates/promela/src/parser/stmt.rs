//! Statements and the sequences they stand in.

use super::{Failed, Parse, Parser, STATEMENT_DEPTH_MAX, with_stack};
use crate::ast::{Block, Expr, ExprKind, Ident, RecvArg, RecvArgKind, Stmt, StmtKind, VarRef};
use crate::lexer::unescape_string;
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

    fn at_sequence_end(&self) -> bool {
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

    /// A statement with its labels, and its escape after `unless`.
    fn step(&mut self) -> Parse<Stmt> {
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
                Ok(StmtKind::Assert(self.expr()?))
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
                Ok(StmtKind::SetPriority { pid, priority })
            }
            Keyword::Return => self.return_statement(),
            _ => Ok(StmtKind::Expr(self.expr_or("a statement")?)),
        }
    }

    /// `if` or `do` with its options, up to `close`.
    fn options(&mut self, close: Keyword) -> Parse<Vec<Block>> {
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
        let var = self.var_ref()?;
        if self.eat(Punct::Colon) {
            let (from, to) = self.range()?;
            let body = self.for_body()?;
            return Ok(StmtKind::ForRange { var, from, to, body });
        }
        if self.peek().ident().is_some_and(|word| &**word == "in") {
            self.bump();
            let over = self.var_ref()?;
            self.expect(Punct::RParen, " before the body of the loop")?;
            let body = self.for_body()?;
            return Ok(StmtKind::ForIn { var, over, body });
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
        Ok(StmtKind::Select { var, from, to })
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
    fn named_statement(&mut self, name: crate::ast::Name) -> Parse<StmtKind> {
        if self.peek_at(1).is(Punct::LParen) {
            return self.inline_call(name, None);
        }
        if &*name == "STDIN" && self.peek_at(1).is(Punct::Query) {
            let message = "reading standard input is not supported: `STDIN` is a channel like any other";
            self.report(
                Diagnostic::warning(self.peek().span, message).help("use `select` for a free choice"),
            );
        }
        let start = self.peek().place;
        let (target, height) = self.tall_var_ref()?;
        match self.peek().kind {
            TokenKind::Punct(Punct::Assign) => {
                self.bump();
                if self.peek_at(1).is(Punct::LParen) {
                    if let Some(name) = self.peek().ident().cloned() {
                        return self.inline_call(name, Some(target));
                    }
                }
                let value = self.expr()?;
                Ok(StmtKind::Assign { target, value })
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

    /// `c!x,y` and `c!m(x,y)`.
    fn send(&mut self, chan: VarRef, sorted: bool) -> Parse<StmtKind> {
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

    fn receive(&mut self, chan: VarRef, random: bool) -> Parse<StmtKind> {
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

fn opens(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Punct(Punct::LBrace) | TokenKind::Keyword(Keyword::If | Keyword::Do))
}

fn closes(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Punct(Punct::RBrace) | TokenKind::Keyword(Keyword::Fi | Keyword::Od))
}
