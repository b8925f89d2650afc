//! The third part: how long the front end and the compiler take before the search begins.
//!
//! Every model that SPIN accepts is read once; those that took longest are measured as often as asked for.

use super::Sitting;
use super::corpus::Known;

/// How many of the slowest are kept.
const KEPT: usize = 8;
/// The search itself is cut short.
const SEARCH_TIME: &str = "10ms";

pub struct Row {
    pub path: String,
    /// The rules of the model's machines, a better measure of size than its text, which may include and expand others.
    pub rules: Option<u64>,
    pub front_end: f64,
    pub compile: f64,
}

impl Row {
    pub fn seconds(&self) -> f64 {
        self.front_end + self.compile
    }
}

pub struct Front {
    /// How many models were read.
    pub models: usize,
    /// The slowest first.
    pub slowest: Vec<Row>,
    pub problems: Vec<String>,
}

pub fn measure_all(sitting: &Sitting, models: &[&Known]) -> Front {
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    for model in models {
        match run_once(sitting, &model.path) {
            Ok(row) => rows.push(row),
            Err(problem) => problems.push(format!("{} [front] {problem}", model.path)),
        }
    }
    let models = rows.len();
    slowest_first(&mut rows);
    rows.truncate(KEPT);
    for _ in 1..sitting.options.runs {
        for row in &mut rows {
            if let Ok(again) = run_once(sitting, &row.path)
                && again.seconds() < row.seconds()
            {
                *row = again;
            }
        }
    }
    slowest_first(&mut rows);
    for row in &mut rows {
        row.rules = sitting.panoptes.rules(&sitting.spin.model(&row.path));
    }
    Front { models, slowest: rows, problems }
}

fn slowest_first(rows: &mut [Row]) {
    rows.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()));
}

fn run_once(sitting: &Sitting, path: &str) -> Result<Row, String> {
    let run = sitting.panoptes.check(&sitting.spin.model(path), &["--engine", "jit", "--time", SEARCH_TIME]);
    let (answer, _) = run.map_err(|failure| failure.words())?;
    Ok(Row {
        path: path.to_string(),
        rules: None,
        front_end: answer.front_end_seconds,
        compile: answer.compile_seconds,
    })
}
