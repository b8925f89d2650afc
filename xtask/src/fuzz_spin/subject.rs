//! The program under test: runs Panoptes on one model and reads its answer.

use super::json::Json;
use super::process;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What Panoptes says about a model.
pub enum Subject {
    Answer(Findings),
    /// It does not accept the model; the first line of what it says.
    Rejected(String),
    /// It stopped at a limit before the search was complete.
    Partial,
    /// It crashed, hung, or printed what nobody can read.
    Broken(String),
}

/// The result of a complete search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    pub states: u64,
    pub transitions: u64,
    pub kinds: BTreeSet<String>,
    pub messages: Vec<String>,
}

/// Panoptes, with a file to put models in.
pub struct Panoptes {
    program: PathBuf,
    file: PathBuf,
}

impl Panoptes {
    /// The program at `program`, working in `dir`.
    pub fn new(program: &Path, dir: &Path) -> Panoptes {
        let program = std::path::absolute(program).unwrap_or_else(|_| program.to_path_buf());
        Panoptes { program, file: dir.join("subject.pml") }
    }

    /// What it says about the model.
    pub fn check(&self, text: &str) -> Subject {
        if let Err(e) = std::fs::write(&self.file, text) {
            return Subject::Broken(format!("no place to write: {e}"));
        }
        let mut command = Command::new(&self.program);
        command.args(["check", "--exact", "--all-errors", "--property", "safety", "--format", "json"]);
        command.arg("--trace-out").arg(self.file.with_extension("trace.json")).arg(&self.file);
        let Some(done) = process::run(&mut command, Duration::from_secs(30)) else {
            return Subject::Broken("it took longer than 30 s, or did not start".into());
        };
        let first = done.stderr.lines().next().unwrap_or("").to_string();
        match done.status {
            Some(0 | 1) => match Json::parse(&done.stdout).as_ref().and_then(findings) {
                Some((found, true)) => Subject::Answer(found),
                Some((_, false)) => Subject::Partial,
                None => Subject::Broken(format!("its answer cannot be read: {first}")),
            },
            Some(2) => Subject::Rejected(first),
            Some(3) => Subject::Partial,
            Some(n) => Subject::Broken(format!("exit status {n}: {first}")),
            None => Subject::Broken(format!("ended by a signal: {first}")),
        }
    }
}

/// The findings in an answer, and whether the search was complete.
fn findings(json: &Json) -> Option<(Findings, bool)> {
    let states = json.get("states")?;
    let count = |name: &str| states.get(name).and_then(Json::number).map(|n| n as u64);
    let mut found =
        Findings { states: count("stored")?, transitions: count("transitions")?, ..Findings::default() };
    for error in json.get("errors")?.items() {
        let kind = error.get("kind").and_then(Json::text)?;
        let message = error.get("message").and_then(Json::text).unwrap_or("");
        found.kinds.insert(kind.to_string());
        found.messages.push(format!("{kind}: {message}"));
    }
    for (kind, n) in json.get("error_counts").map(Json::members).unwrap_or_default() {
        if n.number().is_some_and(|n| n > 0.0) {
            found.kinds.insert(kind.clone());
        }
    }
    let complete = json.get("complete") != Some(&Json::Bool(false));
    Some((found, complete))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_kinds_from_errors_and_counts() {
        let text = r#"{ "verdict": "violated", "complete": true, "limits": [],
            "errors": [ {"kind": "deadlock", "message": "no process can move"} ],
            "error_counts": { "deadlock": 3, "assertion": 1, "runtime": 0 },
            "states": { "stored": 65, "matched": 20, "transitions": 85 } }"#;
        let (found, complete) = findings(&Json::parse(text).unwrap()).unwrap();
        assert!(complete);
        assert_eq!((found.states, found.transitions), (65, 85));
        assert_eq!(found.kinds, BTreeSet::from(["deadlock".to_string(), "assertion".to_string()]));
    }
}
