//! Running `panoptes check` on one model under limits, and reading its answer.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::options::TimeLimit;

/// How long a run may outlive the limit it was given before it is killed.
const GRACE: Duration = Duration::from_secs(15);

/// The endings by which `panoptes` knows a Promela model; for others we name the language.
const PROMELA_ENDINGS: [&str; 7] = ["pml", "prom", "pm", "promela", "spin", "pr", "prm"];

pub struct Panoptes {
    binary: PathBuf,
    memory: String,
    /// Traces and output go here: the corpus is not ours to write to.
    scratch: PathBuf,
    runs: AtomicU64,
}

/// One finished run.
pub struct Run {
    /// `None`: killed, by us or by a signal.
    pub exit: Option<i32>,
    pub outlived_limit: bool,
    pub stdout: String,
    pub stderr: String,
    pub seconds: f64,
}

/// What we need of the JSON that `panoptes check` prints.
#[derive(Debug)]
pub struct Answer {
    pub verdict: String,
    pub complete: bool,
    pub limits: String,
    pub stored: u64,
    pub transitions: u64,
    pub kinds: BTreeSet<String>,
    pub first_error: Option<FirstError>,
}

#[derive(Debug)]
pub struct FirstError {
    pub kind: String,
    /// In steps as SPIN counts them: the lengths of the corpus take a rendezvous for two. None if a limit did not allow to
    /// keep the path.
    pub spin_length: Option<u64>,
}

impl Panoptes {
    pub fn new(binary: PathBuf, memory: String) -> io::Result<Panoptes> {
        let scratch = std::env::temp_dir().join(format!("panoptes-conformance-{}", std::process::id()));
        fs::create_dir_all(&scratch)?;
        Ok(Panoptes { binary, memory, scratch, runs: AtomicU64::new(0) })
    }

    /// The program that is tested.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// Checks `model` from its own folder, because includes are relative to it.
    pub fn check(&self, model: &Path, flags: &[&str], time: &TimeLimit) -> io::Result<Run> {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let scratch = self.scratch.join(run.to_string());
        fs::create_dir(&scratch)?;
        let (stdout, stderr) = (scratch.join("stdout"), scratch.join("stderr"));

        let mut command = Command::new(&self.binary);
        command.args(["check", "--format", "json", "--no-progress"]);
        if !flags.contains(&"--property") {
            command.args(["--property", "safety"]);
        }
        command.args(flags);
        command.args(["--time", &time.text, "--memory", &self.memory]);
        command.arg("--trace-out").arg(scratch.join("trace.json"));
        if !model.extension().is_some_and(|ending| PROMELA_ENDINGS.iter().any(|known| ending == *known)) {
            command.args(["--language", "promela"]);
        }
        command.arg(model.file_name().expect("a model is a file"));
        command.current_dir(model.parent().expect("a model is in a folder"));
        command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);

        let start = Instant::now();
        let status = wait(command, time.duration + GRACE)?;
        let seconds = start.elapsed().as_secs_f64();
        let run = Run {
            exit: status.and_then(|status| status.code()),
            outlived_limit: status.is_none(),
            stdout: String::from_utf8_lossy(&fs::read(&stdout)?).into_owned(),
            stderr: String::from_utf8_lossy(&fs::read(&stderr)?).into_owned(),
            seconds,
        };
        fs::remove_dir_all(&scratch)?;
        Ok(run)
    }
}

impl Drop for Panoptes {
    fn drop(&mut self) {
        // Left-over files in the temporary folder harm nobody.
        let _ = fs::remove_dir_all(&self.scratch);
    }
}

/// The status with which the command ended, or `None` if it had to be killed.
fn wait(mut command: Command, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut child = command.spawn()?;
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

impl Run {
    /// The run as it should never end: a panic, a signal, an exit status nobody promised, no end at all.
    pub fn crash(&self) -> Option<String> {
        let how = match self.exit {
            Some(0..=3) => return None,
            _ if self.outlived_limit => format!("killed after {:.0}s: it ignored its --time", self.seconds),
            Some(101) => "panicked".to_string(),
            Some(status) => format!("ended with status {status}"),
            None => "killed by a signal".to_string(),
        };
        Some(format!("crash: {how}: {}", self.complaint()))
    }

    /// The line of stderr that tells most: the panic if there is one, else the first.
    pub fn complaint(&self) -> &str {
        let mut lines = self.stderr.lines().filter(|line| !line.trim().is_empty());
        let panic = lines.clone().find(|line| line.contains("panicked at"));
        panic.or_else(|| lines.next()).unwrap_or("(nothing on stderr)").trim()
    }

    pub fn answer(&self) -> Result<Answer, String> {
        let json: Value = serde_json::from_str(&self.stdout)
            .map_err(|error| format!("stdout is not one JSON object: {error}"))?;
        let number =
            |path: &str| json.pointer(path).and_then(Value::as_u64).ok_or(format!("JSON has no {path}"));
        let errors = json["errors"].as_array().ok_or("JSON has no /errors")?;
        let kind_of = |error: &Value| error["kind"].as_str().map(kind).ok_or("an error without a kind");
        let first_error = match errors.first() {
            None => None,
            Some(error) => Some(FirstError { kind: kind_of(error)?, spin_length: spin_length(error)? }),
        };
        let mut kinds: BTreeSet<String> = errors.iter().map(kind_of).collect::<Result<_, _>>()?;
        if let Some(counts) = json["error_counts"].as_object() {
            kinds.extend(
                counts.iter().filter(|(_, count)| count.as_u64() != Some(0)).map(|(name, _)| kind(name)),
            );
        }
        Ok(Answer {
            verdict: json["verdict"].as_str().ok_or("JSON has no /verdict")?.to_string(),
            complete: json["complete"].as_bool().ok_or("JSON has no /complete")?,
            limits: json["limits"].to_string(),
            stored: number("/states/stored")?,
            transitions: number("/states/transitions")?,
            kinds,
            first_error,
        })
    }
}

/// The length of an error's path; none only if the answer says which limit did not allow to keep the path.
fn spin_length(error: &Value) -> Result<Option<u64>, &'static str> {
    match (error["spin_length"].as_u64(), error["trace_limit"].as_str()) {
        (None, None) => Err("an error without spin_length, and no trace_limit says why"),
        (length, _) => Ok(length),
    }
}

/// SPIN calls every state without a way out an invalid end state; so do we, here.
fn kind(name: &str) -> String {
    if name == "unspecified-reception" { "deadlock".to_string() } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_length_is_missing_only_where_a_limit_was_met() {
        assert_eq!(spin_length(&json!({ "spin_length": 7 })), Ok(Some(7)));
        assert_eq!(spin_length(&json!({ "spin_length": null, "trace_limit": "memory" })), Ok(None));
        assert!(spin_length(&json!({ "spin_length": null })).is_err());
        assert!(spin_length(&json!({})).is_err());
    }
}
