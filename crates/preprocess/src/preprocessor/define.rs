//! `#define`: what a macro is and how its definition is read.

use super::Preprocessor;
use super::hide::MacroId;
use crate::token::{Name, Punct, Token, TokenKind};
use panoptes_source::{Diagnostic, Span, Warning};
use std::rc::Rc;

pub(super) struct Macro {
    pub name: Name,
    pub id: MacroId,
    pub kind: MacroKind,
    pub body: Vec<BodyToken>,
    pub defined_at: Span,
}

pub(super) enum MacroKind {
    Object,
    Function {
        params: usize,
        /// The last parameter takes all remaining arguments.
        variadic: bool,
    },
    /// `__LINE__`, `__FILE__`.
    Line,
    File,
}

pub(super) struct BodyToken {
    pub token: Token,
    /// The token names this parameter.
    pub param: Option<usize>,
}

impl Preprocessor<'_> {
    /// `line` is what stands after `#define`.
    pub(super) fn define(&mut self, directive: &Token, line: &[Token]) {
        let Some(name) = self.macro_name(directive, line) else { return };
        let mut params = Vec::new();
        let (kind, body) = match line.get(1) {
            Some(open) if open.is(Punct::LParen) && !open.spaced => {
                let Some((variadic, end)) = self.parameters(&line[2..], &mut params, open.span) else {
                    return;
                };
                (MacroKind::Function { params: params.len(), variadic }, &line[2 + end..])
            }
            _ => (MacroKind::Object, &line[1..]),
        };
        let body: Vec<BodyToken> = body
            .iter()
            .map(|token| BodyToken {
                token: token.clone(),
                param: token.ident().and_then(|name| params.iter().position(|param| param == name)),
            })
            .collect();
        let id = self.hides.id(&name);
        let definition = Macro { name: name.clone(), id, kind, body, defined_at: line[0].span };
        if let Some(old) = self.macros.get(&name).filter(|old| !same_body(old, &definition)) {
            let redefined = Diagnostic::warning(
                Warning::MacroRedefined,
                line[0].span,
                format!("macro `{name}` is defined again"),
            );
            self.report(redefined.label(old.defined_at, "the first definition is here"));
        }
        self.macros.insert(name, Rc::new(definition));
    }

    /// The name that `#define`, `#undef`, `#ifdef` and `#ifndef` begin with.
    pub(super) fn macro_name(&mut self, directive: &Token, line: &[Token]) -> Option<Name> {
        match line.first() {
            Some(token) if token.ident().is_some_and(|name| &**name != "defined") => token.ident().cloned(),
            Some(token) => {
                self.error(
                    token.span,
                    format!("expected the name of a macro, found {}", token.kind.describe()),
                );
                None
            }
            None => {
                self.error(directive.span, "expected the name of a macro");
                None
            }
        }
    }

    /// Reads `a, b, …)` and gives the number of tokens read.
    fn parameters(&mut self, line: &[Token], params: &mut Vec<Name>, open: Span) -> Option<(bool, usize)> {
        let mut at = 0;
        let mut variadic = false;
        loop {
            match line.get(at).map(|token| &token.kind) {
                Some(TokenKind::Punct(Punct::RParen)) if params.is_empty() || variadic => {
                    return Some((variadic, at + 1));
                }
                Some(TokenKind::Ident(name)) if !variadic => {
                    if params.contains(name) {
                        self.error(line[at].span, format!("two parameters are called `{name}`"));
                    }
                    params.push(name.clone());
                    at += 1;
                    if line.get(at).is_some_and(|token| token.is(Punct::Ellipsis)) {
                        variadic = true;
                        at += 1;
                    }
                }
                Some(TokenKind::Punct(Punct::Ellipsis)) if !variadic => {
                    variadic = true;
                    params.push("__VA_ARGS__".into());
                    at += 1;
                }
                _ => break,
            }
            match line.get(at) {
                Some(token) if token.is(Punct::Comma) => at += 1,
                Some(token) if token.is(Punct::RParen) => return Some((variadic, at + 1)),
                _ => break,
            }
        }
        let message = match line.get(at) {
            Some(token) => {
                format!("expected a parameter of the macro or `)`, found {}", token.kind.describe())
            }
            None => "the parameters of this macro do not end on its line".to_string(),
        };
        self.error(line.get(at).map_or(open, |token| token.span), message);
        None
    }
}

fn same_body(a: &Macro, b: &Macro) -> bool {
    let token = |body: &BodyToken| (body.token.kind.clone(), body.param);
    a.body.iter().map(token).eq(b.body.iter().map(token))
}
