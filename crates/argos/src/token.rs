//! The keywords of Argos.

use panoptes_preprocess::{Word, tokens};

pub use panoptes_preprocess::Punct;

pub type Token = panoptes_preprocess::Token<Keyword>;
pub type TokenKind = panoptes_preprocess::TokenKind<Keyword>;

tokens! {
    /// The words that cannot name anything. `queue` and `channel`, `var` and `pvar` mean the same: the language has
    /// two dialects.
    Keyword {
        Assert = "assert",
        Break = "break",
        Channel = "channel",
        Default = "default",
        Do = "do",
        Fi = "fi",
        Goto = "goto",
        If = "if",
        Od = "od",
        Proc = "proc",
        Procedure = "procedure",
        Pvar = "pvar",
        Queue = "queue",
        Skip = "skip",
        Timeout = "timeout",
        Var = "var",
    }
}

impl Word for Keyword {
    fn parse(word: &str) -> Option<Keyword> {
        Keyword::ALL.iter().find(|(_, text)| *text == word).map(|(keyword, _)| *keyword)
    }

    fn text(self) -> &'static str {
        self.text()
    }
}
