//! What a user wrote to lead a directed search: an expression, or changes to the table of distances.
//!
//! Entries end with `;`. One without `=` is the estimate itself. The others change the table: `and = max`, `at = 3`,
//! `distance(x == y) = x - y`. The entries are told apart here; what stands in them the front end of the model's language reads.

use panoptes_model::{Estimate, EstimateEntry, EstimateRow, EstimateTable, Expr};
use panoptes_preprocess::{ExtraText, Role};
use panoptes_source::{Diagnostic, SourceMap, Span, did_you_mean};
use std::ops::Range;

/// More would be a mistake.
const BYTES_MAX: usize = 1 << 16;
const ENTRIES_MAX: usize = 200;
const WEIGHT_MAX: u32 = 1000;

/// What was read of a file, and the texts in it that speak of the model.
pub(crate) struct UserEstimate {
    table: EstimateTable,
    /// The estimate as it was written.
    value: Option<String>,
    pub texts: Vec<ExtraText>,
}

/// What is wrong, and where.
type Read<T> = Result<T, (Range<usize>, String, Option<String>)>;

impl UserEstimate {
    pub fn read(name: &str, text: &str, sources: &mut SourceMap) -> Result<UserEstimate, Diagnostic> {
        let mut estimate = UserEstimate { table: EstimateTable::default(), value: None, texts: Vec::new() };
        estimate.entries(name, text).map_err(|(place, message, help)| {
            let file = sources.add_file(name, text.to_string(), None);
            let span = Span { file, lo: place.start as u32, hi: place.end as u32, expansion: None };
            Diagnostic::error(span, message).help_if(help)
        })?;
        Ok(estimate)
    }

    fn entries(&mut self, name: &str, text: &str) -> Read<()> {
        if text.len() > BYTES_MAX {
            return Err((
                0..0,
                format!("an estimate has at most {BYTES_MAX} bytes, this one {}", text.len()),
                None,
            ));
        }
        let bare = without_comments(text);
        let entries = split(&bare);
        let Some(first) = entries.first() else {
            let help = "write an expression, such as `3 * len(q) + x`".to_string();
            return Err((0..text.trim_end().len(), "there is no estimate here".to_string(), Some(help)));
        };
        if entries.len() > ENTRIES_MAX {
            return Err((first.clone(), format!("there are more than {ENTRIES_MAX} entries"), None));
        }
        let extra = |part: Range<usize>| ExtraText {
            role: Role::Estimate,
            name: name.to_string(),
            // Comments were made blank, so every place is what it is in the whole text.
            text: text.to_string(),
            part: Some(part),
        };
        let mut heads: Vec<&str> = Vec::new();
        for entry in &entries {
            let Some(sign) = assignment(&bare, entry.clone()) else {
                if entries.len() > 1 {
                    let help = "an estimate stands alone; an entry of the table has a name and `=`, as in `and = max`";
                    return Err((
                        entry.clone(),
                        "this is no entry of the table".to_string(),
                        Some(help.to_string()),
                    ));
                }
                self.value = Some(text[entry.clone()].to_string());
                self.texts.push(extra(entry.clone()));
                continue;
            };
            let (head, value) = (trimmed(&bare, entry.start..sign), trimmed(&bare, sign + 1..entry.end));
            let written = &bare[head.clone()];
            if value.is_empty() {
                return Err((sign..sign + 1, format!("`{written}` needs a value behind `=`"), None));
            }
            if heads.contains(&written) {
                return Err((head, format!("`{written}` has a value already"), None));
            }
            heads.push(written);
            match part_of(&bare, head.clone()) {
                Some(part) if bare[part.clone()].is_empty() => {
                    return Err((
                        head,
                        "`distance` needs a part of the formula, as in `distance(x == y)`".to_string(),
                        None,
                    ));
                }
                Some(part) => {
                    let nothing = || Expr::Const(0);
                    self.table.distances.push(EstimateEntry {
                        part: nothing(),
                        distance: nothing(),
                        text: text[entry.clone()].to_string(),
                        location: location(name, &text[..entry.start]),
                    });
                    self.texts.extend([extra(part), extra(value)]);
                }
                None => self.row(written, head, &bare[value.clone()], value)?,
            }
        }
        Ok(())
    }

    fn row(&mut self, name: &str, head: Range<usize>, value: &str, place: Range<usize>) -> Read<()> {
        if name == "and" {
            self.table.is_farthest = match value {
                "max" => true,
                "sum" => false,
                _ => return Err((place, "a conjunction is measured by `sum` or `max`".to_string(), None)),
            };
            return Ok(());
        }
        let Some(row) = EstimateRow::ALL.into_iter().find(|row| row.name() == name) else {
            let rows = || EstimateRow::ALL.into_iter().map(EstimateRow::name).chain(["and"]);
            let listed =
                || format!("there is {}, distance(…); `==` compares", rows().collect::<Vec<_>>().join(", "));
            let help = did_you_mean(name, rows()).unwrap_or_else(listed);
            return Err((head, format!("the table has no entry `{name}`"), Some(help)));
        };
        let weight = value.parse().ok().filter(|weight| *weight <= WEIGHT_MAX);
        let Some(weight) = weight else {
            let message = format!("`{name}` counts so many times, from 0 to {WEIGHT_MAX}");
            return Err((
                place,
                message,
                Some("an expression can be given for one part: `distance(full(q)) = …`".to_string()),
            ));
        };
        self.table.weights.push((row, weight));
        Ok(())
    }

    /// The estimate; `exprs` are what the texts say.
    pub fn over(mut self, exprs: &[Expr]) -> Estimate {
        if let Some(text) = self.value {
            return Estimate::Value { value: exprs[0].clone(), text };
        }
        for (entry, exprs) in self.table.distances.iter_mut().zip(exprs.chunks(2)) {
            (entry.part, entry.distance) = (exprs[0].clone(), exprs[1].clone());
        }
        Estimate::Table(self.table)
    }
}

/// The place behind a part of the text, for people.
fn location(name: &str, before: &str) -> String {
    let line = before.rsplit('\n').next().unwrap_or_default();
    format!("{name}:{}:{}", before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// The text with blanks for comments.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'/', b'*', ..] => text[at + 2..].find("*/").map_or(bytes.len(), |length| at + length + 4),
            [b'/', b'/', ..] => text[at..].find('\n').map_or(bytes.len(), |length| at + length),
            _ => {
                at += 1;
                continue;
            }
        };
        bytes[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8(bytes).expect("whole characters were made blank")
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The entries, without the signs between them. Those that are empty do not count.
fn split(text: &str) -> Vec<Range<usize>> {
    let mut entries = Vec::new();
    let mut start = 0;
    for end in text.match_indices(';').map(|(at, _)| at).chain([text.len()]) {
        entries.push(trimmed(text, start..end));
        start = end + 1;
    }
    entries.retain(|entry| !entry.is_empty());
    entries
}

/// Where an entry has a single `=` outside of parentheses.
fn assignment(text: &str, entry: Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0;
    entry.clone().find(|at| {
        match bytes[*at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            _ => {}
        }
        let is_part = |other: Option<usize>, signs: &[u8]| {
            other.filter(|other| entry.contains(other)).is_some_and(|other| signs.contains(&bytes[other]))
        };
        bytes[*at] == b'='
            && depth == 0
            && !is_part(at.checked_sub(1), b"=<>!")
            && !is_part(Some(at + 1), b"=")
    })
}

/// The part of the formula that `distance(…)` speaks of.
fn part_of(text: &str, head: Range<usize>) -> Option<Range<usize>> {
    let rest = text[head.clone()].strip_prefix("distance")?.trim_start();
    let inner = rest.strip_prefix('(')?.strip_suffix(')')?;
    let end = head.end - 1;
    Some(trimmed(text, end - inner.len()..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<UserEstimate, String> {
        let mut sources = SourceMap::default();
        UserEstimate::read("h.txt", text, &mut sources).map_err(|wrong| {
            let (start, _) = wrong.range(&sources);
            format!("{}:{} {}", start.line, start.column, wrong.message)
        })
    }

    #[test]
    fn an_expression_is_the_estimate() {
        let text = "/* far */ 3 * len(q) // ; and = max\n + (x == 2) ;";
        let estimate = read(text).expect("an estimate");
        let part = estimate.texts[0].part.clone().expect("a part");
        assert_eq!((estimate.texts.len(), &text[part]), (1, &text[10..text.len() - 2]));
        assert!(matches!(estimate.over(&[Expr::Const(7)]), Estimate::Value { value: Expr::Const(7), .. }));
    }

    #[test]
    fn entries_change_the_table() {
        let text = "and = max; at = 3;\ndistance(x <= y[1]) = x - y[1];";
        let estimate = read(text).expect("a table");
        let parts: Vec<&str> =
            estimate.texts.iter().map(|extra| &text[extra.part.clone().expect("a part")]).collect();
        assert_eq!(parts, ["x <= y[1]", "x - y[1]"]);
        let Estimate::Table(table) = estimate.over(&[Expr::Const(1), Expr::Const(2)]) else {
            panic!("a table")
        };
        assert!(
            table.is_farthest && table.weight(EstimateRow::At) == 3 && table.weight(EstimateRow::Full) == 1
        );
        assert!(matches!(table.distances[0].distance, Expr::Const(2)));
    }

    #[test]
    fn mistakes_are_located() {
        for (text, says) in [
            ("", "1:1 there is no estimate"),
            ("/* nothing */;\n", "1:1 there is no estimate"),
            ("and = least", "1:7 a conjunction"),
            ("at = 3;\n full = x;", "2:9 `full` counts"),
            ("at = 3;\n at = 4", "2:2 `at` has a value"),
            ("x = 3", "1:1 the table has no entry `x`"),
            ("at = 3; len(q)", "1:9 this is no entry"),
            ("at = ", "1:4 `at` needs a value"),
            ("distance() = 4", "1:1 `distance` needs"),
            ("at = 1001", "1:6 `at` counts"),
        ] {
            let wrong = read(text).err().expect("a mistake");
            assert!(wrong.starts_with(says), "{text:?}: {wrong}");
        }
        assert!(read(&"x".repeat(BYTES_MAX + 1)).is_err_and(|wrong| wrong.contains("at most")));
        assert!(read(&"at;".repeat(ENTRIES_MAX + 1)).is_err_and(|wrong| wrong.contains("more than")));
    }
}
