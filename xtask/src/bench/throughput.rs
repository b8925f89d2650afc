//! The first part: full searches of large models, SPIN and Panoptes in turn.

use super::Sitting;
use super::corpus::Heavy;
use super::panoptes::Failure;
use super::process::Cost;
use super::spin::Verifier;

/// A program with its options. SPIN and Panoptes alternate, so that noise hits both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contender {
    Pan,
    Dfs,
    PanCollapse,
    Bfs,
    Compressed,
}

impl Contender {
    pub const ALL: [Contender; 5] =
        [Contender::Pan, Contender::Dfs, Contender::PanCollapse, Contender::Bfs, Contender::Compressed];
    /// Those that are compared with a rival.
    pub const OURS: [Contender; 3] = [Contender::Dfs, Contender::Bfs, Contender::Compressed];

    pub fn name(self) -> &'static str {
        match self {
            Contender::Pan => "pan",
            Contender::Dfs => "dfs",
            Contender::PanCollapse => "pan COLLAPSE",
            Contender::Bfs => "bfs",
            Contender::Compressed => "compressed",
        }
    }

    pub fn rival(self) -> Option<Contender> {
        match self {
            Contender::Dfs | Contender::Bfs => Some(Contender::Pan),
            Contender::Compressed => Some(Contender::PanCollapse),
            Contender::Pan | Contender::PanCollapse => None,
        }
    }
}

/// All that was measured on one model.
pub struct Row {
    pub path: String,
    pub states: u64,
    pub transitions: u64,
    /// In the order of [`Contender::ALL`].
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    Measured(Measure),
    /// Panoptes does not have this option.
    Refused(String),
    /// Wrong counts, or no answer.
    Wrong(String),
}

/// The best of several runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    pub cost: Cost,
    pub bytes_per_state: f64,
}

impl Row {
    pub fn entry(&self, contender: Contender) -> &Entry {
        let index = Contender::ALL.iter().position(|other| *other == contender);
        &self.entries[index.expect("every contender is listed")]
    }

    pub fn measure(&self, contender: Contender) -> Option<&Measure> {
        match self.entry(contender) {
            Entry::Measured(measure) => Some(measure),
            _ => None,
        }
    }

    /// How many times as fast as its rival, by the given time.
    pub fn ratio(&self, contender: Contender, seconds: fn(&Cost) -> f64) -> Option<f64> {
        let rival = self.measure(contender.rival()?)?;
        Some(seconds(&rival.cost) / seconds(&self.measure(contender)?.cost))
    }

    pub fn problems(&self) -> impl Iterator<Item = String> {
        Contender::ALL.iter().zip(&self.entries).filter_map(|(contender, entry)| match entry {
            Entry::Wrong(problem) => Some(format!("{} [{}] {problem}", self.path, contender.name())),
            _ => None,
        })
    }
}

pub fn cpu(cost: &Cost) -> f64 {
    cost.cpu_seconds
}

pub fn wall(cost: &Cost) -> f64 {
    cost.wall_seconds
}

/// The ratios of a contender to its rival, of all models where both were measured.
pub fn ratios(rows: &[Row], contender: Contender, seconds: fn(&Cost) -> f64) -> Vec<f64> {
    rows.iter().filter_map(|row| row.ratio(contender, seconds)).collect()
}

pub fn measure_all(sitting: &Sitting, models: &[Heavy]) -> Vec<Row> {
    let rows = models.iter().map(|model| {
        let row = measure(sitting, model);
        eprintln!("{}", progress(&row));
        row
    });
    rows.collect()
}

fn measure(sitting: &Sitting, model: &Heavy) -> Row {
    let verifier = |more| sitting.spin.verifier(&model.path, model.vector, model.depth, more);
    let mut verifiers = [verifier(&[]), verifier(&["-DCOLLAPSE"])];
    let mut entries: Vec<Option<Entry>> = vec![None; Contender::ALL.len()];
    for _ in 0..sitting.options.runs {
        for (contender, entry) in Contender::ALL.into_iter().zip(&mut entries) {
            let before = match entry.take() {
                Some(Entry::Measured(measure)) => Some(measure),
                // What went wrong once is not tried again.
                Some(other) => {
                    *entry = Some(other);
                    continue;
                }
                None => None,
            };
            *entry = Some(match run_once(sitting, model, contender, &mut verifiers) {
                Entry::Measured(mut now) => {
                    now.cost = before.map_or(now.cost, |before| before.cost.best(now.cost));
                    Entry::Measured(now)
                }
                other => other,
            });
        }
    }
    Row {
        path: model.path.clone(),
        states: model.states,
        transitions: model.transitions,
        entries: entries.into_iter().map(|entry| entry.expect("there is at least one run")).collect(),
    }
}

fn run_once(
    sitting: &Sitting,
    model: &Heavy,
    contender: Contender,
    verifiers: &mut [Result<Verifier, String>; 2],
) -> Entry {
    let panoptes = |search: &str, store: &str| {
        let flags = ["--exact", "--all-errors", "--engine", "jit", "--search", search, "--store", store];
        let run = sitting.panoptes.check(&sitting.spin.model(&model.path), &flags);
        run.map(|(answer, mut cost)| {
            // SPIN counts errors and goes on; the time in which we replay and save ours is not the search's.
            if let Some(search) = answer.search_cpu_seconds {
                cost.cpu_seconds = search + answer.front_end_seconds;
            }
            (answer.stored, answer.transitions, answer.bytes_per_state, cost)
        })
    };
    let run = match contender {
        Contender::Pan => run_verifier(&mut verifiers[0], model.states),
        Contender::PanCollapse => run_verifier(&mut verifiers[1], model.states),
        Contender::Dfs => panoptes("dfs", "exact"),
        Contender::Bfs => panoptes("bfs", "exact"),
        Contender::Compressed => panoptes(&sitting.options.compressed_search, "compressed"),
    };
    match run {
        Ok((states, transitions, bytes_per_state, cost)) => {
            match wrong_counts((model.states, model.transitions), (states, transitions)) {
                Some(problem) => Entry::Wrong(problem),
                None => Entry::Measured(Measure { cost, bytes_per_state }),
            }
        }
        // A version without the store says so before it looks at the model.
        Err(Failure::Refused(words)) if contender == Contender::Compressed && words.contains("store") => {
            Entry::Refused(words)
        }
        Err(failure) => Entry::Wrong(failure.words()),
    }
}

type Run = (u64, u64, f64, Cost);

fn run_verifier(verifier: &mut Result<Verifier, String>, states: u64) -> Result<Run, Failure> {
    let verifier = verifier.as_mut().map_err(|problem| Failure::Broken(problem.clone()))?;
    let flags = ["-c0".to_string(), format!("-w{}", table_bits(states))];
    let (output, cost) = verifier.run(&flags).map_err(Failure::Broken)?;
    Ok((output.stored, output.transitions, output.bytes_per_state(), cost))
}

/// The size of hash table that suits SPIN best: one slot or a little more for each state.
pub fn table_bits(states: u64) -> u32 {
    states.next_power_of_two().trailing_zeros()
}

fn wrong_counts(expected: (u64, u64), found: (u64, u64)) -> Option<String> {
    let different = |what, expected, found| format!("{what}: expected {expected}, got {found}");
    if expected.0 != found.0 {
        Some(different("states", expected.0, found.0))
    } else if expected.1 != found.1 {
        Some(different("transitions", expected.1, found.1))
    } else {
        None
    }
}

/// One line about a finished model, for whoever watches.
fn progress(row: &Row) -> String {
    let entries = Contender::ALL.into_iter().map(|contender| match row.entry(contender) {
        Entry::Measured(measure) => {
            let ratio = row.ratio(contender, cpu).map_or(String::new(), |ratio| format!(" ({ratio:.2}x)"));
            format!("{} {:.2}s{ratio}", contender.name(), measure.cost.cpu_seconds)
        }
        Entry::Refused(_) => format!("{} refused", contender.name()),
        Entry::Wrong(problem) => format!("{} WRONG: {problem}", contender.name()),
    });
    format!("{}: {}", row.path, entries.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_slot_for_each_state() {
        assert_eq!(table_bits(531_440), 20);
        assert_eq!(table_bits(1 << 20), 20);
        assert_eq!(table_bits((1 << 20) + 1), 21);
    }

    #[test]
    fn other_counts_are_wrong() {
        assert_eq!(wrong_counts((4, 5), (4, 5)), None);
        assert_eq!(wrong_counts((4, 5), (3, 5)).unwrap(), "states: expected 4, got 3");
        assert_eq!(wrong_counts((4, 5), (4, 6)).unwrap(), "transitions: expected 5, got 6");
    }
}
