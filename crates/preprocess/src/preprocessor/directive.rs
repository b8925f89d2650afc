//! The lines that begin with `#`.

use super::{Condition, Hidden, INCLUDE_DEPTH_MAX, Preprocessor};
use crate::token::{Punct, Token, TokenKind};
use panoptes_source::{Diagnostic, Span, Warning};
use std::path::{Path, PathBuf};

impl Preprocessor<'_> {
    /// Obeys one line. When `skipping`, only conditions matter.
    pub(super) fn directive(&mut self, line: &[Token], skipping: bool) {
        let Some(word) = line.get(1) else { return };
        let rest = &line[2..];
        let name = word.ident().map_or("", |name| name);
        match name {
            "if" => self.open_condition(word, skipping, |it| it.condition(word, rest)),
            "ifdef" => self.open_condition(word, skipping, |it| it.is_defined(word, rest)),
            "ifndef" => self.open_condition(word, skipping, |it| !it.is_defined(word, rest)),
            "elif" => self.else_if(word, rest),
            "else" => self.else_branch(word),
            "endif" => {
                if self.conditions().pop().is_none() {
                    self.error(word.span, "this `#endif` has no `#if`");
                }
            }
            _ if skipping => {}
            "define" => self.define(word, rest),
            "undef" => {
                if let Some(name) = self.macro_name(word, rest) {
                    self.macros.remove(&name);
                }
            }
            "include" => self.include(word, rest),
            "error" => self.error(word.span, format!("#error {}", self.line_text(rest))),
            "warning" => {
                let message = format!("#warning {}", self.line_text(rest));
                self.report(Diagnostic::warning(Warning::HashWarning, word.span, message));
            }
            // A name for the lines that follow. Our messages name the real file, which is at hand.
            "line" => {}
            "pragma" | "ident" | "sccs" => {}
            _ if matches!(word.kind, TokenKind::Number(_)) => {}
            _ => {
                let message = format!("the preprocessor knows no `#{}`", word.kind.text());
                self.error(word.span, message);
            }
        }
    }

    fn conditions(&mut self) -> &mut Vec<Condition> {
        &mut self.files.last_mut().expect("a directive stands in a file").conditions
    }

    fn open_condition(&mut self, word: &Token, skipping: bool, test: impl FnOnce(&mut Self) -> bool) {
        let active = !skipping && test(self);
        let done = active || skipping;
        self.conditions().push(Condition { directive: word.span, active, done, last: false });
    }

    fn else_if(&mut self, word: &Token, rest: &[Token]) {
        match self.conditions().last() {
            None => self.error(word.span, "this `#elif` has no `#if`"),
            Some(condition) if condition.last => self.error(word.span, "`#elif` after `#else`"),
            Some(condition) if condition.done => {
                self.conditions().last_mut().expect("seen above").active = false
            }
            Some(_) => {
                let active = self.condition(word, rest);
                let condition = self.conditions().last_mut().expect("seen above");
                (condition.active, condition.done) = (active, active);
            }
        }
    }

    fn else_branch(&mut self, word: &Token) {
        match self.conditions().last_mut() {
            None => self.error(word.span, "this `#else` has no `#if`"),
            Some(condition) if condition.last => self.error(word.span, "a second `#else`"),
            Some(condition) => {
                condition.active = !condition.done;
                (condition.done, condition.last) = (true, true);
            }
        }
    }

    fn is_defined(&mut self, word: &Token, rest: &[Token]) -> bool {
        self.macro_name(word, rest).is_some_and(|name| self.macros.contains_key(&name))
    }

    /// The rest of the line as it is written.
    fn line_text(&self, rest: &[Token]) -> String {
        match (rest.first(), rest.last()) {
            (Some(first), Some(last)) => self.sources.snippet(first.span.to(last.span)).to_string(),
            _ => String::new(),
        }
    }

    fn include(&mut self, word: &Token, rest: &[Token]) {
        let written = match self.include_name(rest) {
            Some(written) => written,
            None => {
                let hidden =
                    rest.iter().map(|token| Hidden { token: token.clone(), hide: Default::default() });
                let expanded: Vec<Token> =
                    self.expand_all(hidden.collect(), 0).into_iter().map(|it| it.token).collect();
                match self.include_name(&expanded) {
                    Some(written) => written,
                    None => return self.error(word.span, "`#include` wants \"file\" or <file>"),
                }
            }
        };
        let (name, angled, span) = written;
        if self.files.len() > INCLUDE_DEPTH_MAX || self.includes_left == 0 {
            return self.stop(Diagnostic::error(span, "files include each other too deeply"));
        }
        self.includes_left -= 1;
        let mut failure = None;
        for path in self.include_paths(&name, angled) {
            match self.loader.load(&path) {
                Ok(text) => {
                    let file = self.sources.add_file(path.to_string_lossy(), text, Some(span));
                    return self.open(file, path);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => failure = failure.or(Some(format!("`{}`: {error}", path.display()))),
            }
        }
        let message = failure.unwrap_or_else(|| format!("no file `{name}` to include"));
        let searched = self.include_paths(&name, angled);
        let searched: Vec<_> = searched.iter().map(|path| format!("`{}`", path.display())).collect();
        // What the file would have defined is missing, so nothing after this line can be judged.
        self.stop(Diagnostic::error(span, message).help(format!("looked for {}", searched.join(", "))));
    }

    /// The file an `#include` names, whether in `<>`, and where it is written.
    fn include_name(&self, rest: &[Token]) -> Option<(String, bool, Span)> {
        let first = rest.first()?;
        if let TokenKind::Str(name) = &first.kind {
            return Some((name.to_string(), false, first.span));
        }
        let close = rest.iter().find(|token| token.is(Punct::Gt)).filter(|_| first.is(Punct::Lt))?;
        let inside = Span { lo: first.span.hi, hi: close.span.lo, ..first.span };
        Some((self.sources.snippet(inside).to_string(), true, first.span.to(close.span)))
    }

    /// Where to look: beside the including file first, in the `-I` directories first for `<file>`.
    fn include_paths(&self, name: &str, angled: bool) -> Vec<PathBuf> {
        let including = self.files.last().map(|file| file.path.as_path()).unwrap_or(Path::new(""));
        let beside = including.parent().unwrap_or(Path::new("")).join(name);
        let mut paths: Vec<PathBuf> = self.options.include_dirs.iter().map(|dir| dir.join(name)).collect();
        paths.insert(if angled { paths.len() } else { 0 }, beside);
        paths.dedup();
        paths
    }
}
