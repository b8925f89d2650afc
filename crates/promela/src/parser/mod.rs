//! The parser: recursive descent over the preprocessed tokens.
//!
//! It reports every error and goes on: a failed statement is skipped up to its end ([`Parser::skip_statement`]), a failed
//! item up to the next one. An error at a place where one was already reported is not reported again, which keeps
//! followers of one mistake away.

mod decl;
mod embedded;
mod expr;
mod given;
mod habits;
mod inline;
mod item;
mod lines;
mod ltl;
mod message;
mod sequence;
mod stmt;

use crate::ast::{Ident, Module, Name};
use crate::token::{Keyword, Punct, Token, TokenKind};
use inline::{Inline, Instance};
use panoptes_preprocess::{Appended, Role, Word, trouble};
use panoptes_source::{Diagnostic, ExpansionId, FileId, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Blocks in blocks, and the height of an expression. Both are far above what people and generators write; they bound
/// the recursion of everything that walks the tree.
const STATEMENT_DEPTH_MAX: usize = 256;
const EXPRESSION_HEIGHT_MAX: u32 = 1_000;

pub(crate) fn parse(
    sources: &mut SourceMap,
    tokens: Vec<RawToken>,
    appended: Vec<Appended>,
    file: FileId,
) -> (Module, Vec<Diagnostic>) {
    // The end is shown behind the last word of the model, not on the empty lines after it.
    let last = tokens.iter().rfind(|token| token.place.file == file && token.place.expansion.is_none());
    let end = last.map_or(0, |token| token.place.hi);
    let end = Span { file, lo: end, hi: end, expansion: None };
    let end =
        Token { kind: TokenKind::End, span: end, place: end, spaced: true, line_start: true, new_line: true };
    let mut parser = Parser {
        sources,
        cursor: Cursor { tokens: Vec::new(), at: 0, end: end.clone(), end_name: "" },
        last: end.clone(),
        diagnostics: Vec::new(),
        reported: FxHashSet::default(),
        error_at: None,
        excused: FxHashSet::default(),
        unclosed: 0,
        choices_open: 0,
        typedefs: FxHashSet::default(),
        typedefs_all: FxHashMap::default(),
        proctypes: FxHashSet::default(),
        proctypes_all: FxHashMap::default(),
        inlines: FxHashMap::default(),
        inlines_all: FxHashMap::default(),
        instances: Vec::new(),
        inline_tokens_left: inline::TOKENS_MAX,
        in_ltl: false,
        in_message: false,
        statement_depth: 0,
        expression_depth: 0,
        tallest: 0,
    };
    let tokens = parser.promela_tokens(tokens, end.span);
    parser.typedefs_all = named_after(&tokens, &[Keyword::Typedef]);
    parser.proctypes_all = named_after(&tokens, &[Keyword::Proctype, Keyword::DProctype]);
    parser.inlines_all = named_after(&tokens, &[Keyword::Inline]);
    parser.cursor = Cursor { tokens, at: 0, end, end_name: "the end of the text" };
    let mut module = parser.module();
    for text in appended {
        match text.role {
            Role::Formula => {
                module.items.extend(parser.given_formula(text).ok().map(crate::ast::Item::Ltl));
            }
            _ => module.given.extend(parser.given_condition(text).ok()),
        }
    }
    (module, parser.diagnostics)
}

/// The names that directly follow one of these words, anywhere in the text.
fn named_after(tokens: &[Token], words: &[Keyword]) -> FxHashMap<Name, Span> {
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let named = pairs.filter(|(token, _)| words.iter().any(|word| token.is_keyword(*word)));
    named.filter_map(|(_, token)| token.ident().map(|name| (name.clone(), token.span))).collect()
}

struct Parser<'a> {
    sources: &'a mut SourceMap,
    cursor: Cursor,
    /// The token before the cursor.
    last: Token,
    diagnostics: Vec<Diagnostic>,
    /// What was said and where, so that a mistake in an inline is not told once for each of its uses.
    reported: FxHashSet<(Span, String)>,
    /// The place of the last error.
    error_at: Option<Span>,
    /// Tokens after something that was reported and dropped: they may look wrong only because it is missing.
    excused: FxHashSet<Span>,
    /// How many `{` were reported as not closed.
    unclosed: usize,
    /// How many `if` and `do` are open around the cursor.
    choices_open: usize,
    typedefs: FxHashSet<Name>,
    typedefs_all: FxHashMap<Name, Span>,
    /// The processes declared so far: `P:v` is a remote reference only for those.
    proctypes: FxHashSet<Name>,
    proctypes_all: FxHashMap<Name, Span>,
    inlines: FxHashMap<Name, Rc<Inline>>,
    inlines_all: FxHashMap<Name, Span>,
    /// The inlines being expanded, outermost first.
    instances: Vec<Instance>,
    inline_tokens_left: usize,
    in_ltl: bool,
    /// At the first field of a message to send, where `m(x)` is a message.
    in_message: bool,
    statement_depth: usize,
    expression_depth: u32,
    /// The height of the tallest expression read since this was last reset; see [`expr`].
    tallest: u32,
}

struct Cursor {
    tokens: Vec<Token>,
    at: usize,
    end: Token,
    /// The end in the words of a message.
    end_name: &'static str,
}

/// A token as the preprocessor gives it.
type RawToken = panoptes_preprocess::Token;

/// The error is already reported.
struct Failed;
type Parse<T> = Result<T, Failed>;

impl Parser<'_> {
    /// Turns words into keywords and line ends into separators, and reports and drops what is no token.
    fn promela_tokens(&mut self, tokens: Vec<RawToken>, end: Span) -> Vec<Token> {
        let mut kept = Vec::with_capacity(tokens.len());
        let mut embedded = embedded::Tracker::default();
        let mut lines = lines::LineEnds::default();
        let mut dropped = None;
        let mut breaks_line = false;
        for token in tokens {
            let mut token: Token = token.with_keywords();
            token.new_line |= std::mem::take(&mut breaks_line);
            if token.kind == TokenKind::StrayCommentEnd {
                // As if it were not there: what comes next is read as ever.
                breaks_line = token.new_line;
                trouble(&token, "Promela").into_iter().for_each(|warning| self.report(warning));
                continue;
            }
            if let Some((digits, word)) = split_number(&token) {
                kept.extend(lines.before(&digits));
                kept.push(digits);
                token = word;
            }
            let is_embedded = embedded.step(&token);
            if let Some(diagnostic) = trouble(&token, "Promela").filter(|_| !is_embedded) {
                // Of a run of strange characters only the first is worth a message.
                let is_run = dropped
                    .is_some_and(|span: Span| span.hi == token.span.lo && span.file == token.span.file);
                dropped = Some(token.span);
                if !is_run {
                    self.report(diagnostic);
                }
                // A broken string is still a string; without it the next error would be ours.
                if token.kind != TokenKind::UnclosedString {
                    continue;
                }
                token.kind = TokenKind::Str("".into());
            }
            if dropped.take().is_some() {
                self.excused.insert(token.span);
            }
            if !is_embedded {
                kept.extend(lines.before(&token));
            }
            kept.push(token);
        }
        if dropped.is_some() {
            self.excused.insert(end);
        }
        kept
    }

    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &Token {
        self.cursor.tokens.get(self.cursor.at + ahead).unwrap_or(&self.cursor.end)
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != TokenKind::End {
            self.cursor.at += 1;
        }
        self.last = token.clone();
        token
    }

    fn at(&self, punct: Punct) -> bool {
        self.peek().is(punct)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek().is_keyword(keyword)
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

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, punct: Punct, context: &str) -> Parse<Token> {
        if self.at(punct) {
            Ok(self.bump())
        } else {
            self.fail_expected(&format!("`{}`{context}", punct.text()))
        }
    }

    fn expect_keyword(&mut self, keyword: Keyword, context: &str) -> Parse<Token> {
        if self.at_keyword(keyword) {
            Ok(self.bump())
        } else {
            self.fail_expected(&format!("`{}`{context}", keyword.text()))
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
        self.fail_expected(&format!("the name of {what}"))
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    fn fail_expected<T>(&mut self, what: &str) -> Parse<T> {
        let diagnostic = self.expected(what);
        self.fail(diagnostic)
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = self.peek();
        let name = match found.kind {
            _ if lines::is_implied(found) => "the end of the line".to_string(),
            TokenKind::End => self.cursor.end_name.to_string(),
            _ => found.kind.describe(),
        };
        let mut wrong = Diagnostic::error(found.span, format!("expected {what}, found {name}"));
        if lines::is_implied(found) {
            wrong.help = Some("a line end ends the statement, except inside parentheses".into());
        } else if lines::is_implied(&self.last) && lines::goes_on(found) {
            wrong.help =
                Some(format!("the line before ended a statement: put {name} at the end of that line"));
        }
        wrong
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        let known = self.error_at == Some(diagnostic.span) || self.excused.contains(&diagnostic.span);
        if known && diagnostic.is_error() {
            return;
        }
        let place = Span { expansion: None, ..diagnostic.span };
        let fits = diagnostic.fits(&self.diagnostics);
        if !fits || !self.reported.insert((place, diagnostic.message.clone())) {
            return;
        }
        let is_error = diagnostic.is_error();
        if is_error {
            self.error_at = Some(diagnostic.span);
        }
        self.diagnostics.push(diagnostic);
        let many = Diagnostic::error(self.peek().span, "too many errors: the rest is not shown");
        if is_error && !many.fits(&self.diagnostics) {
            self.diagnostics.push(many);
        }
    }

    /// The span from a token's place to the end of the last token read.
    fn span_from(&self, start: Span) -> Span {
        self.cover(start, self.last.place)
    }

    /// The smallest span over both. When they come from different expansions, it is that of the uses they come from, in
    /// the text that both stand in.
    fn cover(&self, start: Span, end: Span) -> Span {
        if start.expansion == end.expansion {
            return start.to(end);
        }
        let (mut start, mut end) = (start, end);
        let (mut start_depth, mut end_depth) = (self.depth(start), self.depth(end));
        while start.expansion != end.expansion {
            let (start_first, end_first) = (start_depth >= end_depth, end_depth >= start_depth);
            if start_first {
                (start, start_depth) = (self.call_of(start), start_depth - 1);
            }
            if end_first {
                (end, end_depth) = (self.call_of(end), end_depth - 1);
            }
        }
        start.to(end)
    }

    /// How many uses brought a span in, one inside the other.
    fn depth(&self, span: Span) -> usize {
        std::iter::successors(span.expansion, |id| self.sources.expansion(*id).call.expansion).count()
    }

    /// The place of the use that brought a span in.
    fn call_of(&self, span: Span) -> Span {
        span.expansion.map_or(span, |id| self.sources.expansion(id).call)
    }

    /// Runs `parse` with the tokens of an expansion in place of the text; what follows the call is left alone.
    fn within<T>(
        &mut self,
        tokens: Vec<Token>,
        end: Span,
        end_name: &'static str,
        parse: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let end = Token {
            kind: TokenKind::End,
            span: end,
            place: end,
            spaced: true,
            line_start: false,
            new_line: false,
        };
        let inner = Cursor { tokens, at: 0, end, end_name };
        let outer = std::mem::replace(&mut self.cursor, inner);
        let last = self.last.clone();
        let choices_open = std::mem::take(&mut self.choices_open);
        let result = parse(self);
        self.cursor = outer;
        self.last = last;
        self.choices_open = choices_open;
        result
    }

    fn in_expansion(span: Span, expansion: ExpansionId) -> Span {
        Span { expansion: Some(expansion), ..span }
    }
}

/// `1od` is a number and a word.
fn split_number(token: &Token) -> Option<(Token, Token)> {
    let TokenKind::Number(text) = &token.kind else { return None };
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, word) = text.split_at(length);
    let word = TokenKind::Keyword(Keyword::parse(word)?);
    let split = |span: Span| {
        (Span { hi: span.lo + length as u32, ..span }, Span { lo: span.lo + length as u32, ..span })
    };
    let (before, after) = split(token.span);
    let digits = Token { kind: TokenKind::Number(digits.into()), span: before, ..token.clone() };
    let word =
        Token { kind: word, span: after, spaced: false, line_start: false, new_line: false, ..token.clone() };
    Some((digits, word))
}
