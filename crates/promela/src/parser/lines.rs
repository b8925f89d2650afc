//! Line ends as separators.
//!
//! In the body of a process (and among the fields of a type) a statement may end with its line instead of a `;`. SPIN
//! decides by the last token of the line alone: after a name, a constant, a closing bracket and a few words a `;` is
//! implied, unless the line ends inside parentheses. We do exactly the same, since a more clever rule would read some
//! models differently: in `x = y`, new line, `-1`, there are two statements.

use super::expr::binary_op;
use crate::ast::Name;
use crate::token::{Keyword, Punct, Token, TokenKind};
use panoptes_source::Span;
use rustc_hash::FxHashSet;

#[derive(Default)]
pub(super) struct LineEnds {
    last: Option<Token>,
    /// The word that announced an item with a body.
    item: Option<Keyword>,
    /// Braces open in a body, and parentheses open in it.
    braces: usize,
    parens: usize,
    /// Names of processes, types and inlines: they never end a statement.
    names: FxHashSet<Name>,
}

/// The separator that a line end implies has no text.
pub(super) fn is_implied(token: &Token) -> bool {
    token.is(Punct::Semi) && token.span.lo == token.span.hi
}

/// A token that goes on with a statement and begins none.
pub(super) fn goes_on(token: &Token) -> bool {
    match token.kind {
        TokenKind::Punct(sign) => {
            binary_op(sign).is_some() || matches!(sign, Punct::Assign | Punct::Comma | Punct::Query)
        }
        TokenKind::Keyword(word) => matches!(word, Keyword::Unless | Keyword::Priority),
        _ => false,
    }
}

impl LineEnds {
    /// The separator to put before this token, if there is one.
    pub(super) fn before(&mut self, token: &Token) -> Option<Token> {
        let implied = self
            .last
            .as_ref()
            .filter(|last| token.new_line && self.braces > 0 && self.parens == 0 && self.can_end(last))
            .map(|last| {
                let behind = |span: Span| Span { lo: span.hi, ..span };
                let (span, place) = (behind(last.span), behind(last.place));
                Token { kind: TokenKind::Punct(Punct::Semi), span, place, ..token.clone() }
            });
        self.follow(token);
        self.last = Some(token.clone());
        implied
    }

    fn can_end(&self, token: &Token) -> bool {
        use Keyword::{Break, False, Fi, Od, Skip, Timeout, True};
        match &token.kind {
            TokenKind::Ident(name) => !self.names.contains(name),
            TokenKind::Number(_) | TokenKind::Char(_) => true,
            TokenKind::Keyword(word) => [Break, False, Fi, Od, Skip, Timeout, True].contains(word),
            TokenKind::Punct(sign) => {
                matches!(sign, Punct::RParen | Punct::RBracket | Punct::PlusPlus | Punct::MinusMinus)
            }
            _ => false,
        }
    }

    /// Keeps account of where we are.
    fn follow(&mut self, token: &Token) {
        use Keyword::{DProctype, Init, Inline, Ltl, Never, Notrace, Proctype, Trace, Typedef};
        match &token.kind {
            TokenKind::Keyword(
                word @ (DProctype | Init | Inline | Never | Notrace | Proctype | Trace | Typedef),
            ) => {
                (self.item, self.braces, self.parens) = (Some(*word), 0, 0);
            }
            TokenKind::Keyword(Ltl) => (self.item, self.braces, self.parens) = (None, 0, 0),
            TokenKind::Ident(name) => {
                let named = self.last.as_ref().is_some_and(|last| {
                    [DProctype, Proctype, Inline, Typedef].iter().any(|word| last.is_keyword(*word))
                });
                if named {
                    self.names.insert(name.clone());
                }
            }
            TokenKind::Punct(Punct::LBrace) if self.braces > 0 || self.item.is_some() => {
                self.item = None;
                self.parens = 0;
                self.braces += 1;
            }
            TokenKind::Punct(Punct::RBrace) => {
                (self.braces, self.parens) = (self.braces.saturating_sub(1), 0)
            }
            // An option cannot stand in parentheses: whatever is open was forgotten.
            TokenKind::Punct(Punct::ColonColon) => self.parens = 0,
            TokenKind::Punct(Punct::LParen) => self.parens += 1,
            TokenKind::Punct(Punct::RParen) => self.parens = self.parens.saturating_sub(1),
            _ => {}
        }
    }
}
