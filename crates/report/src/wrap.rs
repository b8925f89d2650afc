//! Breaking text into lines of a given width.

/// Lines of at most `width` characters, broken between words; a word that is too long by itself has a line of its own.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let word_length = word.chars().count();
        if length > 0 && length + 1 + word_length <= width {
            line.push(' ');
            length += 1;
        } else if length > 0 {
            lines.push(std::mem::take(&mut line));
            length = 0;
        }
        length += word_length;
        line += word;
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// `text` wrapped to `width`, its first line behind `first`, the others indented as far.
pub(crate) fn hanging(first: &str, text: &str, width: usize) -> String {
    let indent = first.chars().count();
    let lines = wrap(text, width.saturating_sub(indent).max(20));
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let margin = if index == 0 { first.to_string() } else { " ".repeat(indent) };
        out += format!("{margin}{line}").trim_end();
        out.push('\n');
    }
    out
}

/// The length of the longest word: a column cannot be narrower.
pub(crate) fn longest_word(text: &str) -> usize {
    text.split(' ').map(|word| word.chars().count()).max().unwrap_or(0)
}

/// On one line, whatever white space it has.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `width` characters; what is cut off is marked.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(wrap("unbreakable x", 4), ["unbreakable", "x"]);
        assert_eq!(hanging("  a ", "b c", 80), "  a b c\n");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(one_line(" a\n\t b "), "a b");
    }
}
