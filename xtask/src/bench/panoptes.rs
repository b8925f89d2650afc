//! The program that is measured: `panoptes check` on one model, and the numbers of its JSON answer.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::process::{self, Cost, Finished};

pub struct Panoptes {
    binary: PathBuf,
    pub version: String,
    /// Output and traces go here.
    scratch: PathBuf,
}

/// What we need of the JSON that `panoptes check` prints.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub violated: bool,
    pub complete: bool,
    /// Which store it had in the end, if the program tells.
    pub store: String,
    pub stored: u64,
    pub transitions: u64,
    pub bytes_per_state: f64,
    /// The share of the states that it says it has seen.
    pub coverage: f64,
    /// Of the processor, for compiling and searching, if the program tells.
    pub search_cpu_seconds: Option<f64>,
    pub front_end_seconds: f64,
    pub compile_seconds: f64,
}

pub enum Failure {
    /// It does not take the model or an option; its words.
    Refused(String),
    Broken(String),
}

impl Panoptes {
    pub fn new(binary: PathBuf, scratch: &Path) -> Result<Panoptes, String> {
        let run = process::run(Command::new(&binary).arg("--version"), scratch)
            .map_err(|error| format!("cannot run {}: {error}", binary.display()))?;
        let version = run.stdout.lines().next().unwrap_or("unknown").to_string();
        Ok(Panoptes { binary, version, scratch: scratch.to_path_buf() })
    }

    /// Checks `model` for errors that states show.
    pub fn check(&self, model: &Path, flags: &[&str]) -> Result<(Answer, Cost), Failure> {
        self.check_property(model, "safety", flags)
    }

    /// Checks `model` from its own folder, because includes are relative to it.
    pub fn check_property(
        &self,
        model: &Path,
        property: &str,
        flags: &[&str],
    ) -> Result<(Answer, Cost), Failure> {
        let mut command = Command::new(&self.binary);
        command.args(["check", "--property", property, "--format", "json", "--no-progress"]);
        command.args(["--language", "promela"]).args(flags);
        if !flags.contains(&"--threads") {
            // SPIN has one, too, and the time of the processor is compared.
            command.args(["--threads", "1"]);
        }
        command.arg("--trace-out").arg(self.scratch.join("trace.json"));
        command.arg(model.file_name().expect("a model is a file"));
        command.current_dir(model.parent().expect("a model is in a folder"));
        let run = process::run(&mut command, &self.scratch)
            .map_err(|error| Failure::Broken(format!("cannot run panoptes: {error}")))?;
        match run.status {
            Some(0 | 1 | 3) => read(&run).map_err(Failure::Broken),
            Some(2) => {
                let words = run.stderr.lines().next().unwrap_or("(it said nothing)");
                Err(Failure::Refused(words.trim_start_matches("error: ").to_string()))
            }
            _ => Err(Failure::Broken(run.complaint())),
        }
    }
}

impl Panoptes {
    /// The size of a model: the rules of all its machines. None if it cannot be shown.
    pub fn rules(&self, model: &Path) -> Option<u64> {
        let mut command = Command::new(&self.binary);
        command.args(["show", "--format", "json", "--language", "promela"]).arg(model.file_name()?);
        let run = process::run(command.current_dir(model.parent()?), &self.scratch).ok()?;
        count_rules(&run.stdout)
    }
}

fn count_rules(text: &str) -> Option<u64> {
    let json: Value = serde_json::from_str(text).ok()?;
    json["machines"].as_array()?.iter().map(|machine| machine["transitions"].as_u64()).sum()
}

impl Failure {
    pub fn words(self) -> String {
        match self {
            Failure::Refused(words) => format!("refused: {words}"),
            Failure::Broken(words) => words,
        }
    }
}

fn read(run: &Finished) -> Result<(Answer, Cost), String> {
    Ok((read_answer(&run.stdout)?, run.cost))
}

fn read_answer(text: &str) -> Result<Answer, String> {
    let json: Value =
        serde_json::from_str(text).map_err(|error| format!("its answer is not JSON: {error}"))?;
    let missing = |key: &str| format!("its JSON has no {key}");
    let count = |key: &str| json.pointer(key).and_then(Value::as_u64).ok_or_else(|| missing(key));
    let number = |key: &str| json.pointer(key).and_then(Value::as_f64).ok_or_else(|| missing(key));
    Ok(Answer {
        violated: json["verdict"].as_str().ok_or_else(|| missing("/verdict"))? == "violated",
        complete: json["complete"].as_bool().ok_or_else(|| missing("/complete"))?,
        store: json["store"].as_str().unwrap_or("auto").to_string(),
        stored: count("/states/stored")?,
        transitions: count("/states/transitions")?,
        bytes_per_state: number("/states/bytes_per_state")?,
        coverage: number("/coverage/estimate")?,
        search_cpu_seconds: json.pointer("/seconds/search_cpu").and_then(Value::as_f64),
        front_end_seconds: number("/seconds/front_end")?,
        compile_seconds: number("/seconds/compile")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{ "verdict": "violated", "complete": true, "store": "exact",
        "states": { "stored": 65, "transitions": 85, "bytes_per_state": 12.5 },
        "coverage": { "estimate": 1.0 },
        "seconds": { "front_end": 0.001, "compile": 0.02, "search": 1 } }"#;

    #[test]
    fn reads_the_numbers_of_an_answer() {
        let answer = read_answer(ANSWER).unwrap();
        assert_eq!((answer.violated, answer.complete), (true, true));
        assert_eq!(answer.store, "exact");
        assert_eq!((answer.stored, answer.transitions), (65, 85));
        assert_eq!(answer.bytes_per_state, 12.5);
        assert_eq!((answer.front_end_seconds, answer.compile_seconds), (0.001, 0.02));
    }

    #[test]
    fn counts_the_rules_of_all_machines() {
        let text = r#"{ "machines": [ { "transitions": 3 }, { "transitions": 4 } ] }"#;
        assert_eq!(count_rules(text), Some(7));
        assert_eq!(count_rules(r#"{ "machines": [ { } ] }"#), None);
        assert_eq!(count_rules("hello"), None);
    }

    #[test]
    fn says_what_is_missing() {
        let text = ANSWER.replace("stored", "kept");
        assert_eq!(read_answer(&text).unwrap_err(), "its JSON has no /states/stored");
        assert!(read_answer("hello").unwrap_err().starts_with("its answer is not JSON"));
    }
}
