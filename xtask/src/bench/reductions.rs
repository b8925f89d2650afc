//! The fourth part: how many states are stored with the default reductions of each.

use super::Sitting;
use super::corpus::Known;

/// Limits of one run. A search that reaches them counts as one that stores more.
const LIMITS: [&str; 4] = ["--time", "60s", "--memory", "4GiB"];

pub struct Row {
    pub path: String,
    /// Stored by SPIN's default search.
    pub spin: u64,
    pub panoptes: u64,
    /// False: a limit was reached, so `panoptes` is a lower bound.
    pub complete: bool,
}

pub struct Reductions {
    pub rows: Vec<Row>,
    pub problems: Vec<String>,
}

impl Row {
    /// States stored in relation to SPIN's: more than one is worse.
    pub fn ratio(&self) -> f64 {
        let ratio = self.panoptes as f64 / self.spin as f64;
        if self.complete { ratio } else { ratio.max(1.0 + f64::EPSILON) }
    }
}

impl Reductions {
    pub fn ratios(&self) -> Vec<f64> {
        self.rows.iter().map(Row::ratio).collect()
    }

    /// The rows with the worst ratios, the worst first.
    pub fn worst(&self, count: usize) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
        rows.truncate(count);
        rows
    }
}

/// The models on which both search everything: an error would end one search earlier than the other.
pub fn comparable(known: &[Known], states_max: u64) -> Vec<&Known> {
    let is_comparable = |model: &&Known| {
        !model.has_errors && model.reduced_states.is_some_and(|states| states > 0 && states <= states_max)
    };
    known.iter().filter(is_comparable).collect()
}

pub fn measure_all(sitting: &Sitting, models: &[&Known]) -> Reductions {
    let mut found = Reductions { rows: Vec::new(), problems: Vec::new() };
    for model in models {
        match run_once(sitting, model) {
            Ok(row) => found.rows.push(row),
            Err(problem) => found.problems.push(format!("{} [reductions] {problem}", model.path)),
        }
    }
    found
}

fn run_once(sitting: &Sitting, model: &Known) -> Result<Row, String> {
    let mut flags = vec!["--all-errors"];
    flags.extend(LIMITS);
    let run = sitting.panoptes.check(&sitting.spin.model(&model.path), &flags);
    let (answer, _) = run.map_err(|failure| failure.words())?;
    if answer.violated {
        return Err("SPIN found no error, Panoptes one".to_string());
    }
    Ok(Row {
        path: model.path.clone(),
        spin: model.reduced_states.unwrap_or(0),
        panoptes: answer.stored,
        complete: answer.complete,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(spin: u64, panoptes: u64, complete: bool) -> Row {
        Row { path: format!("{spin}-{panoptes}"), spin, panoptes, complete }
    }

    #[test]
    fn an_unfinished_search_never_stores_fewer() {
        assert_eq!(row(10, 5, true).ratio(), 0.5);
        assert!(row(10, 5, false).ratio() > 1.0);
        assert_eq!(row(10, 30, false).ratio(), 3.0);
    }

    #[test]
    fn the_worst_come_first() {
        let rows = vec![row(10, 10, true), row(10, 30, true), row(10, 20, true)];
        let reductions = Reductions { rows, problems: Vec::new() };
        let worst: Vec<u64> = reductions.worst(2).iter().map(|row| row.panoptes).collect();
        assert_eq!(worst, [30, 20]);
    }
}
