//! Tables 4 to 7: errors of states, by breadth-first, depth-first and directed search.
//!
//! Seven of the paper's models are public and must show its optimal lengths. The others are ours, of the same kind: there only the columns can
//! be compared. Steps are counted as the paper counts them (`--exact --steps merged`).

use super::chart::{Bar, Group, chart};
use super::{Context, Table};
use panoptes_check::{
    CheckSettings, Heuristic, Language, Limits, PreprocessorOptions, Property, Semantics, Steps, Strategy,
    TextOptions, check, load_file,
};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// What a cell may take.
#[derive(Clone, Copy)]
struct Bound {
    time: Duration,
    states: u64,
}

const BOUND: Bound = Bound { time: Duration::from_secs(20), states: 500_000 };
/// 12 and more philosophers are too many for breadth-first search, in any time that one waits for a table.
const PHILOSOPHERS_BOUND: Bound = Bound { time: Duration::from_secs(4), states: 50_000 };

/// A row of the paper, and the model that stands beside it.
struct Row {
    title: &'static str,
    /// Expanded, generated and length, in the order of [`COLUMNS`]; what the paper does not have is empty.
    paper: [&'static str; 6],
    model: Model,
    define: Option<(&'static str, u32)>,
    invariant: Option<&'static str>,
}

enum Model {
    /// The paper's own, in the corpus: the length of a shortest trace is known.
    Public(&'static str, usize),
    /// One of ours.
    Ours(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Bfs,
    Dfs,
    /// A* with the heuristic that is inferred.
    Astar,
    /// A* with the table of a projection.
    Pattern,
    BestFirst,
    Directed,
}

const COLUMNS: [Column; 6] =
    [Column::Bfs, Column::Dfs, Column::Astar, Column::Pattern, Column::BestFirst, Column::Directed];

const NONE: Row =
    Row { title: "", paper: ["", "", "", "", "", ""], model: Model::Ours(""), define: None, invariant: None };

const DEADLOCKS: &[Row] = &[
    Row {
        title: "philosophers 8",
        paper: ["1801/10336/34", "1365/1797/1362", "41/97/34", "", "249/646/66", ""],
        model: Model::Public("philosophers.pml", 34),
        define: Some(("P", 8)),
        ..NONE
    },
    Row {
        title: "snoopy",
        paper: ["37191/131475/40", "5823/7406/4676", "32341/110156/40", "", "152/299/40", ""],
        model: Model::Public("snoopy.pml", 40),
        ..NONE
    },
    Row {
        title: "telegraph 6",
        paper: ["75759/445434/38", "44/45/44", "38/108/38", "", "38/108/38", ""],
        model: Model::Public("telegraph.pml", 38),
        define: Some(("P", 6)),
        ..NONE
    },
    Row {
        title: "GARP",
        paper: ["834/2799/16", "62/70/50", "1145/3417/16", "", "33/60/28", ""],
        model: Model::Ours("garp.pml"),
        ..NONE
    },
    Row {
        title: "marriers",
        paper: ["403311/1429380/62", "294549/1088364/112", "333529/1176336/62", "", "6281/16595/112", ""],
        model: Model::Ours("marriers.pml"),
        define: Some(("N", 3)),
        ..NONE
    },
    Row {
        title: "basic call 2",
        paper: ["80137/199117/30", "115/136/96", "4170/8785/30", "", "57/89/42", ""],
        model: Model::Ours("basic_call.pml"),
        ..NONE
    },
];

const PHILOSOPHERS: [(&str, u32, usize, [&str; 6]); 6] = [
    ("2", 2, 10, ["10/12/10", "12/14/10", "10/12/10", "", "10/12/10", ""]),
    ("3", 3, 14, ["18/30/14", "19/22/14", "16/22/14", "", "32/52/14", ""]),
    ("4", 4, 18, ["33/77/18", "57/75/54", "21/33/18", "", "69/155/26", ""]),
    ("8", 8, 34, ["1801/10336/34", "1365/1797/1362", "41/97/34", "", "249/646/66", ""]),
    ("12", 12, 50, ["–", "–", "61/193/50", "", "539/1468/98", ""]),
    ("16", 16, 66, ["–", "–", "81/321/66", "", "941/2626/130", ""]),
];

const INVARIANTS: &[Row] = &[
    Row {
        title: "elevator",
        paper: ["228479/1046983/205", "310/388/521", "227868/1045061/205", "", "16955/53871/493", ""],
        model: Model::Ours("elevator.pml"),
        invariant: Some("!(floor == 2 && door_open && called[0] && called[1])"),
        ..NONE
    },
    Row {
        title: "POTS",
        paper: ["49143/154874/66", "1465103/4460586/1055", "409/1287/66", "", "68/185/66", ""],
        model: Model::Ours("pots.pml"),
        invariant: Some("!(talks[0] && idle[1]) && !(talks[1] && idle[0])"),
        ..NONE
    },
];

const ASSERTIONS: &[Row] = &[
    Row {
        title: "lynch",
        paper: ["79/96/29", "50/52/46", "72/89/29", "", "63/79/29", ""],
        model: Model::Public("lynch.pml", 29),
        ..NONE
    },
    Row {
        title: "bartlett",
        paper: ["82/99/20", "348/383/246", "61/76/20", "", "26/33/20", ""],
        model: Model::Public("bartlett.pml", 20),
        ..NONE
    },
    Row {
        title: "mutex",
        paper: ["349/699/15", "202/363/54", "150/300/15", "", "24/48/15", ""],
        model: Model::Public("mutex.pml", 15),
        ..NONE
    },
    Row {
        title: "relay",
        paper: ["707/2701/12", "342/719/190", "665/2292/12", "", "151/1069/120", ""],
        model: Model::Public("relay.pml", 12),
        ..NONE
    },
];

/// What one search did.
struct Cell {
    expanded: u64,
    generated: u64,
    length: Option<usize>,
}

pub fn deadlocks(context: &Context) -> Result<Table, String> {
    table(context, "directed-deadlocks", "Deadlocks", DEADLOCKS, BOUND)
}

pub fn philosophers(context: &Context) -> Result<Table, String> {
    let row = |&(title, count, length, paper): &(&'static str, u32, usize, [&'static str; 6])| Row {
        title,
        paper,
        model: Model::Public("philosophers.pml", length),
        define: Some(("P", count)),
        ..NONE
    };
    let rows: Vec<Row> = PHILOSOPHERS.iter().map(row).collect();
    table(context, "directed-philosophers", "Philosophers", &rows, PHILOSOPHERS_BOUND)
}

pub fn invariants(context: &Context) -> Result<Table, String> {
    table(context, "directed-invariants", "Invariants", INVARIANTS, BOUND)
}

pub fn assertions(context: &Context) -> Result<Table, String> {
    table(context, "directed-assertions", "Assertions", ASSERTIONS, BOUND)
}

fn table(context: &Context, name: &str, title: &str, rows: &[Row], bound: Bound) -> Result<Table, String> {
    let mut text = format!(
        "expanded / generated / length of the trace; –: not found within {} states and {} seconds\n\n",
        bound.states,
        bound.time.as_secs()
    );
    let names = COLUMNS.map(Column::name).join(" | ");
    let _ = writeln!(text, "| model | | {names} |\n|---|---|{}", "---|".repeat(COLUMNS.len()));
    let (mut broken, mut groups) = (Vec::new(), Vec::new());
    for row in rows {
        let cells = row.cells(context, bound)?;
        let shown: Vec<String> =
            cells.iter().map(|cell| cell.as_ref().map_or("–".to_string(), Cell::to_string)).collect();
        let _ = writeln!(text, "| {} | paper | {} |", row.title, row.paper.join(" | "));
        let _ = writeln!(text, "| {} | ours | {} |", row.model.name(), shown.join(" | "));
        broken.extend(row.broken(&cells));
        let bar = |(column, cell): (Column, &Option<Cell>)| Bar {
            label: column.name().to_string(),
            expanded: cell.as_ref().map(|cell| cell.expanded),
            length: cell.as_ref().and_then(|cell| cell.length),
        };
        let bars = COLUMNS.into_iter().zip(&cells).map(bar).collect();
        groups.push(Group { title: row.title.to_string(), bars });
    }
    if let Some(folder) = &context.svg {
        let path = folder.join(format!("{name}.svg"));
        std::fs::write(&path, chart(title, &groups))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(Table { text, broken })
}

impl Row {
    fn cells(&self, context: &Context, bound: Bound) -> Result<Vec<Option<Cell>>, String> {
        let path = match self.model {
            Model::Public(name, _) => context.corpus.join("hsf").join(name),
            Model::Ours(name) => Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../models")).join(name),
        };
        let define = |(name, value): (&str, u32)| (name.to_string(), Some(value.to_string()));
        let options = TextOptions {
            preprocessor: PreprocessorOptions {
                defines: self.define.map(define).into_iter().collect(),
                ..PreprocessorOptions::default()
            },
            invariants: self.invariant.map(str::to_string).into_iter().collect(),
            steps: Steps::Merged,
            ..TextOptions::default()
        };
        let loaded = load_file(&path, Language::Promela, &options)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?
            .map_err(|_| format!("{} has mistakes", path.display()))?;
        let mut cells = Vec::new();
        for column in COLUMNS {
            let limits = Limits { time: Some(bound.time), states: Some(bound.states), ..Limits::default() };
            let (strategy, heuristic) = column.search();
            let settings = CheckSettings {
                property: if self.invariant.is_some() { Property::Assertions } else { Property::Safety },
                strategy,
                heuristic,
                semantics: Semantics::EXACT,
                limits,
                ..CheckSettings::default()
            };
            let report =
                check(&loaded, &settings, &mut ()).map_err(|error| format!("{}: {error}", path.display()))?;
            let length = report.errors.first().map(|error| error.length);
            let statistics = report.statistics;
            let cell = Cell { expanded: statistics.expanded, generated: statistics.generated, length };
            cells.push(length.is_some().then_some(cell));
        }
        Ok(cells)
    }

    /// What must be true of the row and is not.
    fn broken(&self, cells: &[Option<Cell>]) -> Vec<String> {
        let length = |column: Column| {
            let index = COLUMNS.iter().position(|other| *other == column).unwrap_or(0);
            cells[index].as_ref().and_then(|cell| cell.length)
        };
        let mut broken = Vec::new();
        let mut hold = |is_true: bool, what: String| {
            if !is_true {
                broken.push(format!("{}: {what}", self.title));
            }
        };
        let nearest = match self.model {
            Model::Public(_, nearest) => Some(nearest),
            Model::Ours(_) => length(Column::Bfs),
        };
        for column in [Column::Bfs, Column::Pattern] {
            let found = length(column);
            hold(found.is_none() || found == nearest, format!("{} finds a nearest error", column.name()));
        }
        hold(length(Column::Directed).is_some(), "the portfolio finds an error".to_string());
        broken
    }
}

impl Model {
    fn name(&self) -> String {
        match self {
            Model::Public(name, _) => format!("`{name}`"),
            Model::Ours(name) => format!("`models/{name}`"),
        }
    }
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Column::Bfs => "bfs",
            Column::Dfs => "dfs",
            Column::Astar => "astar",
            Column::Pattern => "astar, pattern",
            Column::BestFirst => "best-first",
            Column::Directed => "directed",
        }
    }

    fn search(self) -> (Strategy, Option<Heuristic>) {
        match self {
            Column::Bfs => (Strategy::SHORTEST, None),
            Column::Dfs => (Strategy::DFS, None),
            Column::Astar => (Strategy::Astar, None),
            Column::Pattern => (Strategy::Astar, Some(Heuristic::Pattern)),
            Column::BestFirst => (Strategy::BestFirst, None),
            Column::Directed => (Strategy::Directed, None),
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let length = self.length.map_or("–".to_string(), |length| length.to_string());
        write!(f, "{}/{}/{length}", self.expanded, self.generated)
    }
}
