//! Where text is shown: how wide, and whether with colours.

/// What the reader's screen can show, and how much of it is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    /// Columns of text.
    pub width: usize,
    /// Every step of a long trace, every value of a large state.
    pub full: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { color: false, width: 80, full: false }
    }
}

/// What a piece of text means; the colour follows from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    #[default]
    Plain,
    Heading,
    Good,
    Bad,
    Unsure,
    Message,
    Faint,
}

impl Style {
    /// The text with the escape codes of its colour, if colours are wanted.
    pub fn paint(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Heading => "1",
            Paint::Good => "1;32",
            Paint::Bad => "1;31",
            Paint::Unsure => "1;33",
            Paint::Message => "36",
            Paint::Faint => "2",
            Paint::Plain => return text.to_string(),
        };
        if self.color && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }

    pub(crate) fn heading(&self, text: &str) -> String {
        self.paint(Paint::Heading, text)
    }
}
