//! The keywords of Promela.

use panoptes_preprocess::{Word, tokens};
use std::sync::LazyLock;

pub use panoptes_preprocess::Punct;

pub type Token = panoptes_preprocess::Token<Keyword>;
pub type TokenKind = panoptes_preprocess::TokenKind<Keyword>;

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

impl Word for Keyword {
    fn parse(word: &str) -> Option<Keyword> {
        // Every word of a model is asked about; the first letter rules out nearly all of the table.
        static BY_FIRST: LazyLock<Vec<Vec<(Keyword, &str)>>> = LazyLock::new(|| {
            let starts = |first| move |(_, text): &&(Keyword, &'static str)| text.as_bytes()[0] == first;
            (0..=u8::MAX).map(|first| Keyword::ALL.iter().filter(starts(first)).copied().collect()).collect()
        });
        let candidates = &BY_FIRST[usize::from(*word.as_bytes().first()?)];
        candidates.iter().find(|(_, text)| *text == word).map(|(keyword, _)| *keyword)
    }

    fn text(self) -> &'static str {
        self.text()
    }
}
