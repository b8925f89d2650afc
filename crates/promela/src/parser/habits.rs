//! Words and signs of other languages, and what Promela says instead.

use super::{Parse, Parser, lines};
use crate::ast::{BinaryOp, Expr};
use crate::token::{Keyword, Punct, TokenKind};
use panoptes_source::{Diagnostic, nearest};

/// What to write instead of a word of another language.
const FOREIGN: &[(&str, &str)] = &[
    ("auto", "a variable is declared with its type: `int x = 1`"),
    ("boolean", "the type is called `bool`"),
    ("case", "a choice is written `if :: x == 1 -> … :: x == 2 -> … :: else -> … fi`"),
    ("char", "the type of small numbers, 0..255, is called `byte`"),
    ("const", "a constant is a macro, `#define N 3`, or a name of an `mtype`"),
    ("continue", "an option of `do` that ends goes back to the start of the loop by itself"),
    ("def", "a process is `proctype P() { … }`, a piece of text with parameters is `inline f(x) { … }`"),
    ("double", "there are only whole numbers: `byte`, `short`, `int`"),
    ("elif", "write one more option: `:: condition -> …`"),
    ("elseif", "write one more option: `:: condition -> …`"),
    ("elsif", "write one more option: `:: condition -> …`"),
    ("enum", "names for values are declared with `mtype = { red, green }`"),
    ("exit", "a process ends at the end of its body: put a label there and `goto` it"),
    ("float", "there are only whole numbers: `byte`, `short`, `int`"),
    ("fork", "a process is started with `run P()`"),
    ("function", "a process is `proctype P() { … }`, a piece of text with parameters is `inline f(x) { … }`"),
    ("integer", "the type is called `int`"),
    ("let", "a variable is declared with its type: `int x = 1`"),
    ("long", "the largest type, of 32 bits, is called `int`"),
    ("loop", "a loop is written `do :: condition -> … :: else -> break od`"),
    ("main", "the process that starts first is called `init`: `init { … }`"),
    ("print", "write `printf(\"x is %d\\n\", x)`"),
    ("println", "write `printf(\"x is %d\\n\", x)`"),
    ("proc", "a process is declared with `proctype P() { … }`"),
    ("process", "a process is declared with `proctype P() { … }`"),
    ("receive", "a message is received with `channel?variable`"),
    ("recv", "a message is received with `channel?variable`"),
    ("repeat", "a loop is written `do :: … :: condition -> break od`"),
    ("send", "a message is sent with `channel!message`"),
    ("signed", "`short` and `int` have a sign, `byte` and `unsigned x : 4` have none"),
    ("sleep", "a model has no clock: wait for a condition (`x > 0`), for a message, or with `timeout`"),
    ("spawn", "a process is started with `run P()`"),
    ("start", "a process is started with `run P()`"),
    ("static", "a variable is declared with its type: `int x = 1`"),
    ("string", "there are no strings: names for values are declared with `mtype = { red, green }`"),
    ("struct", "a record is declared with `typedef T { byte a; int b }`"),
    ("switch", "a choice is written `if :: x == 1 -> … :: x == 2 -> … :: else -> … fi`"),
    ("then", "an option is written `:: condition -> …`"),
    ("thread", "a process is declared with `proctype P() { … }`"),
    ("uint", "the types of numbers are `byte` (0..255), `short`, `int`, and `unsigned x : 4` (4 bits)"),
    ("until", "a loop is written `do :: … :: condition -> break od`"),
    ("var", "a variable is declared with its type: `int x = 1`"),
    ("void", "a process is `proctype P() { … }`, a piece of text with parameters is `inline f(x) { … }`"),
    (
        "wait",
        "a condition waits by itself until it holds: `x > 0`; `timeout` waits until nothing else can be done",
    ),
    ("while", "a loop is written `do :: condition -> … :: else -> break od`"),
];

fn foreign(word: &str) -> Option<&'static str> {
    FOREIGN.iter().find(|(foreign, _)| *foreign == word).map(|(_, instead)| *instead)
}

/// What a word that means nothing here may stand for: one of these names, a word of Promela, or of another language.
pub(super) fn meant<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    if let Some(instead) = foreign(word) {
        return Some(instead.to_string());
    }
    // Short words are near to too many.
    let is_apart = |text: &&str| text.len() > 3 || text.eq_ignore_ascii_case(word);
    let keywords = Keyword::ALL.iter().map(|(_, text)| *text).filter(is_apart);
    let foreign_words = FOREIGN.iter().map(|(word, _)| *word).filter(is_apart);
    let near = nearest(word, names.chain(keywords).chain(foreign_words))?;
    Some(match foreign(near) {
        Some(instead) => format!("did you mean `{near}`? Promela has none: {instead}"),
        None => format!("did you mean `{near}`?"),
    })
}

/// What to write instead of `int f() { … }`.
pub(super) fn instead_of_function(name: &str) -> &'static str {
    let word = if name == "main" { name } else { "function" };
    foreign(word).unwrap_or_default()
}

/// What to write instead of a word between two operands.
pub(super) fn operator(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "both conditions: write `&&`",
        "or" => "one of the conditions: write `||`",
        "mod" => "the remainder of a division is written `%`",
        "then" => "an option is written `:: condition -> …`",
        _ => return None,
    })
}

/// That there is no such inline or type; or no such word in this language at all.
pub(super) fn nothing_called(word: &str, what: &str) -> String {
    match foreign(word) {
        Some(_) => format!("there is no `{word}` in Promela"),
        None => format!("there is no {what} `{word}`"),
    }
}

impl Parser<'_> {
    /// Help for what was found after a statement in place of a separator.
    pub(super) fn after_statement(&self) -> Diagnostic {
        let mut wrong = self.expected("`;` or `->` between statements");
        let help = match &self.peek().kind {
            _ if wrong.help.is_some() => None,
            TokenKind::Punct(Punct::Query) => {
                Some("a choice between two values is written `(condition -> a : b)`")
            }
            TokenKind::Punct(Punct::Assign) => {
                Some("a comparison is written `==`; `=` assigns to a variable")
            }
            TokenKind::Ident(word) => operator(word),
            TokenKind::Keyword(Keyword::Else) => {
                Some("`else` begins an option: `if :: condition -> … :: else -> … fi`")
            }
            _ => None,
        };
        if let Some(help) = help {
            wrong.help = Some(help.to_string());
        } else if self.starts_statement() && self.peek().new_line && !lines::is_implied(self.peek()) {
            wrong = wrong.label(self.last.span, "a `;` is missing behind this");
        }
        wrong
    }

    /// At `=` where a condition goes on: surely a comparison.
    pub(super) fn assignment_for_comparison(&self) -> Diagnostic {
        Diagnostic::error(self.peek().span, "`=` assigns a value: it is not a comparison")
            .help("write `==` to compare")
    }

    /// `x += 1`: at the `=` after an operator that follows `left`.
    pub(super) fn compound_assignment<T>(&mut self, op: BinaryOp, left: &Expr) -> Parse<T> {
        let span = self.cover(self.last.span, self.peek().span);
        let (sign, left) = (op.sign(), self.sources.snippet(left.span).to_string());
        let wrong = Diagnostic::error(span, format!("there is no `{sign}=` in Promela"));
        self.fail(wrong.help(format!("write `{left} = {left} {sign} …`")))
    }

    /// At `++` or `--` inside an expression.
    pub(super) fn counting_in_expression<T>(&mut self, name: &str) -> Parse<T> {
        let sign = self.peek().kind.text();
        let message = format!("`{name}{sign}` is a statement and has no value");
        let help = format!("write `{name}{sign}` before or after, as a statement of its own");
        let wrong = Diagnostic::error(self.peek().span, message);
        self.fail(wrong.help(help))
    }

    /// `for (int i = 0; i < n; i++)`: at the type, or at the `=`.
    pub(super) fn loop_of_c<T>(&mut self) -> Parse<T> {
        let message = match self.at_declaration() {
            true => "a variable cannot be declared inside `for`",
            false => "a `for` counts through a range",
        };
        let help = "declare it before the loop, and write `for (i : 0 .. n - 1) { … }`";
        let wrong = Diagnostic::error(self.peek().span, message);
        self.fail(wrong.help(help))
    }

    /// `if (x) { … }` and `do { … } while (x)`: what stands where the first option should.
    pub(super) fn help_for_options(&self, close: Keyword, after_else: bool) -> &'static str {
        match (close, self.at(Punct::LParen) || self.at(Punct::LBrace)) {
            (Keyword::Fi, _) if after_else => {
                "instead of `else if` write one more option: `:: condition -> …`"
            }
            (Keyword::Fi, true) => "a choice is written `if :: condition -> … :: else -> … fi`",
            (Keyword::Od, true) => "a loop is written `do :: condition -> … :: else -> break od`",
            _ => "an option begins with `::`",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_words_are_no_keywords() {
        for (word, _) in FOREIGN {
            assert!(Keyword::ALL.iter().all(|(_, text)| text != word), "{word}");
        }
        assert!(FOREIGN.is_sorted());
    }

    #[test]
    fn what_is_meant() {
        let none = || std::iter::empty();
        assert!(meant("while", none()).is_some_and(|help| help.contains("do ::")));
        assert!(meant("whlie", none()).is_some_and(|help| help.starts_with("did you mean `while`?")));
        assert_eq!(meant("prinft", none()).as_deref(), Some("did you mean `printf`?"));
        assert_eq!(meant("lsoe", ["lose"].into_iter()).as_deref(), Some("did you mean `lose`?"));
        assert_eq!(meant("elephant", none()), None);
    }
}
