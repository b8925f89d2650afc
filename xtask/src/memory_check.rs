//! `cargo xtask memory-check`: does the peak of resident memory stay within what `--memory` allows?
//!
//! Large models are searched with each store until memory is full. A run that ends before that shows nothing, so it is counted by itself.
//! A search over files never ends because of memory: it counts as one that filled it when it wrote states to the disk.

use crate::bench::process;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
Search large models until memory is full, and compare the peak of resident memory
with what is allowed: 5 % and 8 MiB more than --memory.

Usage: cargo xtask memory-check MODEL... [OPTIONS]

  MODEL            models that are too large for the memory
  --memory LIST    limits in MiB, with commas between them [default: 64,256,1024,2048]
  --stores LIST    stores by name [default: all]
  --time SECONDS   a run ends after this time, full or not [default: 120]
  --threads LIST   numbers of threads [default: 1]
  --panoptes PATH  the program [default: build and use the release binary]

Exit status 1 if a peak is higher than allowed.
";

const MIB: u64 = 1 << 20;

/// Every store, with the searches that it has.
const STORES: &[(&str, &str)] = &[
    ("exact", "--search bfs"),
    ("exact", "--search dfs"),
    ("compressed", "--search bfs"),
    ("compressed", "--search dfs"),
    ("hash-compact", "--search dfs"),
    ("hash-compact", "--search bfs"),
    ("bitstate", "--search dfs"),
    ("bitstate", "--search bfs"),
    ("cache:1000000000", "--search dfs"),
    ("disk", ""),
];

struct Options {
    models: Vec<PathBuf>,
    memory: Vec<u64>,
    stores: Option<Vec<String>>,
    time: u64,
    threads: Vec<u64>,
    panoptes: Option<PathBuf>,
}

pub fn run(args: Vec<String>) -> ExitCode {
    let options = match crate::understood(parse_options(&args), USAGE) {
        Ok(options) => options,
        Err(status) => return status,
    };
    crate::concluded(check(&options))
}

fn parse_options(args: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options {
        models: Vec::new(),
        memory: vec![64, 256, 1024, 2048],
        stores: None,
        time: 120,
        threads: vec![1],
        panoptes: None,
    };
    let mut args = args.iter();
    while let Some(word) = args.next() {
        let mut value = || args.next().ok_or(format!("`{word}` needs a value"));
        match word.as_str() {
            "--help" | "-h" => return Ok(None),
            "--memory" => options.memory = numbers(word, value()?)?,
            "--threads" => options.threads = numbers(word, value()?)?,
            "--time" => options.time = number(word, value()?)?,
            "--stores" => options.stores = Some(value()?.split(',').map(str::to_string).collect()),
            "--panoptes" => options.panoptes = Some(value()?.into()),
            unknown if unknown.starts_with('-') => return Err(format!("unexpected argument `{unknown}`")),
            path => options.models.push(path.into()),
        }
    }
    match options.models.is_empty() {
        true => Err("no model given".to_string()),
        false => Ok(Some(options)),
    }
}

fn numbers(word: &str, text: &str) -> Result<Vec<u64>, String> {
    text.split(',').map(|text| number(word, text)).collect()
}

fn number(word: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{word}` takes numbers, not `{text}`"))
}

/// How many runs there were, and how they ended.
#[derive(Default)]
struct Tally {
    runs: usize,
    /// With as much memory as allowed.
    within: usize,
    /// Within, and memory was full.
    filled: usize,
}

fn check(options: &Options) -> Result<(String, bool), String> {
    let program = match &options.panoptes {
        Some(path) => std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?,
        None => crate::conformance::build()?,
    };
    let scratch = std::env::temp_dir().join(format!("panoptes-memory-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let result = check_all(options, &program, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    result
}

fn check_all(options: &Options, program: &Path, scratch: &Path) -> Result<(String, bool), String> {
    let is_asked = |name: &str| match &options.stores {
        Some(names) => names.iter().any(|asked| name.split(':').next() == Some(asked)),
        None => true,
    };
    let mut tally = Tally::default();
    for mebibytes in &options.memory {
        for (store, search) in STORES.iter().filter(|(name, _)| is_asked(name)) {
            for threads in &options.threads {
                for model in &options.models {
                    let run = Run { model, store, search, mebibytes: *mebibytes, threads: *threads };
                    run.measure(options.time, program, scratch, &mut tally)?;
                }
            }
        }
    }
    let Tally { runs, within, filled } = tally;
    let report = format!(
        "memory-check: {within} of {runs} runs stayed within 1.05 M + 8 MiB; memory was full in {filled} of them\n"
    );
    Ok((report, within == runs && runs > 0))
}

struct Run<'r> {
    model: &'r Path,
    store: &'r str,
    search: &'r str,
    mebibytes: u64,
    threads: u64,
}

impl Run<'_> {
    fn measure(&self, time: u64, program: &Path, scratch: &Path, tally: &mut Tally) -> Result<(), String> {
        let store = match self.store {
            "disk" => format!("disk:{}", scratch.join("states").display()),
            other => other.to_string(),
        };
        let mut command = Command::new(program);
        command.arg("check").arg(self.model).args(self.search.split_whitespace());
        command.args(["--exact", "--all-errors", "--property", "safety", "--no-trace", "--format", "json"]);
        command.args(["--store", &store, "--memory", &format!("{}M", self.mebibytes)]);
        command.args(["--threads", &self.threads.to_string(), "--time", &format!("{time}s")]);
        let finished = process::run(&mut command, scratch).map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_str(&finished.stdout).map_err(|_| finished.complaint())?;
        let peak = finished.cost.peak_bytes;
        let is_within = peak <= allowed(self.mebibytes * MIB);
        let ended = how_it_ended(&answer);
        tally.runs += 1;
        tally.within += usize::from(is_within);
        tally.filled += usize::from(is_within && ended == Ended::Full);
        println!(
            "{:7} {:20} {:12} {:12} {}  {:>5} MiB: {:7.1} MiB, {:>11} states, {:6.1} CPU s, {}",
            if is_within { "ok" } else { "TOO MUCH" },
            self.model.file_name().unwrap_or_default().to_string_lossy(),
            self.store.split(':').next().unwrap_or_default(),
            self.search.trim_start_matches("--search "),
            self.threads,
            self.mebibytes,
            peak as f64 / MIB as f64,
            answer["states"]["stored"].as_u64().unwrap_or_default(),
            finished.cost.cpu_seconds,
            match ended {
                Ended::Full => "full",
                Ended::Time => "ended by time",
                Ended::Whole => "searched whole",
            },
        );
        Ok(())
    }
}

/// How much resident memory a run with a limit may take.
fn allowed(limit: u64) -> u64 {
    limit + limit / 20 + 8 * MIB
}

#[derive(Debug, PartialEq)]
enum Ended {
    /// Memory was full, or what did not fit went to the disk.
    Full,
    Time,
    Whole,
}

fn how_it_ended(answer: &Value) -> Ended {
    let limits: Vec<&str> =
        answer["limits"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if limits.contains(&"memory") || answer["disk"]["written"].as_u64().is_some_and(|bytes| bytes > 0) {
        Ended::Full
    } else if limits.contains(&"time") {
        Ended::Time
    } else {
        Ended::Whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn five_percent_and_eight_mebibytes_are_allowed() {
        assert_eq!(allowed(64 * MIB), 75 * MIB + MIB / 5);
        assert_eq!(allowed(2048 * MIB), 2158 * MIB + 2 * MIB / 5);
    }

    #[test]
    fn a_disk_that_was_written_to_means_that_memory_was_full() {
        assert_eq!(how_it_ended(&json!({"limits": ["time"], "disk": {"written": 0}})), Ended::Time);
        assert_eq!(how_it_ended(&json!({"limits": ["time"], "disk": {"written": 9}})), Ended::Full);
        assert_eq!(how_it_ended(&json!({"limits": ["bitstate", "memory"], "disk": null})), Ended::Full);
        assert_eq!(how_it_ended(&json!({"limits": [], "disk": null})), Ended::Whole);
    }
}
