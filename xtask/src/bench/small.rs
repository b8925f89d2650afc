//! The second part: from the text of a small model to the verdict, as a person waits for it.

use super::Sitting;
use super::corpus::Known;

/// A model is small below this number of states.
pub const STATES_MAX: u64 = 10_000;
const SAMPLE: usize = 12;

pub struct Row {
    pub path: String,
    pub states: u64,
    /// Wall seconds, the best of all runs: `spin`, `cc` and `pan` together, and each.
    pub spin: f64,
    pub spin_steps: [f64; 3],
    pub panoptes: f64,
    /// What is wrong, if anything.
    pub problem: Option<String>,
}

impl Row {
    pub fn ratio(&self) -> Option<f64> {
        self.problem.is_none().then(|| self.spin / self.panoptes)
    }
}

/// Some small models, spread over the list; the same ones every time.
pub fn sample(known: &[Known]) -> Vec<&Known> {
    let small: Vec<&Known> =
        known.iter().filter(|model| model.exact_states.is_some_and(|states| states < STATES_MAX)).collect();
    let count = SAMPLE.min(small.len());
    (0..count).map(|i| small[i * small.len() / count]).collect()
}

pub fn measure_all(sitting: &Sitting, models: &[&Known]) -> Vec<Row> {
    models.iter().map(|model| measure(sitting, model)).collect()
}

fn measure(sitting: &Sitting, model: &Known) -> Row {
    let mut row = Row {
        path: model.path.clone(),
        states: model.exact_states.unwrap_or(0),
        spin: f64::INFINITY,
        spin_steps: [0.0; 3],
        panoptes: f64::INFINITY,
        problem: None,
    };
    for _ in 0..sitting.options.runs {
        if let Err(problem) = run_once(sitting, model, &mut row) {
            row.problem = Some(problem);
            break;
        }
    }
    row
}

fn run_once(sitting: &Sitting, model: &Known, row: &mut Row) -> Result<(), String> {
    let (output, steps) = sitting.spin.text_to_verdict(&model.path, model.vector, model.depth)?;
    let run = sitting.panoptes.check(&sitting.spin.model(&model.path), &[]);
    let (answer, cost) = run.map_err(|failure| failure.words())?;
    if output.partial && output.errors == 0 {
        return Err("SPIN did not finish".to_string());
    }
    let verdict = |violated| if violated { "an error" } else { "none" };
    if answer.violated != (output.errors > 0) {
        let (spin, panoptes) = (verdict(output.errors > 0), verdict(answer.violated));
        return Err(format!("SPIN found {spin}, Panoptes {panoptes}"));
    }
    let spin = steps.iter().sum();
    if spin < row.spin {
        (row.spin, row.spin_steps) = (spin, steps);
    }
    row.panoptes = row.panoptes.min(cost.wall_seconds);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_spread_over_the_small_models() {
        let model = |i: u64, states| Known {
            path: i.to_string(),
            exact_states: states,
            depth: None,
            vector: 0,
            has_errors: false,
            reduced_states: None,
            holding: Vec::new(),
        };
        let mut known: Vec<Known> = (0..24).map(|i| model(i, Some(i))).collect();
        known.push(model(24, Some(STATES_MAX)));
        known.push(model(25, None));
        let chosen: Vec<u64> = sample(&known).iter().map(|model| model.path.parse().unwrap()).collect();
        assert_eq!(chosen, (0..12).map(|i| 2 * i).collect::<Vec<u64>>());
        assert_eq!(sample(&known[..3]).len(), 3);
        assert!(sample(&[]).is_empty());
    }
}
