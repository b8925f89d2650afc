//! Tables that are Markdown and, since their columns are aligned, also legible in a terminal.

pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(header: &[&str]) -> Table {
        Table { header: header.iter().map(|cell| cell.to_string()).collect(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.header.len(), "a row has a cell for each column");
        self.rows.push(cells);
    }

    /// The first column is aligned to the left, the others to the right if `numbers`. A table without rows is no text.
    pub fn markdown(&self, numbers: bool) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.header]).map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let is_left = |column: usize| column == 0 || !numbers;
        let line = |cells: &[String]| {
            let cells = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if is_left(column) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule: Vec<String> = widths
            .iter()
            .enumerate()
            .map(
                |(column, width)| {
                    if is_left(column) { "-".repeat(*width) } else { "-".repeat(width - 1) + ":" }
                },
            )
            .collect();
        let body: String = self.rows.iter().map(|row| line(row)).collect();
        line(&self.header) + &line(&rule) + &body
    }
}

/// Digits in groups of three, as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["model", "n"]);
        table.row(vec!["a".to_string(), "1,000".to_string()]);
        assert_eq!(table.markdown(true), "| model |     n |\n| ----- | ----: |\n| a     | 1,000 |\n");
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
