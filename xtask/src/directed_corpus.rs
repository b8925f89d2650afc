//! `cargo xtask directed-corpus`: `--search directed` beside breadth-first search on all models of a collection that SPIN found wrong.
//!
//! For each model: how many times fewer states are expanded, how many times as long the trace is, and how many times as much processor time the whole run
//! takes. Where breadth-first search does not find the error within the limits, what it expanded until then counts, and there is nothing to
//! compare lengths and times with.

use crate::bench::process::{self, Finished};
use crate::conformance::golden::{self, Spin};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
Compares directed search with breadth-first search on the models that SPIN found wrong.

Usage: cargo xtask directed-corpus DIR [--panoptes PATH] [--only TEXT] [--rows] [-- OPTIONS]

  DIR              a folder with golden.tsv and models/
  --panoptes PATH  the program to measure [default: build and use the release binary]
  --only TEXT      models whose path contains it
  --rows           a row for each model
  -- OPTIONS       more options of `panoptes check`, for both searches (--exact, --steps merged)

Exit status 1 if at the median fewer than ten times fewer states are expanded or the trace is more than 1.1 times as long, if an error is not
found, or if a run takes more than three times the processor time and more than 50 ms.
";

/// No run takes longer, nor more memory.
const LIMITS: [&str; 4] = ["--time", "10", "--memory", "2G"];
const FEWER_MIN: f64 = 10.0;
const LONGER_MAX: f64 = 1.1;
const SLOWER_MAX: f64 = 3.0;
/// Shorter runs are mostly the start of the program.
const SECONDS_MIN: f64 = 0.05;
/// The least time of so many runs counts.
const RUNS: usize = 2;

struct Options {
    corpus: PathBuf,
    panoptes: Option<PathBuf>,
    only: String,
    rows: bool,
    more: Vec<String>,
}

/// What one search did.
struct Run {
    expanded: u64,
    length: Option<u64>,
    seconds: f64,
}

struct Row {
    path: String,
    bfs: Run,
    directed: Run,
}

pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(parse_options(args), USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    crate::concluded(measure(&options))
}

fn parse_options(args: Vec<String>) -> Result<Option<Options>, String> {
    let mut options = Options {
        corpus: PathBuf::new(),
        panoptes: None,
        only: String::new(),
        rows: false,
        more: Vec::new(),
    };
    let mut corpus = None;
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return Ok(None),
            "--panoptes" => {
                options.panoptes = Some(args.next().ok_or("`--panoptes` takes a program")?.into())
            }
            "--only" => options.only = args.next().ok_or("`--only` takes a part of a path")?,
            "--rows" => options.rows = true,
            "--" => options.more = args.by_ref().collect(),
            unknown if unknown.starts_with('-') => return Err(format!("unexpected argument `{unknown}`")),
            _ if corpus.is_none() => corpus = Some(PathBuf::from(arg)),
            _ => return Err("one folder is enough".to_string()),
        }
    }
    options.corpus = corpus.ok_or("no folder given")?;
    Ok(Some(options))
}

fn measure(options: &Options) -> Result<(String, bool), String> {
    let path = options.corpus.join("golden.tsv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let binary = match &options.panoptes {
        Some(path) => std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?,
        None => crate::conformance::build()?,
    };
    let scratch = std::env::temp_dir().join(format!("panoptes-directed-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let mut rows = Vec::new();
    for row in golden::parse(&text)? {
        let is_wrong = match &row.spin {
            Spin::Accepts { exact, shortest, .. } => !exact.kinds.is_empty() || shortest.is_some(),
            _ => false,
        };
        if is_wrong && row.path.contains(&options.only) {
            let model = options.corpus.join("models").join(&row.path);
            let search = |flags: &[&str]| check(&binary, &model, flags, options, &scratch);
            // Without a reduction, as directed searches are.
            let (bfs, directed) =
                (search(&["--search", "bfs", "--no-por"])?, search(&["--search", "directed"])?);
            rows.push(Row { path: row.path, bfs, directed });
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    if rows.is_empty() {
        return Err("no model fits".to_string());
    }
    Ok(report(&mut rows, options.rows))
}

/// The search with the least time of a few.
fn check(
    binary: &Path,
    model: &Path,
    flags: &[&str],
    options: &Options,
    scratch: &Path,
) -> Result<Run, String> {
    let mut best: Option<Run> = None;
    for _ in 0..RUNS {
        let mut command = Command::new(binary);
        command.args([
            "check",
            "--property",
            "safety",
            "--format",
            "json",
            "--no-progress",
            "--threads",
            "1",
        ]);
        command.args(["--language", "promela", "--no-trace"]).args(flags).args(LIMITS).args(&options.more);
        command.arg(model.file_name().ok_or("a model is a file")?);
        command.current_dir(model.parent().ok_or("a model is in a folder")?);
        let finished = process::run(&mut command, scratch)
            .map_err(|error| format!("cannot run {}: {error}", binary.display()))?;
        let run = read(&finished).ok_or_else(|| format!("{}: {}", model.display(), finished.complaint()))?;
        let is_long = run.seconds > 1.0;
        if best.as_ref().is_none_or(|best| run.seconds < best.seconds) {
            best = Some(run);
        }
        if is_long {
            break;
        }
    }
    best.ok_or_else(|| "no run".to_string())
}

fn read(finished: &Finished) -> Option<Run> {
    let answer: Value = serde_json::from_str(&finished.stdout).ok()?;
    Some(Run {
        expanded: answer["states"]["expanded"].as_u64()?,
        length: answer["errors"].get(0).and_then(|error| error["length"].as_u64()),
        seconds: finished.cost.cpu_seconds,
    })
}

impl Row {
    /// How many times fewer states are expanded; none if the error is not found.
    fn fewer(&self) -> f64 {
        match self.directed.length {
            Some(_) => self.bfs.expanded as f64 / self.directed.expanded.max(1) as f64,
            None => 0.0,
        }
    }

    fn longer(&self) -> Option<f64> {
        Some(self.directed.length? as f64 / self.bfs.length?.max(1) as f64)
    }

    fn slower(&self) -> Option<f64> {
        self.bfs.length.map(|_| self.directed.seconds / self.bfs.seconds)
    }
}

fn report(rows: &mut [Row], with_rows: bool) -> (String, bool) {
    let mut text = String::new();
    rows.sort_by(|one, other| one.fewer().total_cmp(&other.fewer()));
    if with_rows {
        text.push_str("| model | bfs: expanded, length, CPU s | directed | times fewer | times as long | times the time |\n");
        text.push_str("|---|---|---|---|---|---|\n");
        for row in rows.iter() {
            let cell = |run: &Run| {
                let length = run.length.map_or("–".to_string(), |length| length.to_string());
                format!("{}, {length}, {:.3}", run.expanded, run.seconds)
            };
            let ratio = |ratio: Option<f64>| ratio.map_or("–".to_string(), |ratio| format!("{ratio:.2}"));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {:.2} | {} | {} |",
                row.path,
                cell(&row.bfs),
                cell(&row.directed),
                row.fewer(),
                ratio(row.longer()),
                ratio(row.slower())
            );
        }
        text.push('\n');
    }
    let fewer: Vec<f64> = rows.iter().map(Row::fewer).collect();
    let longer: Vec<f64> = rows.iter().filter_map(Row::longer).collect();
    let slower: Vec<f64> = rows.iter().filter_map(Row::slower).collect();
    let missed = rows.iter().filter(|row| row.directed.length.is_none()).count();
    let missed_by_bfs = rows.iter().filter(|row| row.bfs.length.is_none()).count();
    let too_slow = |row: &&Row| {
        row.slower().is_some_and(|slower| slower > SLOWER_MAX) && row.directed.seconds > SECONDS_MIN
    };
    let slow: Vec<&Row> = rows.iter().filter(too_slow).collect();
    let _ = writeln!(text, "{} models; not found by bfs: {missed_by_bfs}, by directed: {missed}", rows.len());
    let (few, long, time) = (median(fewer), median(longer), median(slower.clone()));
    let _ = writeln!(
        text,
        "times fewer states expanded, at the median: {few:.2} (at least {FEWER_MIN} is right)"
    );
    let _ = writeln!(text, "times as long a trace, at the median: {long:.2} (at most {LONGER_MAX} is right)");
    let worst = slower.into_iter().fold(0.0, f64::max);
    let _ = writeln!(text, "times the processor time, at the median: {time:.2}, at worst {worst:.2}");
    for row in &slow {
        let (slower, seconds) = (row.slower().unwrap_or_default(), row.directed.seconds);
        let _ = writeln!(text, "too slow: {} ({slower:.2} times, {seconds:.3} s)", row.path);
    }
    (text, few >= FEWER_MIN && long <= LONGER_MAX && missed == 0 && slow.is_empty())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    match numbers.len() {
        0 => 0.0,
        count => (numbers[(count - 1) / 2] + numbers[count / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(bfs: (u64, Option<u64>, f64), directed: (u64, Option<u64>, f64)) -> Row {
        let run = |(expanded, length, seconds)| Run { expanded, length, seconds };
        Row { path: "m.pml".to_string(), bfs: run(bfs), directed: run(directed) }
    }

    #[test]
    fn medians_and_what_is_too_slow() {
        assert_eq!((median(vec![]), median(vec![3.0, 1.0]), median(vec![5.0, 1.0, 2.0])), (0.0, 2.0, 2.0));
        let good = || row((1000, Some(10), 0.1), (10, Some(10), 0.1));
        let (text, is_good) = report(&mut [good()], true);
        assert!(is_good && text.contains("| 100.00 | 1.00 | 1.00 |"), "{text}");
        let slow = row((1000, Some(10), 0.1), (10, Some(10), 0.4));
        assert!(!report(&mut [slow], false).1);
        let missed = row((1000, Some(10), 0.1), (10, None, 0.1));
        assert!(!report(&mut [good(), good(), missed], false).1);
        let long = row((1000, Some(10), 0.1), (10, Some(12), 0.1));
        assert!(!report(&mut [long], false).1);
        let many = row((1000, Some(10), 0.1), (101, Some(10), 0.1));
        assert!(!report(&mut [many], false).1);
    }
}
