//! Embedded C: recognised, reported as not supported, and skipped.

use super::{Failed, Parse, Parser};
use crate::token::{Keyword, Punct, Token, TokenKind};
use panoptes_source::Diagnostic;

const WORDS: [Keyword; 5] =
    [Keyword::CCode, Keyword::CDecl, Keyword::CExpr, Keyword::CState, Keyword::CTrack];

/// Follows the tokens of a text and tells which of them are C.
#[derive(Default)]
pub(super) struct Tracker {
    /// The block is announced but not yet open.
    announced: bool,
    depth: usize,
}

impl Tracker {
    pub(super) fn step(&mut self, token: &Token) -> bool {
        let is_block =
            [Keyword::CCode, Keyword::CDecl, Keyword::CExpr].iter().any(|word| token.is_keyword(*word));
        let inside = self.depth > 0;
        match token.kind {
            TokenKind::Punct(Punct::LBrace) if self.announced || inside => {
                self.announced = false;
                self.depth += 1;
            }
            TokenKind::Punct(Punct::RBrace) if inside => self.depth -= 1,
            _ if is_block && !inside => self.announced = true,
            _ => {}
        }
        inside || self.depth > 0
    }
}

impl Parser<'_> {
    pub(super) fn at_embedded_c(&self) -> bool {
        WORDS.iter().any(|word| self.at_keyword(*word))
    }

    /// Reports and skips `c_code { … }`, `c_state "…" "…"` and their kin.
    pub(super) fn embedded_c<T>(&mut self) -> Parse<T> {
        let word = self.bump();
        if self.eat(Punct::LBracket) {
            while !self.at_end() && !self.eat(Punct::RBracket) {
                self.bump();
            }
        }
        while matches!(self.peek().kind, TokenKind::Str(_)) {
            self.bump();
        }
        if self.at(Punct::LBrace) {
            self.skip_braces();
        }
        let message = format!("embedded C (`{}`) is not supported", word.kind.text());
        let help = "express it in Promela: Panoptes does not compile or run C";
        self.report(Diagnostic::error(word.span, message).help(help));
        Err(Failed)
    }

    /// Skips a `{` and everything up to the `}` that closes it; without one, to the end.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0;
        loop {
            match self.bump().kind {
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) if depth <= 1 => return,
                TokenKind::Punct(Punct::RBrace) => depth -= 1,
                TokenKind::End => return,
                _ => {}
            }
        }
    }
}
