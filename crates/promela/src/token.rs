//! The tokens of Promela and of its preprocessor.

use crate::ast::Name;
use panoptes_source::Span;
use std::sync::LazyLock;

/// One token, with where its text stands and where it was put.
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
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
pub enum TokenKind {
    Ident(Name),
    /// Only in the parser: the preprocessor sees keywords as identifiers, because a macro may have any name.
    Keyword(Keyword),
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
    End,
}

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
    /// The words that cannot name anything. `in` and the words of LTL are not here: they mean something only in
    /// their places.
    Keyword {
        Active = "active",
        Assert = "assert",
        Atomic = "atomic",
        Bit = "bit",
        Bool = "bool",
        Break = "break",
        Byte = "byte",
        CCode = "c_code",
        CDecl = "c_decl",
        CExpr = "c_expr",
        CState = "c_state",
        CTrack = "c_track",
        Chan = "chan",
        DStep = "d_step",
        DProctype = "D_proctype",
        Do = "do",
        Else = "else",
        Empty = "empty",
        Enabled = "enabled",
        Eval = "eval",
        False = "false",
        Fi = "fi",
        For = "for",
        Full = "full",
        GetPriority = "get_priority",
        Goto = "goto",
        Hidden = "hidden",
        If = "if",
        Init = "init",
        Inline = "inline",
        Int = "int",
        Len = "len",
        Local = "local",
        Ltl = "ltl",
        Mtype = "mtype",
        Nempty = "nempty",
        Never = "never",
        Nfull = "nfull",
        Notrace = "notrace",
        Np = "np_",
        Od = "od",
        Of = "of",
        PcValue = "pc_value",
        Pid = "pid",
        Printf = "printf",
        Printm = "printm",
        Priority = "priority",
        Proctype = "proctype",
        Provided = "provided",
        Return = "return",
        Run = "run",
        Select = "select",
        SetPriority = "set_priority",
        Short = "short",
        Show = "show",
        Skip = "skip",
        Timeout = "timeout",
        Trace = "trace",
        True = "true",
        Typedef = "typedef",
        Unless = "unless",
        Unsigned = "unsigned",
        Xr = "xr",
        Xs = "xs",
    }
}

impl Keyword {
    pub fn parse(word: &str) -> Option<Keyword> {
        // Every word of a model is asked about; the first letter rules out nearly all of the table.
        static BY_FIRST: LazyLock<Vec<Vec<(Keyword, &str)>>> = LazyLock::new(|| {
            let starts = |first| move |(_, text): &&(Keyword, &'static str)| text.as_bytes()[0] == first;
            (0..=u8::MAX).map(|first| Keyword::ALL.iter().filter(starts(first)).copied().collect()).collect()
        });
        let candidates = &BY_FIRST[usize::from(*word.as_bytes().first()?)];
        candidates.iter().find(|(_, text)| *text == word).map(|(keyword, _)| *keyword)
    }
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
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    pub fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind == TokenKind::Keyword(keyword)
    }

    pub fn ident(&self) -> Option<&Name> {
        match &self.kind {
            TokenKind::Ident(name) => Some(name),
            _ => None,
        }
    }
}

impl TokenKind {
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
            TokenKind::End => "the end of the text".to_string(),
        }
    }
}
