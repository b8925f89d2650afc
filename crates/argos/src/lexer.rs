//! From preprocessed tokens to those of Argos: some words are keywords, and some signs have a second form.

use crate::token::{Punct, Token, TokenKind};
use panoptes_preprocess::trouble;
use panoptes_source::{Diagnostic, Span};

/// The signs as the papers print them.
const SIGNS: [(char, Punct); 4] = [('→', Punct::Arrow), ('≠', Punct::Ne), ('≤', Punct::Le), ('≥', Punct::Ge)];

/// Turns words into keywords and printed signs into typed ones; reports and drops what is no token.
pub(crate) fn argos_tokens(
    tokens: Vec<panoptes_preprocess::Token>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut dropped: Option<Span> = None;
    for token in tokens {
        let mut token: Token = token.with_keywords();
        if let TokenKind::Unknown(character) = token.kind
            && let Some((_, punct)) = SIGNS.iter().find(|(sign, _)| *sign == character)
        {
            token.kind = TokenKind::Punct(*punct);
        }
        if let Some(diagnostic) = trouble(&token, "Argos") {
            // Of a run of strange characters only the first is worth a message.
            let is_run = dropped.is_some_and(|span| span.file == token.span.file && span.hi == token.span.lo);
            if !is_run {
                diagnostic.add_to(diagnostics);
            }
            dropped = Some(token.span);
            continue;
        }
        kept.push(token);
    }
    kept
}
