//! The tables of the corpus, as far as a measurement needs them: `bench.tsv` and `golden.tsv`.

use std::collections::HashMap;

/// A model of `bench.tsv`: what a full search of it must count.
#[derive(Debug, Clone, PartialEq)]
pub struct Heavy {
    pub path: String,
    pub states: u64,
    pub transitions: u64,
    /// Bytes of SPIN's state vector.
    pub vector: u64,
    /// How deep SPIN's search goes, where `golden.tsv` knows it.
    pub depth: Option<u64>,
}

/// A model that SPIN accepts, from `golden.tsv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    pub path: String,
    /// States of the full search, if it was complete.
    pub exact_states: Option<u64>,
    pub depth: Option<u64>,
    pub vector: u64,
    pub has_errors: bool,
    /// States of SPIN's search with its default reductions, if it was complete.
    pub reduced_states: Option<u64>,
    /// The temporal properties that it has, by our names, as far as SPIN searched everything and found no violation.
    pub holding: Vec<String>,
}

pub fn parse_bench(text: &str) -> Result<Vec<Heavy>, String> {
    let table = Table::parse(text, "bench.tsv")?;
    table.rows(|row| {
        Ok(Heavy {
            path: row.text("path")?.to_string(),
            states: row.count("states")?,
            transitions: row.count("transitions")?,
            vector: row.number("spin_vector_bytes")?.unwrap_or(0),
            depth: None,
        })
    })
}

pub fn parse_golden(text: &str) -> Result<Vec<Known>, String> {
    let table = Table::parse(text, "golden.tsv")?;
    let rows = table.rows(|row| {
        if row.text("spin")? != "accept" {
            return Ok(None);
        }
        let exact = row.text("exact_status")? == "complete";
        let reduced = row.text("def_status")? == "complete";
        Ok(Some(Known {
            path: row.text("path")?.to_string(),
            exact_states: row.number("exact_states")?.filter(|_| exact),
            depth: row.number("exact_depth")?.filter(|_| exact),
            vector: row.number("exact_vec")?.unwrap_or(0),
            has_errors: !row.text("exact_kinds")?.is_empty(),
            reduced_states: row.number("def_states")?.filter(|_| reduced),
            // A corpus need not have these.
            holding: ["live", "np"]
                .iter()
                .flat_map(|column| holding(row.text(column).unwrap_or("")))
                .collect(),
        }))
    })?;
    Ok(rows.into_iter().flatten().collect())
}

/// The properties of runs without fairness that are told as `property=none|complete|…`, with ` ;; ` between runs.
fn holding(runs: &str) -> Vec<String> {
    let held = runs.split(" ;; ").filter_map(|run| run.split_once("=none|complete"));
    let plain = held.map(|(name, _)| name).filter(|name| !name.ends_with("/fair"));
    plain.map(|name| if name == "(np)" { "progress" } else { name }.to_string()).collect()
}

/// Tab-separated text with a line of column names.
struct Table<'a> {
    name: &'a str,
    columns: HashMap<&'a str, usize>,
    lines: Vec<(usize, &'a str)>,
}

struct Row<'a> {
    columns: &'a HashMap<&'a str, usize>,
    fields: Vec<&'a str>,
}

impl<'a> Table<'a> {
    fn parse(text: &'a str, name: &'a str) -> Result<Table<'a>, String> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty());
        let (_, header) = lines.next().ok_or_else(|| format!("{name} is empty"))?;
        let columns = header.split('\t').enumerate().map(|(i, column)| (column, i)).collect();
        Ok(Table { name, columns, lines: lines.collect() })
    }

    fn rows<T>(&self, read: impl Fn(&Row) -> Result<T, String>) -> Result<Vec<T>, String> {
        let rows = self.lines.iter().map(|(number, line)| {
            let row = Row { columns: &self.columns, fields: line.split('\t').collect() };
            read(&row).map_err(|problem| format!("{}:{number}: {problem}", self.name))
        });
        rows.collect()
    }
}

impl Row<'_> {
    fn text(&self, column: &str) -> Result<&str, String> {
        let index = self.columns.get(column).ok_or_else(|| format!("no column `{column}`"))?;
        Ok(self.fields.get(*index).copied().unwrap_or(""))
    }

    fn number(&self, column: &str) -> Result<Option<u64>, String> {
        match self.text(column)? {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| format!("{column}=`{text}` is not a number")),
        }
    }

    fn count(&self, column: &str) -> Result<u64, String> {
        match self.number(column)? {
            Some(count) if count > 0 => Ok(count),
            _ => Err(format!("no {column}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_list_of_models() {
        let text = "path\tstates\ttransitions\tspin_vector_bytes\na/b.pml\t10\t25\t48\nc\t7\t9\t\n";
        let rows = parse_bench(text).unwrap();
        let first =
            Heavy { path: "a/b.pml".to_string(), states: 10, transitions: 25, vector: 48, depth: None };
        assert_eq!(rows[0], first);
        assert_eq!((rows.len(), rows[1].vector), (2, 0));
    }

    #[test]
    fn tells_the_line_of_what_is_wrong() {
        let text = "path\tstates\ttransitions\tspin_vector_bytes\na\tmany\t1\t1\n";
        assert_eq!(parse_bench(text).unwrap_err(), "bench.tsv:2: states=`many` is not a number");
        let text = "path\tstates\ttransitions\tspin_vector_bytes\na\t\t1\t1\n";
        assert_eq!(parse_bench(text).unwrap_err(), "bench.tsv:2: no states");
        assert_eq!(parse_bench("path\na\n").unwrap_err(), "bench.tsv:2: no column `states`");
        assert_eq!(parse_bench("").unwrap_err(), "bench.tsv is empty");
    }

    #[test]
    fn counts_of_incomplete_searches_are_not_known() {
        let header = "path\tspin\texact_status\texact_states\texact_depth\texact_vec\texact_kinds\tdef_status\tdef_states";
        let rows = "a\taccept\tcomplete\t5\t3\t20\t\ttimeout\t4\n\
                    b\treject\t\t\t\t\t\t\t\n\
                    c\taccept\ttimeout\t9\t9\t20\tinvalid end state\tcomplete\t8\n";
        let known = parse_golden(&format!("{header}\n{rows}")).unwrap();
        assert_eq!(known.len(), 2);
        assert_eq!(
            (known[0].exact_states, known[0].depth, known[0].reduced_states),
            (Some(5), Some(3), None)
        );
        assert_eq!((known[1].exact_states, known[1].reduced_states), (None, Some(8)));
        assert_eq!((known[0].has_errors, known[1].has_errors), (false, true));
        assert!(known[0].holding.is_empty());
    }

    #[test]
    fn properties_hold_where_the_search_was_complete() {
        let runs = "p=none|complete|states=7 ;; p/fair=none|complete|states=9 ;; q=?|timeout|states=1";
        assert_eq!(holding(runs), ["p"]);
        assert_eq!(holding("(np)=none|complete|states=4"), ["progress"]);
        assert!(holding("").is_empty());
    }
}
