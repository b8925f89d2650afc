//! The fifth part: bit-state searches of large models, with the same array and as many bits a state as SPIN.
//!
//! In a large array nearly nothing is omitted, and time is compared. In one of sixteen to thirty-two bits a state some states
//! are omitted; how many are stored is compared, and the share that Panoptes believes to have stored with the true one.

use super::Sitting;
use super::corpus::Heavy;
use super::panoptes::Answer;
use super::process::Cost;
use super::spin::Verifier;

/// The large array has two to the power of this many bits: 128 MiB.
const LARGE: u32 = 30;
/// The small one has this many bits for each state, or up to twice as many.
const SMALL_BITS_A_STATE: u64 = 16;

pub struct Row {
    pub path: String,
    pub states: u64,
    /// CPU seconds with the large array.
    pub pan: f64,
    pub dfs: f64,
    pub bfs: f64,
    /// Stored with the large array, by SPIN and depth first by Panoptes.
    pub large: [u64; 2],
    /// Stored with the small one.
    pub small: [u64; 2],
    /// The share that Panoptes says it stored in the small one.
    pub estimate: f64,
}

pub struct Bitstate {
    pub rows: Vec<Row>,
    pub problems: Vec<String>,
}

impl Row {
    pub fn dfs_ratio(&self) -> f64 {
        self.pan / self.dfs
    }

    pub fn bfs_ratio(&self) -> f64 {
        self.pan / self.bfs
    }

    /// By how much the estimate of the coverage is wrong.
    pub fn estimate_error(&self) -> f64 {
        self.estimate - self.small[1] as f64 / self.states as f64
    }
}

pub fn measure_all(sitting: &Sitting, models: &[Heavy]) -> Bitstate {
    let mut found = Bitstate { rows: Vec::new(), problems: Vec::new() };
    for model in models {
        match measure(sitting, model) {
            Ok(row) => {
                eprintln!(
                    "{}: pan {:.2}s, dfs {:.2}s ({:.2}x), bfs {:.2}s ({:.2}x), estimate off by {:.2}%",
                    row.path,
                    row.pan,
                    row.dfs,
                    row.dfs_ratio(),
                    row.bfs,
                    row.bfs_ratio(),
                    100.0 * row.estimate_error()
                );
                found.rows.push(row);
            }
            Err(problem) => found.problems.push(format!("{} [bitstate] {problem}", model.path)),
        }
    }
    found
}

fn measure(sitting: &Sitting, model: &Heavy) -> Result<Row, String> {
    let mut verifier = sitting.spin.verifier(&model.path, model.vector, model.depth, &["-DBITSTATE"])?;
    let pan = |bits: u32, verifier: &mut Verifier| {
        verifier.run(&["-c0".to_string(), "-k3".to_string(), format!("-w{bits}")])
    };
    let panoptes = |bits: u32, search: &str| -> Result<(Answer, f64), String> {
        let size = (1u64 << bits).to_string();
        let flags = ["--exact", "--all-errors", "--engine", "jit", "--store", "bitstate", "--bits", &size];
        let run = sitting
            .panoptes
            .check(&sitting.spin.model(&model.path), &[&flags, &["--search", search][..]].concat());
        let (answer, cost) = run.map_err(|failure| failure.words())?;
        let seconds =
            answer.search_cpu_seconds.map_or(cost.cpu_seconds, |cpu| cpu + answer.front_end_seconds);
        Ok((answer, seconds))
    };
    let mut best = [f64::INFINITY; 3];
    let mut large = [0; 2];
    for _ in 0..sitting.options.runs {
        let (output, cost): (_, Cost) = pan(LARGE, &mut verifier)?;
        let (depth_first, dfs) = panoptes(LARGE, "dfs")?;
        let (_, bfs) = panoptes(LARGE, "bfs")?;
        large = [output.stored, depth_first.stored];
        best = [best[0].min(cost.cpu_seconds), best[1].min(dfs), best[2].min(bfs)];
    }
    let bits = small_bits(model.states);
    let (output, _) = pan(bits, &mut verifier)?;
    let (answer, _) = panoptes(bits, "dfs")?;
    if answer.stored > model.states {
        return Err(format!("{} states stored of {}", answer.stored, model.states));
    }
    let [pan, dfs, bfs] = best;
    Ok(Row {
        path: model.path.clone(),
        states: model.states,
        pan,
        dfs,
        bfs,
        large,
        small: [output.stored, answer.stored],
        estimate: answer.coverage,
    })
}

fn small_bits(states: u64) -> u32 {
    (states * SMALL_BITS_A_STATE).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_array_has_sixteen_bits_a_state_or_some_more() {
        assert_eq!(small_bits(1 << 20), 24);
        assert_eq!(small_bits((1 << 20) + 1), 25);
    }

    #[test]
    fn ratios_and_errors() {
        let row = Row {
            path: String::new(),
            states: 1000,
            pan: 3.0,
            dfs: 2.0,
            bfs: 1.0,
            large: [1000, 1000],
            small: [980, 990],
            estimate: 0.985,
        };
        assert_eq!((row.dfs_ratio(), row.bfs_ratio()), (1.5, 3.0));
        assert!((row.estimate_error() + 0.005).abs() < 1e-9);
    }
}
