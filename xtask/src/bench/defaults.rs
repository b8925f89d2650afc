//! The sixth part: what people run by default. Panoptes and SPIN search large models with the reductions that each has by
//! default, and Panoptes once more without partial order reduction, to see what the reduction costs where it saves nothing.

use super::Sitting;
use super::corpus::Known;
use super::panoptes::Answer;
use super::process::Cost;
use super::spin::Verifier;
use super::throughput::table_bits;

/// Models on which SPIN by default stores fewer states are too small to measure.
const STATES_MIN: u64 = 100_000;
/// If fewer of the states are saved, the reduction should cost next to nothing.
const SAVED_MIN: f64 = 0.05;

pub struct Row {
    pub path: String,
    pub pan: Measure,
    /// The same with the hash table that `pan` has where nobody says how many states there are.
    pub pan_unsized: Measure,
    pub default: Measure,
    /// Without partial order reduction, in the same store.
    pub plain: Measure,
    /// Without it, in the store that is chosen then.
    pub no_por: Measure,
}

/// The best of several runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    pub cpu_seconds: f64,
    pub states: u64,
    pub bytes_per_state: f64,
    /// The largest resident set.
    pub peak_bytes: u64,
}

pub struct Defaults {
    pub rows: Vec<Row>,
    pub problems: Vec<String>,
}

impl Measure {
    pub fn seconds_per_state(&self) -> f64 {
        self.cpu_seconds / self.states as f64
    }

    fn best(self, before: Option<Measure>) -> Measure {
        let Some(before) = before else { return self };
        let cpu_seconds = before.cpu_seconds.min(self.cpu_seconds);
        Measure { cpu_seconds, peak_bytes: before.peak_bytes.max(self.peak_bytes), ..self }
    }
}

impl Row {
    /// How many times as fast as SPIN the whole check is.
    pub fn ratio(&self) -> f64 {
        self.pan.cpu_seconds / self.default.cpu_seconds
    }

    /// The same beside a SPIN whose hash table nobody has chosen.
    pub fn ratio_unsized(&self) -> f64 {
        self.pan_unsized.cpu_seconds / self.default.cpu_seconds
    }

    /// The peak of memory in relation to that of SPIN.
    pub fn memory(&self) -> f64 {
        self.default.peak_bytes as f64 / self.pan.peak_bytes as f64
    }

    /// What a state costs with partial order reduction, in relation to one without in the same store.
    pub fn cost(&self) -> f64 {
        self.default.seconds_per_state() / self.plain.seconds_per_state()
    }

    /// The share of the states that partial order reduction saves.
    pub fn saved(&self) -> f64 {
        1.0 - self.default.states as f64 / self.plain.states as f64
    }
}

impl Defaults {
    pub fn ratios(&self) -> Vec<f64> {
        self.rows.iter().map(Row::ratio).collect()
    }

    pub fn ratios_unsized(&self) -> Vec<f64> {
        self.rows.iter().map(Row::ratio_unsized).collect()
    }

    pub fn memories(&self) -> Vec<f64> {
        self.rows.iter().map(Row::memory).collect()
    }

    /// What the reduction costs a state on models where it saves next to nothing.
    pub fn idle_costs(&self) -> Vec<f64> {
        self.rows.iter().filter(|row| row.saved() < SAVED_MIN).map(Row::cost).collect()
    }
}

/// The models on which both search everything, and long enough.
pub fn comparable(known: &[Known], states_max: u64) -> Vec<&Known> {
    let is_comparable = |model: &&Known| {
        let range = STATES_MIN..=states_max;
        !model.has_errors && model.reduced_states.is_some_and(|states| range.contains(&states))
    };
    known.iter().filter(is_comparable).collect()
}

pub fn measure_all(sitting: &Sitting, models: &[&Known]) -> Defaults {
    let mut found = Defaults { rows: Vec::new(), problems: Vec::new() };
    for model in models {
        match measure(sitting, model) {
            Ok(row) => {
                eprintln!(
                    "{}: pan {:.2}s, default {:.2}s ({:.2}x), without reduction {:.2}s ({:.2}s in its own store); {:.2} a state, {:.1}% saved",
                    row.path,
                    row.pan.cpu_seconds,
                    row.default.cpu_seconds,
                    row.ratio(),
                    row.plain.cpu_seconds,
                    row.no_por.cpu_seconds,
                    row.cost(),
                    100.0 * row.saved()
                );
                found.rows.push(row);
            }
            Err(problem) => found.problems.push(format!("{} [default] {problem}", model.path)),
        }
    }
    found
}

fn measure(sitting: &Sitting, model: &Known) -> Result<Row, String> {
    let mut verifier = sitting.spin.default_verifier(&model.path, model.vector, model.depth)?;
    let (mut pan, mut pan_unsized, mut default, mut plain, mut no_por) = (None, None, None, None, None);
    let mut store = "auto".to_string();
    // The programs take turns, so that noise hits all. What runs behind a program that gave much memory back may pay for having it
    // again, so the order is turned round.
    for round in 0..sitting.options.runs {
        let sized = format!("-w{}", table_bits(model.reduced_states.unwrap_or(STATES_MIN)));
        pan = Some(run_pan(&mut verifier, &[sized])?.best(pan));
        pan_unsized = Some(run_pan(&mut verifier, &[])?.best(pan_unsized));
        if round % 2 == 1 {
            no_por = Some(run_panoptes(sitting, model, &["--no-por"])?.0.best(no_por));
            plain = Some(run_panoptes(sitting, model, &["--no-por", "--store", &store])?.0.best(plain));
        }
        let (measure, its_store) = run_panoptes(sitting, model, &[])?;
        default = Some(measure.best(default));
        store = its_store;
        if round % 2 == 0 {
            plain = Some(run_panoptes(sitting, model, &["--no-por", "--store", &store])?.0.best(plain));
            no_por = Some(run_panoptes(sitting, model, &["--no-por"])?.0.best(no_por));
        }
    }
    let at_least_one = "there is at least one run";
    Ok(Row {
        path: model.path.clone(),
        pan: pan.expect(at_least_one),
        pan_unsized: pan_unsized.expect(at_least_one),
        default: default.expect(at_least_one),
        plain: plain.expect(at_least_one),
        no_por: no_por.expect(at_least_one),
    })
}

fn run_pan(verifier: &mut Verifier, flags: &[String]) -> Result<Measure, String> {
    let (output, cost) = verifier.run(flags)?;
    if output.errors > 0 || output.partial {
        return Err("SPIN did not search everything".to_string());
    }
    let bytes_per_state = output.bytes_per_state();
    let Cost { cpu_seconds, peak_bytes, .. } = cost;
    Ok(Measure { cpu_seconds, states: output.stored, bytes_per_state, peak_bytes })
}

/// What a check costs, and which store it had.
fn run_panoptes(sitting: &Sitting, model: &Known, flags: &[&str]) -> Result<(Measure, String), String> {
    let run = sitting.panoptes.check(&sitting.spin.model(&model.path), flags);
    let (answer, cost) = run.map_err(|failure| failure.words())?;
    if answer.violated {
        return Err("SPIN found no error, Panoptes one".to_string());
    }
    if !answer.complete {
        return Err("Panoptes did not search everything".to_string());
    }
    let cpu_seconds =
        answer.search_cpu_seconds.map_or(cost.cpu_seconds, |cpu| cpu + answer.front_end_seconds);
    let Answer { stored, bytes_per_state, store, .. } = answer;
    let peak_bytes = cost.peak_bytes;
    Ok((Measure { cpu_seconds, states: stored, bytes_per_state, peak_bytes }, store))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pan: (f64, u64), default: (f64, u64), plain: (f64, u64)) -> Row {
        let measure = |(cpu_seconds, states)| Measure {
            cpu_seconds,
            states,
            bytes_per_state: 1.0,
            peak_bytes: states * 10,
        };
        let (pan, default, plain) = (measure(pan), measure(default), measure(plain));
        Row { path: String::new(), pan, pan_unsized: pan, default, plain, no_por: plain }
    }

    #[test]
    fn speed_is_of_the_whole_and_cost_of_a_state() {
        let row = row((6.0, 1000), (2.0, 500), (3.0, 1000));
        assert_eq!((row.ratio(), row.saved()), (3.0, 0.5));
        assert!((row.cost() - 4.0 / 3.0).abs() < 1e-9);
        assert_eq!(row.memory(), 0.5);
    }

    #[test]
    fn only_where_little_is_saved_the_cost_counts() {
        let rows = vec![row((1.0, 10), (1.0, 50), (1.0, 100)), row((1.0, 10), (1.1, 100), (1.0, 100))];
        let costs = Defaults { rows, problems: Vec::new() }.idle_costs();
        assert_eq!(costs.len(), 1);
        assert!((costs[0] - 1.1).abs() < 1e-9);
    }

    #[test]
    fn the_best_of_two_runs_is_the_shorter() {
        let measure = |cpu_seconds| Measure { cpu_seconds, states: 1, bytes_per_state: 1.0, peak_bytes: 1 };
        assert_eq!(measure(2.0).best(Some(measure(1.0))).cpu_seconds, 1.0);
        assert_eq!(measure(2.0).best(None).cpu_seconds, 2.0);
    }
}
