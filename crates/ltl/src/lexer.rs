//! The words of a formula: operators in all their spellings, and the tokens of expressions that are its atoms.

use panoptes_source::{Diagnostic, FileId, SourceMap, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Not,
    And,
    Or,
    Implies,
    Equiv,
    Next,
    Always,
    Eventually,
    Until,
    WeakUntil,
    Release,
    True,
    False,
    Name,
    Number,
    /// An expression in quotes.
    Quoted,
    /// A sign between the operands of an expression that gives a value: `+`, `<=`, `==`.
    Arithmetic,
    /// `~`, which stands before an operand only.
    Complement,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    /// `.`, `@`, `:`, `?`, `??`: what joins the parts of a name.
    Joint,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// Longest first where one is the beginning of another.
const SIGNS: [(&str, TokenKind); 38] = [
    ("<->", TokenKind::Equiv),
    ("->", TokenKind::Implies),
    ("&&", TokenKind::And),
    ("/\\", TokenKind::And),
    ("||", TokenKind::Or),
    ("\\/", TokenKind::Or),
    ("[]", TokenKind::Always),
    ("<>", TokenKind::Eventually),
    ("<<", TokenKind::Arithmetic),
    (">>", TokenKind::Arithmetic),
    ("<=", TokenKind::Arithmetic),
    (">=", TokenKind::Arithmetic),
    ("==", TokenKind::Arithmetic),
    ("!=", TokenKind::Arithmetic),
    ("<", TokenKind::Arithmetic),
    (">", TokenKind::Arithmetic),
    ("+", TokenKind::Arithmetic),
    ("-", TokenKind::Arithmetic),
    ("*", TokenKind::Arithmetic),
    ("/", TokenKind::Arithmetic),
    ("%", TokenKind::Arithmetic),
    ("&", TokenKind::Arithmetic),
    ("|", TokenKind::Arithmetic),
    ("^", TokenKind::Arithmetic),
    ("~", TokenKind::Complement),
    ("!", TokenKind::Not),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    ("[", TokenKind::OpenBracket),
    ("]", TokenKind::CloseBracket),
    ("{", TokenKind::OpenBrace),
    ("}", TokenKind::CloseBrace),
    (",", TokenKind::Comma),
    (".", TokenKind::Joint),
    ("@", TokenKind::Joint),
    (":", TokenKind::Joint),
    ("??", TokenKind::Joint),
    ("?", TokenKind::Joint),
];

/// The words that are operators or constants, and so cannot name atoms.
const WORDS: [(&str, TokenKind); 18] = [
    ("X", TokenKind::Next),
    ("next", TokenKind::Next),
    ("G", TokenKind::Always),
    ("always", TokenKind::Always),
    ("F", TokenKind::Eventually),
    ("eventually", TokenKind::Eventually),
    ("U", TokenKind::Until),
    ("until", TokenKind::Until),
    ("stronguntil", TokenKind::Until),
    ("W", TokenKind::WeakUntil),
    ("weakuntil", TokenKind::WeakUntil),
    ("V", TokenKind::Release),
    ("R", TokenKind::Release),
    ("release", TokenKind::Release),
    ("implies", TokenKind::Implies),
    ("equivalent", TokenKind::Equiv),
    ("true", TokenKind::True),
    ("false", TokenKind::False),
];

/// All tokens of a file, and an [`TokenKind::End`] behind them.
pub(crate) fn tokens(sources: &SourceMap, file: FileId) -> Result<Vec<Token>, Diagnostic> {
    let text = &sources.file(file).text;
    let span = |lo: usize, hi: usize| Span { file, lo: lo as u32, hi: hi as u32, expansion: None };
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let run = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
        let (kind, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if is_word(first) && !first.is_ascii_digit() {
            let length = run(is_word);
            let word = WORDS.iter().find(|(word, _)| *word == &rest[..length]);
            (word.map_or(TokenKind::Name, |(_, kind)| *kind), length)
        } else if first.is_ascii_digit() {
            (TokenKind::Number, run(|c| c.is_ascii_digit()))
        } else if first == '"' {
            let Some(inner) = rest[1..].find('"') else {
                return Err(Diagnostic::error(span(at, text.len()), "this quoted expression has no end"));
            };
            if rest[1..][..inner].trim().is_empty() {
                return Err(Diagnostic::error(
                    span(at, at + inner + 2),
                    "there is no expression in these quotes",
                ));
            }
            (TokenKind::Quoted, inner + 2)
        } else if let Some((sign, kind)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            (*kind, sign.len())
        } else {
            let message = format!("`{}` has no meaning in a formula", first.escape_debug());
            let help = (first == '=').then(|| "for equality, write `==`".to_string());
            return Err(Diagnostic::error(span(at, at + first.len_utf8()), message).help_if(help));
        };
        tokens.push(Token { kind, span: span(at, at + length) });
        at += length;
    }
    tokens.push(Token { kind: TokenKind::End, span: span(at, at) });
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
