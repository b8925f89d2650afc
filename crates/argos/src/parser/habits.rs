//! Words of Promela and of other languages, and what Argos says instead.

use super::Parser;
use crate::token::{Keyword, Punct, TokenKind};
use panoptes_source::nearest;

const FOREIGN: &[(&str, &str)] = &[
    ("active", "a process runs by itself: `proc A { … }`"),
    ("bool", "variables have no types: `var x;`"),
    ("byte", "variables have no types: `var x;`"),
    ("chan", "a channel is declared with its size: `channel c[1];`"),
    ("for", "a loop is written `do :: x < 3 -> … x = x + 1 :: x >= 3 -> break od`"),
    ("init", "every process runs from the start: `proc A { … }`"),
    ("int", "variables have no types: `var x;`"),
    ("process", "a process is declared with `proc A { … }`"),
    ("proctype", "a process is declared with `proc A { … }`"),
    ("receive", "a message is received with `channel?message`"),
    ("run", "every process runs from the start: `proc A { … }`"),
    ("send", "a message is sent with `channel!message`"),
    ("while", "a loop is written `do :: x < 3 -> … :: x >= 3 -> break od`"),
];

/// `c!1`, where a message has no name.
pub(super) const VALUE_ALONE: &str = "a message has a name, and may carry a value: `c!data(1)`, `c?data(x)`";

/// `if (x > 0)`, or an option without its sign.
pub(super) const NO_OPTION: &str = "each option begins with `::`, also the first: `:: x > 0 -> …`";

fn foreign(word: &str) -> Option<&'static str> {
    FOREIGN.iter().find(|(foreign, _)| *foreign == word).map(|(_, instead)| *instead)
}

/// What a word that means nothing here may stand for.
pub(super) fn meant(word: &str) -> Option<String> {
    if let Some(instead) = foreign(word) {
        return Some(format!("there is no `{word}` in Argos: {instead}"));
    }
    // Short words are near to too many.
    let is_apart = |text: &&str| text.len() > 3;
    let keywords = Keyword::ALL.iter().map(|(_, text)| *text).filter(is_apart);
    let near = nearest(word, keywords.chain(FOREIGN.iter().map(|(word, _)| *word).filter(is_apart)))?;
    Some(match foreign(near) {
        Some(instead) => format!("did you mean `{near}`? There is none in Argos: {instead}"),
        None => format!("did you mean `{near}`?"),
    })
}

impl Parser<'_> {
    /// Help for what was found behind a statement that began at this token.
    pub(super) fn after_statement(&self, start: usize) -> Option<String> {
        let first = self.tokens.get(start).and_then(|token| token.ident());
        match self.peek().kind {
            TokenKind::Punct(sign @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                let (name, sign) = (first?, sign.text());
                let one = &sign[1..];
                Some(format!("there is no `{sign}` in Argos: write `{name} = {name} {one} 1`"))
            }
            _ => meant(first?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_words_are_no_keywords() {
        assert!(FOREIGN.is_sorted());
        for (word, _) in FOREIGN {
            assert!(Keyword::ALL.iter().all(|(_, text)| text != word), "{word}");
        }
    }
}
