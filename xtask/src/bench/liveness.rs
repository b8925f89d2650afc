//! The seventh part: temporal properties that hold, on large models without any reduction. SPIN's rival is its nested depth-first
//! search; beside it stands our own depth-first search for errors that states show, for what a state costs in memory.
//!
//! A product is searched to its end by both, so the times compare; but SPIN counts states of both its searches, so counts do not.

use super::Sitting;
use super::corpus::Known;
use super::process::Cost;
use super::spin::{Property, Verifier};
use super::throughput::table_bits;

/// Models with fewer states are too small to measure.
const STATES_MIN: u64 = 30_000;

pub struct Row {
    pub path: String,
    pub property: String,
    pub pan: Measure,
    pub scc: Measure,
    /// Our search for errors of states, depth first.
    pub safety: Measure,
}

/// The best of several runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    pub cost: Cost,
    pub states: u64,
    pub transitions: u64,
}

pub struct Liveness {
    pub rows: Vec<Row>,
    pub problems: Vec<String>,
}

impl Measure {
    /// Of all that the program takes at most.
    pub fn bytes_per_state(&self) -> f64 {
        self.cost.peak_bytes as f64 / self.states as f64
    }

    fn best(self, before: Option<Measure>) -> Measure {
        let cost = before.map_or(self.cost, |before| before.cost.best(self.cost));
        Measure { cost, ..self }
    }
}

impl Row {
    /// How many times as fast as SPIN.
    pub fn ratio(&self) -> f64 {
        self.pan.cost.cpu_seconds / self.scc.cost.cpu_seconds
    }

    /// What a state of the product takes, in relation to one of the system.
    pub fn memory(&self) -> f64 {
        self.scc.bytes_per_state() / self.safety.bytes_per_state()
    }
}

impl Liveness {
    pub fn ratios(&self) -> Vec<f64> {
        self.rows.iter().map(Row::ratio).collect()
    }

    pub fn memories(&self) -> Vec<f64> {
        self.rows.iter().map(Row::memory).collect()
    }
}

/// The properties that hold on models that are large enough, one of each model.
pub fn comparable(known: &[Known], states_max: u64) -> Vec<(&Known, &str)> {
    let range = STATES_MIN..=states_max;
    let is_comparable = |model: &&Known| model.exact_states.is_some_and(|states| range.contains(&states));
    let large = known.iter().filter(is_comparable);
    large.filter_map(|model| model.holding.last().map(|property| (model, property.as_str()))).collect()
}

pub fn measure_all(sitting: &Sitting, models: &[(&Known, &str)]) -> Liveness {
    let mut found = Liveness { rows: Vec::new(), problems: Vec::new() };
    for (model, property) in models {
        match measure(sitting, model, property) {
            Ok(row) => {
                eprintln!(
                    "{} {}: pan {:.2}s, scc {:.2}s ({:.2}x); {} and {} states; memory a state {:.2}",
                    row.path,
                    row.property,
                    row.pan.cost.cpu_seconds,
                    row.scc.cost.cpu_seconds,
                    row.ratio(),
                    row.pan.states,
                    row.scc.states,
                    row.memory()
                );
                found.rows.push(row);
            }
            Err(problem) => found.problems.push(format!("{} [liveness] {problem}", model.path)),
        }
    }
    found
}

fn measure(sitting: &Sitting, model: &Known, property: &str) -> Result<Row, String> {
    let asked = Property::named(property);
    let mut verifier = sitting.spin.liveness_verifier(&model.path, model.vector, model.depth, &asked)?;
    let (mut pan, mut scc, mut safety) = (None, None, None);
    // The programs take turns, so that noise hits all.
    for _ in 0..sitting.options.runs {
        pan = Some(run_pan(&mut verifier, model, &asked)?.best(pan));
        scc = Some(run_panoptes(sitting, model, property, &["--search", "scc"])?.best(scc));
        safety =
            Some(run_panoptes(sitting, model, "safety", &["--search", "dfs", "--all-errors"])?.best(safety));
    }
    let at_least_one = "there is at least one run";
    Ok(Row {
        path: model.path.clone(),
        property: property.to_string(),
        pan: pan.expect(at_least_one),
        scc: scc.expect(at_least_one),
        safety: safety.expect(at_least_one),
    })
}

fn run_pan(verifier: &mut Verifier, model: &Known, property: &Property) -> Result<Measure, String> {
    // The product is larger than the system.
    let bits = table_bits(2 * model.exact_states.unwrap_or(STATES_MIN));
    let mut flags = property.run_flags();
    flags.push(format!("-w{bits}"));
    let (output, cost) = verifier.run(&flags)?;
    if output.errors > 0 || output.partial {
        return Err("SPIN did not search everything".to_string());
    }
    Ok(Measure { cost, states: output.stored, transitions: output.transitions })
}

fn run_panoptes(sitting: &Sitting, model: &Known, property: &str, flags: &[&str]) -> Result<Measure, String> {
    let flags = [&["--exact", "--engine", "jit", "--store", "exact"], flags].concat();
    let run = sitting.panoptes.check_property(&sitting.spin.model(&model.path), property, &flags);
    let (answer, cost) = run.map_err(|failure| failure.words())?;
    if answer.violated && property != "safety" {
        return Err(format!("SPIN says that {property} holds, Panoptes that it does not"));
    }
    if !answer.complete {
        return Err("Panoptes did not search everything".to_string());
    }
    Ok(Measure { cost, states: answer.stored, transitions: answer.transitions })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(path: &str, states: u64, holding: &[&str]) -> Known {
        Known {
            path: path.to_string(),
            exact_states: Some(states),
            depth: None,
            vector: 0,
            has_errors: false,
            reduced_states: None,
            holding: holding.iter().map(|name| name.to_string()).collect(),
        }
    }

    #[test]
    fn one_property_of_each_large_model_is_measured() {
        let models =
            [known("a", 50_000, &["p", "q"]), known("b", 50_000, &[]), known("c", 10, &["progress"])];
        let chosen = comparable(&models, 1_000_000);
        assert_eq!(chosen.len(), 1);
        assert_eq!((chosen[0].0.path.as_str(), chosen[0].1), ("a", "q"));
    }

    #[test]
    fn time_is_compared_whole_and_memory_by_state() {
        let measure = |cpu_seconds, peak_bytes, states| Measure {
            cost: Cost { cpu_seconds, wall_seconds: 0.0, peak_bytes },
            states,
            transitions: 0,
        };
        let row = Row {
            path: String::new(),
            property: String::new(),
            pan: measure(3.0, 1, 1),
            scc: measure(2.0, 300, 10),
            safety: measure(1.0, 100, 5),
        };
        assert_eq!((row.ratio(), row.memory()), (1.5, 1.5));
    }
}
