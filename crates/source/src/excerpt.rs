//! The lines of a file that are shown. A drawing looks at all the text it is given, so that it gets only these.

use crate::{SourceFile, Span};
use std::ops::Range;

/// Places that are farther apart than this are drawn one by one.
const BYTES_MAX: usize = 16 * 1024;

/// How far behind the place a line is shown.
const BEHIND_MAX: usize = 1024;

/// Consecutive lines of a file.
pub(crate) struct Excerpt<'a> {
    pub text: &'a str,
    pub first_line: usize,
    /// Where the text begins in the file.
    start: usize,
    /// The place is so far down a line that nothing is shown: people do not read such lines.
    pub is_far: bool,
    is_cut: bool,
}

impl<'a> Excerpt<'a> {
    /// The line in which a span begins.
    pub fn of_line(file: &'a SourceFile, span: Span) -> Excerpt<'a> {
        let text = file.text.as_str();
        let at = boundary(text, span.lo as usize);
        let first_line = file.line_of(at);
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let cut = boundary(text, end.min(at + BEHIND_MAX));
        let shown = text[start..cut].trim_end_matches('\r');
        Excerpt { text: shown, first_line, start, is_far: at - start > BYTES_MAX, is_cut: cut != end }
    }

    /// The lines from this one to the other, if they are not too many.
    pub fn join(&self, other: &Excerpt<'a>, file: &'a SourceFile) -> Option<Excerpt<'a>> {
        let start = self.start.min(other.start);
        let end = (self.start + self.text.len()).max(other.start + other.text.len());
        // The empty line behind the last newline of a text would be taken for a part of the line before.
        let is_last = |excerpt: &Excerpt| excerpt.text.is_empty() && excerpt.start == file.text.len();
        if is_last(self) || is_last(other) {
            return None;
        }
        if end - start > BYTES_MAX || self.is_cut || other.is_cut || self.is_far || other.is_far {
            return None;
        }
        let first_line = self.first_line.min(other.first_line);
        Some(Excerpt { text: file.text.get(start..end)?, first_line, start, is_far: false, is_cut: false })
    }

    /// The bytes of a span in this text: to the end of its first line, and at least one character wide where there is one.
    pub fn bytes(&self, span: Span) -> Range<usize> {
        let text = self.text;
        let lo = boundary(text, (span.lo as usize).saturating_sub(self.start));
        let line_end = text[lo..].find(['\r', '\n']).map_or(text.len(), |length| lo + length);
        let hi = boundary(text, (span.hi as usize).saturating_sub(self.start)).clamp(lo, line_end);
        let one = text[lo..line_end].chars().next().map_or(0, char::len_utf8);
        lo..hi.max(lo + one)
    }
}

/// The nearest place at or before `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
