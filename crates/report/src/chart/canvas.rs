//! A line of text that is drawn on.

use crate::{Paint, Style};

/// Characters and what they mean, at most as wide as there is room.
#[derive(Clone)]
pub(super) struct Canvas {
    cells: Vec<(char, Paint)>,
}

impl Canvas {
    pub fn new(width: usize) -> Canvas {
        Canvas { cells: vec![(' ', Paint::Plain); width] }
    }

    /// Writes a text; what goes beyond the end is not written.
    pub fn put(&mut self, at: usize, text: &str, paint: Paint) {
        for (cell, character) in self.cells.iter_mut().skip(at).zip(text.chars()) {
            *cell = (character, paint);
        }
    }

    /// Draws a horizontal line between two places, both left out; what stands upright is crossed.
    pub fn line(&mut self, from: usize, to: usize, stroke: char, paint: Paint) {
        for cell in self.cells.iter_mut().take(to.max(from)).skip(to.min(from) + 1) {
            let is_upright = matches!(cell.0, '│' | '┼');
            *cell = (if is_upright { '┼' } else { stroke }, paint);
        }
    }

    /// Puts one character.
    pub fn mark(&mut self, at: usize, character: char, paint: Paint) {
        if let Some(cell) = self.cells.get_mut(at) {
            *cell = (character, paint);
        }
    }

    /// The line with its end, without spaces at its end.
    pub fn render(&self, style: &Style) -> String {
        let end = self.cells.iter().rposition(|(character, _)| *character != ' ').map_or(0, |last| last + 1);
        let mut out = String::new();
        for run in self.cells[..end].chunk_by(|left, right| left.1 == right.1) {
            let text: String = run.iter().map(|(character, _)| *character).collect();
            out += &style.paint(run[0].1, &text);
        }
        out + "\n"
    }
}
