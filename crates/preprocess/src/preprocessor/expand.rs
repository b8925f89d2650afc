//! The expansion of macros.

use super::define::{BodyToken, Macro, MacroKind};
use super::hide::HideSet;
use super::{Hidden, Preprocessor};
use crate::lexer::lex;
use crate::token::{Name, Punct, Token, TokenKind};
use panoptes_source::{Diagnostic, ExpansionKind, Span};
use std::rc::Rc;

/// How deep macro uses may stand in the arguments of macro uses, and how long a chain of macros may be.
const CALL_DEPTH_MAX: usize = 100;
const CHAIN_MAX: u32 = 1_000;
const HIDE_SETS_MAX: usize = 2_000_000;

impl Preprocessor<'_> {
    /// The next token that is no macro use. Tokens to read first stand in `pending`, the next one last; after them come
    /// those of the files, if `from_files`. `depth` counts the arguments around us.
    pub(super) fn next_expanded(
        &mut self,
        pending: &mut Vec<Hidden>,
        from_files: bool,
        depth: usize,
    ) -> Option<Hidden> {
        loop {
            let next = self.next_unexpanded(pending, from_files)?;
            let Some(found) = next.token.ident().and_then(|name| self.lookup(name)) else {
                return Some(next);
            };
            if self.hides.contains(next.hide, found.id) || self.stopped {
                return Some(next);
            }
            match found.kind {
                MacroKind::Function { params, variadic } => {
                    let open = self.next_unexpanded(pending, from_files);
                    if !open.as_ref().is_some_and(|open| open.token.is(Punct::LParen)) {
                        pending.extend(open);
                        return Some(next);
                    }
                    let Some((arguments, close)) = self.arguments(pending, from_files, &next, &found) else {
                        continue;
                    };
                    let arguments = self.fit_arguments(arguments, params, variadic, &next, &found);
                    let hide = self.hides.common(next.hide, close.hide);
                    let mut call = next;
                    call.token.span = call.token.span.to(close.token.span);
                    self.replace(&found, &call, hide, arguments, pending, depth);
                }
                MacroKind::Object => self.replace(&found, &next, next.hide, Vec::new(), pending, depth),
                MacroKind::Line => {
                    let line = self.sources.user_position(next.token.span).line;
                    let kind = TokenKind::Number(line.to_string().into());
                    return Some(Hidden { token: Token { kind, ..next.token }, hide: next.hide });
                }
                MacroKind::File => {
                    let file = self.sources.user_position(next.token.span).file;
                    let kind = TokenKind::Str(file.replace('\\', "\\\\").replace('"', "\\\"").into());
                    return Some(Hidden { token: Token { kind, ..next.token }, hide: next.hide });
                }
            }
        }
    }

    /// All tokens of a closed list, expanded.
    pub(super) fn expand_all(&mut self, mut tokens: Vec<Hidden>, depth: usize) -> Vec<Hidden> {
        tokens.reverse();
        let mut expanded = Vec::with_capacity(tokens.len());
        expanded.extend(std::iter::from_fn(|| self.next_expanded(&mut tokens, false, depth)));
        expanded
    }

    fn next_unexpanded(&mut self, pending: &mut Vec<Hidden>, from_files: bool) -> Option<Hidden> {
        if self.stopped {
            return None;
        }
        pending.pop().or_else(|| {
            let mut token = if from_files { self.next_written() } else { None }?;
            token.new_line |= std::mem::take(&mut self.line_after_use);
            Some(Hidden { token, hide: HideSet::default() })
        })
    }

    /// Can expansion change these tokens?
    fn names_a_macro(&self, tokens: &[Hidden]) -> bool {
        let is_macro =
            |name: &Name| self.macros.contains_key(name) || matches!(&**name, "__LINE__" | "__FILE__");
        tokens.iter().any(|given| given.token.ident().is_some_and(is_macro))
    }

    fn lookup(&mut self, name: &Name) -> Option<Rc<Macro>> {
        if let Some(found) = self.macros.get(name) {
            return Some(found.clone());
        }
        let kind = match &**name {
            "__LINE__" => MacroKind::Line,
            "__FILE__" => MacroKind::File,
            _ => return None,
        };
        let id = self.hides.id(name);
        Some(Rc::new(Macro { name: name.clone(), id, kind, body: Vec::new(), defined_at: Span::default() }))
    }

    /// The arguments after the `(`, and the `)`.
    fn arguments(
        &mut self,
        pending: &mut Vec<Hidden>,
        from_files: bool,
        call: &Hidden,
        found: &Macro,
    ) -> Option<(Vec<Vec<Hidden>>, Hidden)> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        while let Some(mut next) = self.next_unexpanded(pending, from_files) {
            // The use is printed as one line, and what follows it on a new one.
            self.line_after_use |= std::mem::take(&mut next.token.new_line);
            match next.token.kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => return Some((arguments, next)),
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::Punct(Punct::Comma) if depth == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if !self.charge(1, call, found) {
                return None;
            }
            arguments.last_mut().expect("there is always one").push(next);
        }
        let message = format!("the arguments of macro `{}` do not end", found.name);
        self.stop(Diagnostic::error(call.token.span, message).help("there is no `)` for its `(`"));
        None
    }

    /// Makes the number of arguments what the macro wants, with an error if it is not.
    fn fit_arguments(
        &mut self,
        mut arguments: Vec<Vec<Hidden>>,
        params: usize,
        variadic: bool,
        call: &Hidden,
        found: &Macro,
    ) -> Vec<Vec<Hidden>> {
        if params == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if variadic {
            if arguments.len() + 1 == params {
                arguments.push(Vec::new());
            }
            while arguments.len() > params.max(1) {
                let more = arguments.pop().expect("there are several");
                let last = arguments.last_mut().expect("there are several");
                let kind = TokenKind::Punct(Punct::Comma);
                last.push(Hidden { token: Token { kind, ..call.token.clone() }, hide: call.hide });
                last.extend(more);
            }
        }
        if arguments.len() != params {
            let message = format!(
                "macro `{}` takes {params} argument{}, not {}",
                found.name,
                if params == 1 { "" } else { "s" },
                arguments.len()
            );
            let wrong = Diagnostic::error(call.token.span, message);
            self.report(wrong.label(found.defined_at, "the macro is defined here"));
            // A constant is an expression and a statement: it gives the fewest errors that follow from this one.
            let kind = TokenKind::Number("1".into());
            let missing = Hidden { token: Token { kind, ..call.token.clone() }, hide: call.hide };
            arguments.resize(params, vec![missing]);
        }
        arguments
    }

    /// Puts the body of the macro, with its arguments, before the pending tokens.
    fn replace(
        &mut self,
        found: &Rc<Macro>,
        call: &Hidden,
        hide: HideSet,
        arguments: Vec<Vec<Hidden>>,
        pending: &mut Vec<Hidden>,
        depth: usize,
    ) {
        let hide = self.hides.with(hide, found.id);
        if depth > CALL_DEPTH_MAX || self.hides.length(hide) > CHAIN_MAX || self.hides.count() > HIDE_SETS_MAX
        {
            let message = format!("macros are nested too deeply at `{}`", found.name);
            return self.stop(Diagnostic::error(call.token.span, message));
        }
        let expansion = self.sources.add_expansion(ExpansionKind::Macro, &*found.name, call.token.span);
        let mut expanded: Vec<Option<Vec<Hidden>>> = vec![None; arguments.len()];
        let mut result: Vec<Hidden> = Vec::with_capacity(found.body.len());
        let mut paste = false;
        for (at, part) in found.body.iter().enumerate() {
            let is_object = matches!(found.kind, MacroKind::Object);
            if part.token.is(Punct::HashHash) && !result.is_empty() && at + 1 < found.body.len() {
                paste = true;
                continue;
            }
            if part.token.is(Punct::Hash) && !is_object && param_at(&found.body, at + 1).is_some() {
                continue;
            }
            let place = Span { expansion: Some(expansion), ..part.token.span };
            let start = result.len();
            match part.param {
                Some(param) if at > 0 && found.body[at - 1].token.is(Punct::Hash) && !is_object => {
                    let kind = TokenKind::Str(spell(&arguments[param]).into());
                    result.push(Hidden { token: Token { kind, span: place, place, ..part.token }, hide });
                }
                Some(param) => {
                    let raw =
                        paste || found.body.get(at + 1).is_some_and(|next| next.token.is(Punct::HashHash));
                    let is_needed = !raw && expanded[param].is_none();
                    if is_needed && self.names_a_macro(&arguments[param]) {
                        expanded[param] = Some(self.expand_all(arguments[param].clone(), depth + 1));
                    }
                    let argument = expanded[param].as_ref().filter(|_| !raw).unwrap_or(&arguments[param]);
                    if !self.charge(argument.len(), call, found) {
                        return;
                    }
                    for (nth, given) in argument.iter().enumerate() {
                        let spaced = if nth == 0 { part.token.spaced } else { given.token.spaced };
                        let token = Token { place, spaced, ..given.token.clone() };
                        result.push(Hidden { token, hide: self.hides.union(given.hide, hide) });
                    }
                }
                None => {
                    result.push(Hidden { token: Token { span: place, place, ..part.token.clone() }, hide })
                }
            }
            if std::mem::take(&mut paste) && start > 0 && start < result.len() {
                paste_at(&mut result, start);
            }
        }
        if !self.charge(found.body.len() + 1, call, found) {
            return;
        }
        // The expansion is one line, and a token of it never begins a directive.
        for new in &mut result {
            (new.token.line_start, new.token.new_line) = (false, false);
        }
        match result.first_mut() {
            Some(first) => {
                (first.token.spaced, first.token.new_line) = (call.token.spaced, call.token.new_line)
            }
            None => self.line_owed |= call.token.new_line,
        }
        pending.extend(result.into_iter().rev());
    }

    /// Takes tokens from the budget; when it is used up, preprocessing ends.
    fn charge(&mut self, tokens: usize, call: &Hidden, found: &Macro) -> bool {
        match self.tokens_left.checked_sub(tokens) {
            Some(left) => {
                self.tokens_left = left;
                true
            }
            None => {
                let message = format!("macros grow without end: stopped at `{}`", found.name);
                let help = format!("the model may use {} tokens from macros", super::TOKENS_MAX);
                self.stop(Diagnostic::error(call.token.span, message).help(help));
                false
            }
        }
    }
}

fn param_at(body: &[BodyToken], at: usize) -> Option<usize> {
    body.get(at).and_then(|part| part.param)
}

/// `##`: makes one token of the two around `start`, if together they are one.
fn paste_at(result: &mut Vec<Hidden>, start: usize) {
    let text = result[start - 1].token.kind.text() + &result[start].token.kind.text();
    let file = result[start].token.span.file;
    if let [joined] = &lex(file, &text)[..] {
        result[start - 1].token.kind = joined.kind.clone();
        result.remove(start);
    }
}

/// `#`: the text of an argument, as the inside of a string.
fn spell(argument: &[Hidden]) -> String {
    let mut text = String::new();
    for given in argument {
        if given.token.spaced && !text.is_empty() {
            text.push(' ');
        }
        let is_string = matches!(given.token.kind, TokenKind::Str(_));
        let token = given.token.kind.text();
        text += &if is_string { token.replace('\\', "\\\\").replace('"', "\\\"") } else { token };
    }
    text
}
