//! A table whose columns share the width there is.

use crate::wrap::{cut, longest_word, wrap};
use crate::{Paint, Style};

/// Narrower columns than this are not worth reading.
const WIDTH_MIN: usize = 9;
/// A cell with more lines than this is cut.
const LINES_MAX: usize = 12;

pub(crate) struct Column {
    pub title: String,
    /// Numbers stand to the right; they are never broken.
    pub right: bool,
    /// Gives way when there is not room for all.
    pub flexible: bool,
}

/// Some paragraphs.
pub(crate) type Cell = Vec<(Paint, String)>;

pub(crate) enum Row {
    Cells(Vec<Cell>),
    /// The first cells, and a text across all columns that follow.
    Across(Vec<Cell>, String),
    /// A line across all columns.
    Note(String),
}

pub(crate) struct Grid {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

impl Grid {
    /// The table, or none if it cannot be made to fit.
    pub fn render(&self, style: &Style) -> Option<String> {
        let widths = self.fit(style.width)?;
        let mut out = String::new();
        let titles: Vec<Cell> =
            self.columns.iter().map(|column| vec![(Paint::Heading, column.title.clone())]).collect();
        self.cells(&mut out, &titles, &widths, style);
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        out += &style.paint(Paint::Faint, &rule.join("─┼─"));
        out.push('\n');
        for row in &self.rows {
            match row {
                Row::Cells(cells) => self.cells(&mut out, cells, &widths, style),
                Row::Across(cells, text) => self.across(&mut out, cells, text, &widths, style),
                Row::Note(note) => {
                    out += &style.paint(Paint::Faint, &cut(note, style.width));
                    out.push('\n');
                }
            }
        }
        Some(out)
    }

    /// The width of each column: what it needs, as long as all fit; otherwise the widest flexible ones give way, but
    /// never so far that a word would have to be broken.
    fn fit(&self, width: usize) -> Option<Vec<usize>> {
        let mut needed: Vec<usize> = self.columns.iter().map(|column| length(&column.title)).collect();
        let mut least: Vec<usize> =
            self.columns.iter().map(|column| longest_word(&column.title).max(WIDTH_MIN)).collect();
        for row in &self.rows {
            let (Row::Cells(cells) | Row::Across(cells, _)) = row else { continue };
            for (index, cell) in cells.iter().enumerate() {
                for (_, text) in cell {
                    needed[index] = needed[index].max(length(text));
                    least[index] = least[index].max(longest_word(text));
                }
            }
        }
        let room = width.checked_sub(3 * needed.len().saturating_sub(1))?;
        let capped = |cap: usize| -> Vec<usize> {
            let columns = needed.iter().zip(&least).zip(&self.columns);
            columns
                .map(|((needed, least), column)| match column.flexible {
                    true => *needed.min(&cap.max(*least)),
                    false => *needed,
                })
                .collect()
        };
        let widest = needed.iter().copied().max().unwrap_or(0);
        let fits = |cap: &usize| capped(*cap).iter().sum::<usize>() <= room;
        let cap = (WIDTH_MIN..=widest.max(WIDTH_MIN)).rev().find(fits)?;
        Some(capped(cap))
    }

    fn cells(&self, out: &mut String, cells: &[Cell], widths: &[usize], style: &Style) {
        let wrapped = wrapped(cells, widths);
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for index in 0..height {
            *out += self.line(&wrapped, widths, index, style).trim_end();
            out.push('\n');
        }
    }

    fn across(&self, out: &mut String, cells: &[Cell], text: &str, widths: &[usize], style: &Style) {
        let first = wrapped(cells, widths);
        let taken: usize = widths[..cells.len()].iter().map(|width| width + 3).sum();
        let bar = style.paint(Paint::Faint, "│");
        for (index, text) in wrap(text, style.width.saturating_sub(taken)).iter().enumerate() {
            *out += &format!("{} {bar} {text}\n", self.line(&first, widths, index, style));
        }
    }

    /// One line of some cells, each filled up to its width.
    fn line(&self, wrapped: &[Cell], widths: &[usize], index: usize, style: &Style) -> String {
        let bar = style.paint(Paint::Faint, "│");
        let mut line = String::new();
        for (number, (cell, width)) in wrapped.iter().zip(widths).enumerate() {
            if number > 0 {
                line += &format!(" {bar} ");
            }
            let (paint, text) = cell.get(index).map_or((Paint::Plain, ""), |(paint, text)| (*paint, text));
            let pad = " ".repeat(width.saturating_sub(length(text)));
            let text = style.paint(paint, text);
            line += &if self.columns[number].right { pad + &text } else { text + &pad };
        }
        line
    }
}

fn wrapped(cells: &[Cell], widths: &[usize]) -> Vec<Cell> {
    cells.iter().zip(widths).map(|(cell, width)| lines(cell, *width)).collect()
}

fn lines(cell: &Cell, width: usize) -> Vec<(Paint, String)> {
    let mut lines: Vec<(Paint, String)> = cell
        .iter()
        .flat_map(|(paint, text)| wrap(text, width).into_iter().map(move |line| (*paint, line)))
        .collect();
    if lines.len() > LINES_MAX {
        lines.truncate(LINES_MAX);
        if let Some((_, last)) = lines.last_mut() {
            *last = cut(&format!("{last} …"), width);
        }
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(cells: &[&str]) -> Grid {
        let column = |(index, _)| Column { title: format!("c{index}"), right: false, flexible: true };
        let cell = |text: &&str| vec![(Paint::Plain, text.to_string())];
        Grid {
            columns: cells.iter().enumerate().map(column).collect(),
            rows: vec![Row::Cells(cells.iter().map(cell).collect())],
        }
    }

    #[test]
    fn wide_cells_give_way() {
        let style = Style { width: 24, ..Style::default() };
        let text = grid(&["short", "a rather long statement"]).render(&style).unwrap();
        assert_eq!(text, "c0    │ c1\n──────┼─────────────────\nshort │ a rather long\n      │ statement\n");
        assert!(text.lines().all(|line| line.chars().count() <= 24));
    }

    #[test]
    fn words_are_not_broken() {
        let style = Style { width: 24, ..Style::default() };
        assert!(grid(&["short", "an-unbreakable-statement"]).render(&style).is_none());
    }

    #[test]
    fn a_text_goes_across() {
        let mut grid = grid(&["1", "x = 1", "y = 2"]);
        let first = vec![vec![(Paint::Plain, "2".to_string())]];
        grid.rows.push(Row::Across(first, "init[0]: run A()".to_string()));
        let text = grid.render(&Style::default()).unwrap();
        assert!(text.ends_with("1  │ x = 1 │ y = 2\n2  │ init[0]: run A()\n"), "{text}");
    }

    #[test]
    fn too_many_columns_do_not_fit() {
        let style = Style { width: 40, ..Style::default() };
        assert!(grid(&["a statement that is long"; 5]).render(&style).is_none());
    }
}
