//! The tokens that all languages of models share; only their keywords differ.

use panoptes_source::Span;
use std::rc::Rc;

/// A word of the text.
pub type Name = Rc<str>;

/// The keywords of a language.
pub trait Word: Copy + PartialEq {
    fn parse(word: &str) -> Option<Self>;
    fn text(self) -> &'static str;
}

/// Before the parser there are no keywords: a macro may have any name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWord {}

impl Word for NoWord {
    fn parse(_: &str) -> Option<NoWord> {
        None
    }

    fn text(self) -> &'static str {
        match self {}
    }
}

/// One token, with where its text stands and where it was put.
#[derive(Clone, Debug)]
pub struct Token<K = NoWord> {
    pub kind: TokenKind<K>,
    /// Where the characters of the token stand. An argument of a macro or inline keeps the place where it was written.
    pub span: Span,
    /// Where the token stands in the expanded text. It differs from `span` only for arguments: there it is the place of
    /// the parameter in the body. Statements take their spans from it, so that `x = 3` in the body of an inline is shown
    /// in that body even if `x` is a parameter.
    pub place: Span,
    /// White space or a comment comes before it.
    pub spaced: bool,
    /// It is the first of its line, where a directive can stand: the end of a comment begins no line.
    pub line_start: bool,
    /// It stands on another line than the token before it, in the text as the preprocessor would print it.
    pub new_line: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind<K = NoWord> {
    Ident(Name),
    /// Only in a parser.
    Keyword(K),
    /// A digit and all letters and digits after it, as written.
    Number(Name),
    /// A string as written, without its quotes.
    Str(Name),
    Char(i64),
    Punct(Punct),
    /// A character that belongs to no token.
    Unknown(char),
    UnclosedString,
    UnclosedChar,
    UnclosedComment,
    /// A name, number or string that is longer than any should be.
    TooLong,
    /// `*/` where no comment is open.
    StrayCommentEnd,
    End,
}

/// An enumeration of words or signs with their texts.
#[macro_export]
macro_rules! tokens {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($variant,)* }

        impl $name {
            pub const ALL: &'static [($name, &'static str)] = &[$(($name::$variant, $text),)*];

            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }
    };
}

tokens! {
    /// Operators and brackets. The order does not matter: the lexer takes the longest that fits.
    Punct {
        LBrace = "{",
        RBrace = "}",
        LParen = "(",
        RParen = ")",
        LBracket = "[",
        RBracket = "]",
        Semi = ";",
        Arrow = "->",
        Comma = ",",
        Colon = ":",
        ColonColon = "::",
        Dot = ".",
        DotDot = "..",
        Ellipsis = "...",
        At = "@",
        Assign = "=",
        Eq = "==",
        Ne = "!=",
        Lt = "<",
        Le = "<=",
        Gt = ">",
        Ge = ">=",
        Shl = "<<",
        Shr = ">>",
        Plus = "+",
        Minus = "-",
        Star = "*",
        Slash = "/",
        Percent = "%",
        Amp = "&",
        Pipe = "|",
        Caret = "^",
        Tilde = "~",
        Bang = "!",
        BangBang = "!!",
        Query = "?",
        QueryQuery = "??",
        AndAnd = "&&",
        OrOr = "||",
        PlusPlus = "++",
        MinusMinus = "--",
        Hash = "#",
        HashHash = "##",
    }
}

impl Token {
    /// The token as a parser sees it: some words are keywords.
    pub fn with_keywords<K: Word>(self) -> Token<K> {
        let kind = match self.kind {
            TokenKind::Ident(name) => K::parse(&name).map_or(TokenKind::Ident(name), TokenKind::Keyword),
            TokenKind::Number(text) => TokenKind::Number(text),
            TokenKind::Str(text) => TokenKind::Str(text),
            TokenKind::Char(value) => TokenKind::Char(value),
            TokenKind::Punct(punct) => TokenKind::Punct(punct),
            TokenKind::Unknown(character) => TokenKind::Unknown(character),
            TokenKind::UnclosedString => TokenKind::UnclosedString,
            TokenKind::UnclosedChar => TokenKind::UnclosedChar,
            TokenKind::UnclosedComment => TokenKind::UnclosedComment,
            TokenKind::TooLong => TokenKind::TooLong,
            TokenKind::StrayCommentEnd => TokenKind::StrayCommentEnd,
            TokenKind::End => TokenKind::End,
        };
        let Token { span, place, spaced, line_start, new_line, .. } = self;
        Token { kind, span, place, spaced, line_start, new_line }
    }
}

impl<K: Word> Token<K> {
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    pub fn is_keyword(&self, keyword: K) -> bool {
        self.kind == TokenKind::Keyword(keyword)
    }

    pub fn ident(&self) -> Option<&Name> {
        match &self.kind {
            TokenKind::Ident(name) => Some(name),
            _ => None,
        }
    }
}

impl<K: Word> TokenKind<K> {
    /// The token as text again.
    pub fn text(&self) -> String {
        match self {
            TokenKind::Ident(name) | TokenKind::Number(name) => name.to_string(),
            TokenKind::Keyword(keyword) => keyword.text().to_string(),
            TokenKind::Str(text) => format!("\"{text}\""),
            TokenKind::Char(value) => match u8::try_from(*value) {
                Ok(byte) if byte.is_ascii_graphic() || byte == b' ' => format!("'{}'", char::from(byte)),
                _ => value.to_string(),
            },
            TokenKind::Punct(punct) => punct.text().to_string(),
            TokenKind::Unknown(character) => character.to_string(),
            TokenKind::UnclosedString => "\"".to_string(),
            TokenKind::UnclosedChar => "'".to_string(),
            TokenKind::UnclosedComment => "/*".to_string(),
            TokenKind::TooLong => "…".to_string(),
            TokenKind::StrayCommentEnd => "*/".to_string(),
            TokenKind::End => String::new(),
        }
    }

    /// The token in the words of a message: "found …".
    pub fn describe(&self) -> String {
        match self {
            TokenKind::Ident(name) => format!("`{name}`"),
            TokenKind::Keyword(keyword) => format!("`{}`", keyword.text()),
            TokenKind::Number(text) => format!("`{text}`"),
            TokenKind::Str(_) | TokenKind::UnclosedString => "a string".to_string(),
            TokenKind::Char(_) | TokenKind::UnclosedChar => "a character constant".to_string(),
            TokenKind::Punct(punct) => format!("`{}`", punct.text()),
            TokenKind::Unknown(character) => format!("`{}`", character.escape_default()),
            TokenKind::UnclosedComment => "an unclosed comment".to_string(),
            TokenKind::TooLong => "a name or string that is too long".to_string(),
            TokenKind::StrayCommentEnd => "`*/`".to_string(),
            TokenKind::End => "the end of the text".to_string(),
        }
    }
}
