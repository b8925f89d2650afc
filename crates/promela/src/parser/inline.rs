//! Inlines: named pieces of text with parameters, put where they are called.
//!
//! SPIN substitutes characters; we substitute tokens, which is the same because it never makes one token of two. The
//! result is parsed as a block, with spans that stand in the inline's body and name the call.

use super::habits::{meant, nothing_called};
use super::{Failed, Parse, Parser};
use crate::ast::{Name, StmtKind, VarRef};
use crate::token::{Punct, Token, TokenKind};
use panoptes_source::{Diagnostic, ExpansionId, ExpansionKind, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The tokens that all inlines together may add; it ends inlines that double themselves.
pub(super) const TOKENS_MAX: usize = 1_000_000;

pub(super) struct Inline {
    name: Name,
    span: Span,
    params: Vec<Name>,
    /// With its braces.
    body: Vec<Token>,
}

/// An inline being expanded.
pub(super) struct Instance {
    name: Name,
    /// The variable that `return` assigns to.
    target: Option<VarRef>,
}

impl Parser<'_> {
    /// `inline name(a, b) { … }`.
    pub(super) fn inline_definition(&mut self) -> Parse<()> {
        self.bump();
        let name = self.expect_name("an inline")?;
        self.expect(Punct::LParen, " before the parameters of an inline")?;
        let mut params = Vec::new();
        while !self.at(Punct::RParen) {
            if self.at_declaration() {
                let message = "the parameters of an inline have no types";
                let help = "an inline is text: write only the names";
                return self.fail(Diagnostic::error(self.peek().span, message).help(help));
            }
            let param = self.expect_name("a parameter")?;
            if params.contains(&param.name) {
                let message = format!("two parameters are called `{}`", param.name);
                self.report(Diagnostic::error(param.span, message));
            }
            params.push(param.name);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RParen, " after the parameters of an inline")?;
        if !self.at(Punct::LBrace) {
            return self.fail_expected("`{` before the body of an inline");
        }
        let open = self.peek().span;
        let start = self.cursor.at;
        self.skip_braces();
        let body = self.cursor.tokens[start..self.cursor.at].to_vec();
        if !self.last.is(Punct::RBrace) {
            let diagnostic = self.expected("`}`").label(open, "this `{` is not closed");
            return self.fail(diagnostic);
        }
        if let Some(first) = self.inlines.get(&name.name) {
            let message = format!("inline `{}` is defined twice", name.name);
            let again =
                Diagnostic::error(name.span, message).label(first.span, "the first definition is here");
            return self.fail(again);
        }
        let inline = Inline { name: name.name.clone(), span: name.span, params, body };
        self.inlines.insert(name.name, Rc::new(inline));
        Ok(())
    }

    /// `name(arguments)` as a statement, and `target = name(arguments)`.
    pub(super) fn inline_call(&mut self, name: Name, target: Option<VarRef>) -> Parse<StmtKind> {
        let Some(inline) = self.inlines.get(&name).cloned() else { return self.no_inline(&name) };
        let call = self.bump();
        let arguments = self.inline_arguments(&inline, &call)?;
        let span = self.cover(call.span, self.last.span);
        let place = self.cover(call.place, self.last.place);
        self.check_cycle(&inline, span)?;
        let tokens = self.instantiate(&inline, &arguments, span)?;
        let end = tokens.last().map_or(span, |token| token.span);
        self.instances.push(Instance { name, target });
        let block = self.within(tokens, end, "the end of the inline", |parser| {
            let block = parser.block("");
            while !parser.at_end() {
                parser.bump();
            }
            block
        });
        self.instances.pop();
        if self.at_binary_operator() && !self.at(Punct::Minus) {
            let message = format!("the call of inline `{}` cannot be a part of an expression", inline.name);
            self.report(Diagnostic::error(span, message).help("assign it to a variable and use that"));
            return Err(Failed);
        }
        // The text ended with the `}` of the body, so no separator has to follow.
        self.last = Token { kind: TokenKind::Punct(Punct::RBrace), span: place, place, ..self.last.clone() };
        Ok(StmtKind::Block(block?))
    }

    fn no_inline<T>(&mut self, name: &Name) -> Parse<T> {
        let later = self.inlines_all.get(name).copied();
        let wrong = Diagnostic::error(self.peek().span, nothing_called(name, "inline"));
        let wrong = match later {
            Some(span) => {
                wrong.label(span, "it is defined here, after its use").help("define it before it is used")
            }
            None if self.proctypes_all.contains_key(name) => {
                wrong.help(format!("`{name}` is a process: it starts with `run {name}(…)`"))
            }
            None => wrong.help_if(meant(name, self.inlines_all.keys().map(|name| &**name))),
        };
        self.fail(wrong)
    }

    fn inline_arguments(&mut self, inline: &Inline, call: &Token) -> Parse<Vec<Vec<Token>>> {
        let open = self.bump();
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        loop {
            if self.at_end() || self.at_item_keyword() {
                let diagnostic = self.expected("`)`").label(open.span, "for this `(`");
                return self.fail(diagnostic);
            }
            let token = self.bump();
            match token.kind {
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => break,
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => depth -= 1,
                TokenKind::Punct(Punct::Comma) if depth == 0 => {
                    self.check_argument(arguments.last().expect("there is always one"), token.span)?;
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            arguments.last_mut().expect("there is always one").push(token);
        }
        let close = self.last.clone();
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        } else {
            self.check_argument(arguments.last().expect("there is one"), close.span)?;
        }
        self.last = close;
        let wanted = inline.params.len();
        if arguments.len() != wanted {
            let plural = if wanted == 1 { "" } else { "s" };
            let message =
                format!("inline `{}` takes {wanted} argument{plural}, not {}", inline.name, arguments.len());
            return self.fail(Diagnostic::error(call.span, message).label(inline.span, "it is defined here"));
        }
        Ok(arguments)
    }

    /// An argument is an expression; a mistake in it is better told here than in the body.
    fn check_argument(&mut self, argument: &[Token], end: Span) -> Parse<()> {
        self.within(argument.to_vec(), end, "the end of the argument", |parser| {
            parser.expr_or("an argument: an expression")?;
            if parser.at_end() { Ok(()) } else { parser.fail_expected("`,` or `)` after an argument") }
        })
    }

    fn check_cycle(&mut self, inline: &Inline, call: Span) -> Parse<()> {
        if !self.instances.iter().any(|instance| instance.name == inline.name) {
            return Ok(());
        }
        // The way around is the chain of calls that brought us here, which every message shows.
        let wrong = Diagnostic::error(call, format!("inline `{}` calls itself", inline.name));
        self.fail(wrong.help("an inline is text and cannot be recursive: use a loop"))
    }

    /// The body with the arguments in place of the parameters.
    fn instantiate(&mut self, inline: &Inline, arguments: &[Vec<Token>], call: Span) -> Parse<Vec<Token>> {
        if self.inline_tokens_left == 0 {
            return Err(Failed);
        }
        let expansion = self.sources.add_expansion(ExpansionKind::Inline, &*inline.name, call);
        let mut moved = FxHashMap::default();
        let mut tokens = Vec::with_capacity(inline.body.len());
        for token in &inline.body {
            let span = self.move_into(token.span, expansion, &mut moved);
            let place = self.move_into(token.place, expansion, &mut moved);
            let param = token.ident().and_then(|name| inline.params.iter().position(|param| param == name));
            match param {
                Some(param) => {
                    let given = arguments[param].iter();
                    tokens.extend(given.map(|given| Token { place, ..given.clone() }));
                }
                None => tokens.push(Token { span, place, ..token.clone() }),
            }
            if tokens.len() > self.inline_tokens_left {
                let message = format!("inlines grow without end: stopped at `{}`", inline.name);
                self.inline_tokens_left = 0;
                return self.fail(Diagnostic::error(call, message));
            }
        }
        self.inline_tokens_left -= tokens.len();
        Ok(tokens)
    }

    /// A span of the body as it stands in this expansion. If macros brought it into the body, their uses are in this
    /// expansion too.
    fn move_into(
        &mut self,
        span: Span,
        expansion: ExpansionId,
        moved: &mut FxHashMap<ExpansionId, ExpansionId>,
    ) -> Span {
        let mut chain = Vec::new();
        let mut next = span.expansion;
        let mut innermost = expansion;
        while let Some(id) = next {
            if let Some(known) = moved.get(&id) {
                innermost = *known;
                break;
            }
            chain.push(id);
            next = self.sources.expansion(id).call.expansion;
        }
        for id in chain.into_iter().rev() {
            let old = self.sources.expansion(id).clone();
            let call = Self::in_expansion(old.call, innermost);
            innermost = self.sources.add_expansion(old.kind, old.name, call);
            moved.insert(id, innermost);
        }
        Self::in_expansion(span, innermost)
    }

    /// `return value` assigns to the variable that the call of the inline is assigned to.
    pub(super) fn return_statement(&mut self) -> Parse<StmtKind> {
        let word = self.bump();
        if self.instances.is_empty() {
            let wrong = Diagnostic::error(word.span, "there is nothing to return from");
            let help = "a process ends at the end of its body: put a label there and `goto` it; `return` stands in an \
                        inline that is called as `x = name(…)`";
            return self.fail(wrong.help(help));
        }
        let value = self.expr()?;
        if let Some(target) = self.instances.last().and_then(|instance| instance.target.clone()) {
            return Ok(StmtKind::Assign { target, value: Box::new(value) });
        }
        let wrong = Diagnostic::error(word.span, "there is nothing to return the value to");
        self.report(wrong.help("`return` stands in an inline that is called as `x = name(…)`"));
        Err(Failed)
    }
}
