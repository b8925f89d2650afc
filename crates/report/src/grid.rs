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
        let mut sizes = Sizes::new(&self.columns);
        self.rows.iter().for_each(|row| sizes.note(row));
        let widths = sizes.fit(&self.columns, style.width)?;
        let drawing = Drawing { columns: &self.columns, widths, style };
        Some(self.rows.iter().fold(drawing.heading(), |out, row| out + &drawing.row(row)))
    }
}

/// What the columns need, as their rows become known.
pub(crate) struct Sizes {
    needed: Vec<usize>,
    least: Vec<usize>,
}

impl Sizes {
    pub fn new(columns: &[Column]) -> Sizes {
        Sizes {
            needed: columns.iter().map(|column| length(&column.title)).collect(),
            least: columns.iter().map(|column| longest_word(&column.title).max(WIDTH_MIN)).collect(),
        }
    }

    pub fn note(&mut self, row: &Row) {
        let (Row::Cells(cells) | Row::Across(cells, _)) = row else { return };
        for (index, cell) in cells.iter().enumerate() {
            for (_, text) in cell {
                self.needed[index] = self.needed[index].max(length(text));
                self.least[index] = self.least[index].max(longest_word(text));
            }
        }
    }

    /// The width of each column: what it needs, as long as all fit; otherwise the widest flexible ones give way, but
    /// never so far that a word would have to be broken.
    pub fn fit(&self, columns: &[Column], width: usize) -> Option<Vec<usize>> {
        let room = width.checked_sub(3 * self.needed.len().saturating_sub(1))?;
        let capped = |cap: usize| -> Vec<usize> {
            let sizes = self.needed.iter().zip(&self.least).zip(columns);
            sizes
                .map(|((needed, least), column)| match column.flexible {
                    true => *needed.min(&cap.max(*least)),
                    false => *needed,
                })
                .collect()
        };
        let widest = self.needed.iter().copied().max().unwrap_or(0);
        let fits = |cap: &usize| capped(*cap).iter().sum::<usize>() <= room;
        let cap = (WIDTH_MIN..=widest.max(WIDTH_MIN)).rev().find(fits)?;
        Some(capped(cap))
    }
}

/// Columns whose widths are known: rows can be drawn one by one.
pub(crate) struct Drawing<'a> {
    pub columns: &'a [Column],
    pub widths: Vec<usize>,
    pub style: &'a Style,
}

impl Drawing<'_> {
    pub fn heading(&self) -> String {
        let titles: Vec<Cell> =
            self.columns.iter().map(|column| vec![(Paint::Heading, column.title.clone())]).collect();
        let rule: Vec<String> = self.widths.iter().map(|width| "─".repeat(*width)).collect();
        self.cells(&titles) + &self.style.paint(Paint::Faint, &rule.join("─┼─")) + "\n"
    }

    pub fn row(&self, row: &Row) -> String {
        match row {
            Row::Cells(cells) => self.cells(cells),
            Row::Across(cells, text) => self.across(cells, text),
            Row::Note(note) => self.style.paint(Paint::Faint, &cut(note, self.style.width)) + "\n",
        }
    }

    fn cells(&self, cells: &[Cell]) -> String {
        let wrapped = wrapped(cells, &self.widths);
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        (0..height).map(|index| format!("{}\n", self.line(&wrapped, index).trim_end())).collect()
    }

    fn across(&self, cells: &[Cell], text: &str) -> String {
        let first = wrapped(cells, &self.widths);
        let taken: usize = self.widths[..cells.len()].iter().map(|width| width + 3).sum();
        let bar = self.style.paint(Paint::Faint, "│");
        let lines = wrap(text, self.style.width.saturating_sub(taken));
        let line = |(index, text): (usize, &String)| format!("{} {bar} {text}\n", self.line(&first, index));
        lines.iter().enumerate().map(line).collect()
    }

    /// One line of some cells, each filled up to its width.
    fn line(&self, wrapped: &[Cell], index: usize) -> String {
        let bar = self.style.paint(Paint::Faint, "│");
        let mut line = String::new();
        for (number, (cell, width)) in wrapped.iter().zip(&self.widths).enumerate() {
            if number > 0 {
                line += &format!(" {bar} ");
            }
            let (paint, text) = cell.get(index).map_or((Paint::Plain, ""), |(paint, text)| (*paint, text));
            let pad = " ".repeat(width.saturating_sub(length(text)));
            let text = self.style.paint(paint, text);
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
