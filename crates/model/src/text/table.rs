//! Rows of cells, each column as wide as its widest cell.

/// A cell wider than this does not push the columns of the other rows.
const WIDTH_MAX: usize = 64;

#[derive(Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

enum Row {
    Cells(Vec<String>),
    /// Stands between the rows and takes no part in the columns.
    Line(String),
}

impl Table {
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row::Cells(cells.into_iter().collect()));
    }

    pub fn line(&mut self, line: String) {
        self.rows.push(Row::Line(line));
    }

    /// Appends the table, each row behind `indent`, columns two blanks apart.
    pub fn write(&self, out: &mut String, indent: &str) {
        let widths = self.widths();
        for row in &self.rows {
            let mut text = String::from(indent);
            match row {
                Row::Line(line) => text.push_str(line),
                Row::Cells(cells) => {
                    for (cell, width) in cells.iter().zip(&widths).filter(|(_, width)| **width > 0) {
                        text.push_str(cell);
                        let missing = width.saturating_sub(cell.chars().count());
                        text.extend(std::iter::repeat_n(' ', missing + 2));
                    }
                }
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = Vec::new();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            widths.resize(widths.len().max(cells.len()), 0);
            for (cell, widest) in cells.iter().zip(&mut widths) {
                *widest = (*widest).max(cell.chars().count().min(WIDTH_MAX));
            }
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_empty_ones_vanish() {
        let mut table = Table::default();
        table.row(["a".to_owned(), String::new(), "x".to_owned()]);
        table.line("between".to_owned());
        table.row(["long".to_owned(), String::new(), "y".to_owned()]);
        let mut out = String::new();
        table.write(&mut out, "  ");
        assert_eq!(out, "  a     x\n  between\n  long  y\n");
    }
}
