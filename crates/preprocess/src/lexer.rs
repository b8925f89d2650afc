//! Text to tokens, for the preprocessor and the parser alike.
//!
//! The lexer reports nothing: what it cannot read becomes a token of its own (`Unknown`, `UnclosedString`, …), because
//! the same text is an error in a process and none behind `#if 0` or inside embedded C. Whoever meets such a token in
//! the final text reports it ([`trouble`]).

use crate::token::{Name, Punct, Token, TokenKind};
use panoptes_source::{Diagnostic, FileId, Span, Warning};
use rustc_hash::FxHashMap;

/// All tokens of a file, without an end marker.
pub fn lex(file: FileId, text: &str) -> Vec<Token> {
    lex_at_most(file, text, usize::MAX).unwrap_or_default()
}

/// The same, unless there are more than `tokens_max`.
pub(crate) fn lex_at_most(file: FileId, text: &str, tokens_max: usize) -> Option<Vec<Token>> {
    let words = FxHashMap::default();
    let mut lexer = Lexer { file, text, at: 0, spaced: false, line_start: true, new_line: true, words };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next_token() {
        if tokens.len() == tokens_max {
            return None;
        }
        tokens.push(token);
    }
    Some(tokens)
}

/// Longer names and numbers are refused: they are copied into the names of everything that has to do with them.
const WORD_BYTES_MAX: usize = 1_000;
const STRING_BYTES_MAX: usize = 10_000;

/// What to say about a token that is none, if it is one of those.
pub fn trouble<K>(token: &Token<K>, language: &str) -> Option<Diagnostic> {
    let error = |message: String| Diagnostic::error(token.span, message);
    match &token.kind {
        TokenKind::Unknown(character) => {
            let shown = match character {
                '\u{fffd}' => "a byte that is not text".to_string(),
                character => format!("the character `{}`", character.escape_debug()),
            };
            Some(error(format!("{shown} means nothing in {language}")))
        }
        TokenKind::TooLong => Some(error(format!(
            "a name of more than {WORD_BYTES_MAX} characters, or a string of more than {STRING_BYTES_MAX}"
        ))),
        TokenKind::UnclosedString => {
            Some(error("this string does not end on its line".into()).help("close it with `\"`"))
        }
        TokenKind::UnclosedChar => Some(
            error("a character constant is one character between quotes".into())
                .help("write it like 'a' or '\\n'"),
        ),
        TokenKind::UnclosedComment => {
            Some(error("this comment does not end".into()).help("close it with `*/`"))
        }
        TokenKind::StrayCommentEnd => {
            let warning = Diagnostic::warning(
                Warning::StrayCommentEnd,
                token.span,
                "`*/` without a comment that it could end",
            );
            Some(warning.help("it is ignored; comments do not nest: the first `*/` ends one"))
        }
        _ => None,
    }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    spaced: bool,
    line_start: bool,
    new_line: bool,
    /// The words met so far: most are met often.
    words: FxHashMap<&'a str, Name>,
}

impl<'a> Lexer<'a> {
    fn next_token(&mut self) -> Option<Token> {
        if let Some(start) = self.skip_space() {
            return Some(self.token(start, TokenKind::UnclosedComment));
        }
        let start = self.at;
        let kind = match self.peek(0)? {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(TokenKind::Ident),
            b'0'..=b'9' => self.word(TokenKind::Number),
            b'"' => self.string(),
            b'\'' => self.character(),
            b'*' if self.ends_a_comment() => {
                self.at += 2;
                TokenKind::StrayCommentEnd
            }
            _ => self.punct(),
        };
        Some(self.token(start, kind))
    }

    fn token(&mut self, start: usize, kind: TokenKind) -> Token {
        let span = Span { file: self.file, lo: start as u32, hi: self.at as u32, expansion: None };
        let (spaced, line_start, new_line) = (self.spaced, self.line_start, self.new_line);
        (self.spaced, self.line_start, self.new_line) = (false, false, false);
        Token { kind, span, place: span, spaced, line_start, new_line }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Skips white space, comments and continued line ends. The start of a comment that never ends is the answer.
    fn skip_space(&mut self) -> Option<usize> {
        loop {
            let start = self.at;
            match self.peek(0) {
                Some(b'\n') => {
                    self.at += 1;
                    self.line_start = true;
                }
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b'\\') if self.continued_line() > 0 => self.at += self.continued_line(),
                Some(b'/') if self.peek(1) == Some(b'/') => self.skip_line_comment(),
                Some(b'/') if self.peek(1) == Some(b'*') => match self.text[start + 2..].find("*/") {
                    Some(length) => self.at = start + 2 + length + 2,
                    None => {
                        self.at = self.text.len();
                        return Some(start);
                    }
                },
                _ => return None,
            }
            self.spaced = true;
            self.new_line |= self.text.as_bytes()[start..self.at].contains(&b'\n');
        }
    }

    /// Is this `*/`, and not a sign before a comment?
    fn ends_a_comment(&self) -> bool {
        self.peek(1) == Some(b'/') && !matches!(self.peek(2), Some(b'/' | b'*'))
    }

    /// The length of a backslash, blanks and a line end at this place; 0 if they are not there.
    fn continued_line(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.first() != Some(&b'\\') {
            return 0;
        }
        let blanks = rest[1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        if rest.get(1 + blanks) == Some(&b'\n') { blanks + 2 } else { 0 }
    }

    fn skip_line_comment(&mut self) {
        while let Some(byte) = self.peek(0) {
            match (byte, self.continued_line()) {
                (b'\n', _) => return,
                (_, 0) => self.at += 1,
                (_, length) => self.at += length,
            }
        }
    }

    fn word(&mut self, kind: fn(Name) -> TokenKind) -> TokenKind {
        let start = self.at;
        while matches!(self.peek(0), Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_')) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        match word.len() {
            0..=WORD_BYTES_MAX => kind(self.words.entry(word).or_insert_with(|| word.into()).clone()),
            _ => TokenKind::TooLong,
        }
    }

    fn string(&mut self) -> TokenKind {
        let start = self.at + 1;
        self.at = start;
        loop {
            match self.peek(0) {
                Some(b'"') => break,
                Some(b'\\') if self.peek(1).is_some() => match self.continued_line() {
                    0 => self.at += 1 + self.char_length(1),
                    length => self.at += length,
                },
                None | Some(b'\n') => return TokenKind::UnclosedString,
                Some(_) => self.at += self.char_length(0),
            }
        }
        let text = &self.text[start..self.at];
        self.at += 1;
        match text.len() {
            0..=STRING_BYTES_MAX => TokenKind::Str(text.into()),
            _ => TokenKind::TooLong,
        }
    }

    fn character(&mut self) -> TokenKind {
        let rest = &self.text.as_bytes()[self.at + 1..];
        let (value, length) = match rest {
            [b'\\', escaped, b'\'', ..] if *escaped != b'\n' => (i64::from(unescape(*escaped)), 4),
            [byte, b'\'', ..] if byte.is_ascii() && !matches!(byte, b'\n' | b'\\') => (i64::from(*byte), 3),
            _ => {
                // The rest of a constant that is too long belongs to the same mistake.
                let line = rest.iter().take_while(|byte| **byte != b'\n');
                let length = line.clone().position(|byte| *byte == b'\'').map_or(0, |at| at + 1);
                self.at += 1 + length;
                return TokenKind::UnclosedChar;
            }
        };
        self.at += length;
        TokenKind::Char(value)
    }

    fn punct(&mut self) -> TokenKind {
        let rest = &self.text[self.at..];
        let longest =
            Punct::ALL.iter().filter(|(_, text)| rest.starts_with(text)).max_by_key(|(_, text)| text.len());
        match longest {
            Some((punct, text)) => {
                self.at += text.len();
                TokenKind::Punct(*punct)
            }
            None => {
                self.at += self.char_length(0);
                TokenKind::Unknown(rest.chars().next().unwrap_or('\u{fffd}'))
            }
        }
    }

    /// The bytes of the character that starts `ahead` bytes from here.
    fn char_length(&self, ahead: usize) -> usize {
        self.text[self.at + ahead..].chars().next().map_or(1, char::len_utf8)
    }
}

/// The value of the character after a backslash. These four are all that SPIN knows: `'\\0'` is the digit.
pub fn unescape(byte: u8) -> u8 {
    match byte {
        b't' => b'\t',
        b'n' => b'\n',
        b'f' => 12,
        b'r' => b'\r',
        byte => byte,
    }
}

/// The text of a string token with its escapes replaced.
pub fn unescape_string(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(character) = chars.next() {
        match (character, character == '\\') {
            (_, true) => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) if escaped.is_ascii() => text.push(char::from(unescape(escaped as u8))),
                Some(escaped) => text.push(escaped),
            },
            (character, false) => text.push(character),
        }
    }
    text
}
