//! Table 8: nested depth-first search, its improvement, and A* with it, on properties that are violated; and on one that holds.
//!
//! The paper's models are not public, except in other versions. Ours are of the same kind, so only the relations between the columns can be
//! compared.

use super::Table;
use panoptes_check::{CheckSettings, CycleSearch, Language, Property, Strategy, check, load_file};
use std::fmt::Write;
use std::path::Path;

/// A row of the paper, and the property of ours that stands beside it.
struct Row {
    title: &'static str,
    /// Expanded, generated and length, in the order of [`SEARCHES`].
    paper: [&'static str; 3],
    model: &'static str,
    property: &'static str,
}

const SEARCHES: [CycleSearch; 3] = [CycleSearch::Ndfs, CycleSearch::ImprovedNdfs, CycleSearch::AstarDfs];

const ROWS: &[Row] = &[
    Row {
        title: "alternating bit",
        paper: ["33/37/64", "32/36/64", "11/12/22"],
        model: "alternating_bit_response.pml",
        property: "delivered",
    },
    Row {
        title: "elevator",
        paper: ["309/381/405", "251/288/391", "217810/1276391/377"],
        model: "elevator.pml",
        property: "answered",
    },
    Row {
        title: "GIOP",
        paper: ["404799/1957563/430", "404619/1957390/158", "113/1158/158"],
        model: "object_requests.pml",
        property: "answered",
    },
    Row {
        title: "elevator that is right",
        paper: ["-/979336/-", "-/716715/-", ""],
        model: "elevator_sweep.pml",
        property: "answered",
    },
];

/// What one search did.
struct Cell {
    expanded: u64,
    transitions: u64,
    /// Of the violation, if there is one.
    length: Option<usize>,
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let length = self.length.map_or("-".to_string(), |length| length.to_string());
        write!(f, "{}/{}/{length}", self.expanded, self.transitions)
    }
}

pub fn table() -> Result<Table, String> {
    let mut text = "expanded / steps of the product / length of the lasso\n\n".to_string();
    text += "| model | | nested | improved nested | A*+DFS |\n|---|---|---|---|---|\n";
    let mut broken = Vec::new();
    for row in ROWS {
        let [nested, improved, directed] = row.cells()?;
        let Row { title, paper, model, property } = row;
        let _ = writeln!(text, "| {title} | paper | {} |", paper.join(" | "));
        let _ = writeln!(text, "| `{model}`, {property} | ours | {nested} | {improved} | {directed} |");
        let mut hold = |is_true: bool, what: &str| {
            if !is_true {
                broken.push(format!("{title}: {what}"));
            }
        };
        hold(improved.transitions <= nested.transitions, "the improved search takes no more steps");
        hold(improved.length <= nested.length, "its lasso is no longer");
        hold(
            directed.length <= improved.length && directed.length <= nested.length,
            "the lasso of A*+DFS is shortest",
        );
    }
    Ok(Table { text, broken })
}

impl Row {
    fn cells(&self) -> Result<[Cell; 3], String> {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../models")).join(self.model);
        let loaded = load_file(&path, Language::Promela, &Default::default())
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?
            .map_err(|_| format!("{} has mistakes", path.display()))?;
        let property = Property::of_model(self.property, &loaded.model)
            .map_err(|error| format!("{}: {error}", self.model))?;
        let mut cells = Vec::new();
        for search in SEARCHES {
            let settings =
                CheckSettings { property, strategy: Strategy::Cycles(search), ..CheckSettings::default() };
            let report =
                check(&loaded, &settings, &mut ()).map_err(|error| format!("{}: {error}", self.model))?;
            let length = report.errors.first().map(|error| error.length);
            let statistics = report.statistics;
            cells.push(Cell { expanded: statistics.expanded, transitions: statistics.transitions, length });
        }
        cells.try_into().map_err(|_| "three searches have three cells".to_string())
    }
}
