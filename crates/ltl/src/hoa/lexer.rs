//! The tokens of HOA.

use panoptes_source::{Diagnostic, FileId, SourceMap, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// `States:` and the like, without the colon.
    Header(String),
    Name(String),
    /// `@name`, without the sign.
    Alias(String),
    Number(u64),
    Text(String),
    /// One of `[ ] { } ( ) & | !`.
    Sign(char),
    Body,
    End,
    Abort,
    /// The file ends.
    Nothing,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// All tokens, and a [`TokenKind::Nothing`] behind them.
pub(super) fn tokens(sources: &SourceMap, file: FileId) -> Result<Vec<Token>, Diagnostic> {
    let text = &sources.file(file).text;
    let span = |lo: usize, hi: usize| Span { file, lo: lo as u32, hi: hi as u32, expansion: None };
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("/*") {
            at += comment(rest)
                .ok_or_else(|| Diagnostic::error(span(at, at + 2), "this comment has no end"))?;
            continue;
        }
        let (kind, length) = match first {
            '-' => section(rest).ok_or_else(|| unknown(span(at, at + 1), first))?,
            '"' => quoted(rest).ok_or_else(|| Diagnostic::error(span(at, at + 1), "this text has no end"))?,
            '[' | ']' | '{' | '}' | '(' | ')' | '&' | '|' | '!' => (TokenKind::Sign(first), 1),
            '@' => {
                let length = 1 + word(&rest[1..]);
                (TokenKind::Alias(rest[1..length].to_string()), length)
            }
            _ if first.is_ascii_digit() => {
                let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let number = rest[..length].parse();
                let too_large = |_| Diagnostic::error(span(at, at + length), "this number is too large");
                (TokenKind::Number(number.map_err(too_large)?), length)
            }
            _ if first.is_ascii_alphabetic() || first == '_' => {
                let length = word(rest);
                let name = rest[..length].to_string();
                match rest[length..].starts_with(':') {
                    true => (TokenKind::Header(name), length + 1),
                    false => (TokenKind::Name(name), length),
                }
            }
            _ => return Err(unknown(span(at, at + first.len_utf8()), first)),
        };
        tokens.push(Token { kind, span: span(at, at + length) });
        at += length;
    }
    tokens.push(Token { kind: TokenKind::Nothing, span: span(at, at) });
    Ok(tokens)
}

fn unknown(span: Span, sign: char) -> Diagnostic {
    Diagnostic::error(span, format!("`{}` has no meaning in HOA", sign.escape_debug()))
}

fn word(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(text.len())
}

/// The length of a comment, in which there may be others.
fn comment(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    None
}

fn section(text: &str) -> Option<(TokenKind, usize)> {
    let sections =
        [("--BODY--", TokenKind::Body), ("--END--", TokenKind::End), ("--ABORT--", TokenKind::Abort)];
    sections.into_iter().find(|(name, _)| text.starts_with(name)).map(|(name, kind)| (kind, name.len()))
}

fn quoted(text: &str) -> Option<(TokenKind, usize)> {
    let mut content = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((TokenKind::Text(content), at + 1)),
            '\\' => content.push(characters.next()?.1),
            _ => content.push(character),
        }
    }
    None
}
