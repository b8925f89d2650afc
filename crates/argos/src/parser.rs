//! The parser: recursive descent over the preprocessed tokens.
//!
//! It reports every error and goes on: a failed statement is skipped up to its end, a failed item up to the next one.

mod expr;
mod habits;
mod item;
mod stmt;

use crate::ast::{Ident, Module};
use crate::token::{Keyword, Punct, Token, TokenKind};
use panoptes_source::{Diagnostic, FileId, SourceMap, Span};

/// Choices in choices, and operators in operators. Both are far above what people write; they bound the recursion of
/// everything that walks the tree.
const STATEMENT_DEPTH_MAX: usize = 100;
const EXPRESSION_DEPTH_MAX: usize = 200;

/// More errors than this help nobody.
const ERRORS_MAX: usize = 100;

pub(crate) fn parse(sources: &SourceMap, tokens: Vec<Token>, file: FileId) -> (Module, Vec<Diagnostic>) {
    // The end is shown behind the last word of the model, not on the empty lines after it.
    let last = tokens.iter().rfind(|token| token.place.file == file && token.place.expansion.is_none());
    let at = last.map_or(0, |token| token.place.hi);
    let span = Span { file, lo: at, hi: at, expansion: None };
    let end =
        Token { kind: TokenKind::End, span, place: span, spaced: true, line_start: true, new_line: true };
    let mut parser = Parser {
        sources,
        tokens,
        at: 0,
        last: end.clone(),
        end,
        diagnostics: Vec::new(),
        error_at: None,
        statement_depth: 0,
        expression_depth: 0,
    };
    let module = parser.module();
    (module, parser.diagnostics)
}

struct Parser<'a> {
    sources: &'a SourceMap,
    tokens: Vec<Token>,
    at: usize,
    end: Token,
    /// The token before the cursor.
    last: Token,
    diagnostics: Vec<Diagnostic>,
    /// The place of the last error.
    error_at: Option<Span>,
    statement_depth: usize,
    expression_depth: usize,
}

/// The error is already reported.
struct Failed;
type Parse<T> = Result<T, Failed>;

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        self.tokens.get(self.at + ahead).unwrap_or(&self.end)
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += usize::from(token.kind != TokenKind::End);
        self.last = token.clone();
        token
    }

    fn at(&self, punct: Punct) -> bool {
        self.peek().is(punct)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek().is_keyword(keyword)
    }

    fn at_any(&self, keywords: &[Keyword]) -> bool {
        keywords.iter().any(|keyword| self.at_keyword(*keyword))
    }

    fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: Punct, context: &str) -> Parse<Token> {
        match self.at(punct) {
            true => Ok(self.bump()),
            false => self.fail_expected(&format!("`{}`{context}", punct.text())),
        }
    }

    /// A name; `what` says of what, for the message.
    fn expect_name(&mut self, what: &str) -> Parse<Ident> {
        if let Some(name) = self.peek().ident().cloned() {
            let token = self.bump();
            return Ok(Ident { name, span: token.span });
        }
        if let TokenKind::Keyword(keyword) = self.peek().kind {
            let message = format!("`{}` is a keyword and cannot be the name of {what}", keyword.text());
            return self.fail(Diagnostic::error(self.peek().span, message));
        }
        let diagnostic = self.expected(&format!("the name of {what}"));
        let help = match self.peek().kind {
            TokenKind::Number(_) if what == "a message" => Some(habits::VALUE_ALONE.to_string()),
            _ => None,
        };
        self.fail(diagnostic.help_if(help))
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    fn fail_expected<T>(&mut self, what: &str) -> Parse<T> {
        self.fail(self.expected(what))
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = self.peek();
        Diagnostic::error(found.span, format!("expected {what}, found {}", found.kind.describe()))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.error_at == Some(diagnostic.span) || self.diagnostics.len() >= ERRORS_MAX {
            return;
        }
        self.error_at = Some(diagnostic.span);
        self.diagnostics.push(diagnostic);
    }

    /// The span from a token's place to the end of the last token read.
    fn span_from(&self, start: Span) -> Span {
        let end = self.last.place;
        if start.expansion == end.expansion {
            return start.to(end);
        }
        // Partly from a macro: what the text of the model shows of both.
        self.sources.user_span(start).to(self.sources.user_span(end))
    }
}
