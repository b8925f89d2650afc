//! What a program says of a model: its exit status, its JSON without what differs from run to run, and its trace.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Limits that make most models end; what they cut is not compared.
const LIMITS: &[&str] = &["--time", "10s", "--memory", "1G"];

#[derive(PartialEq)]
pub struct Answer {
    status: Option<i32>,
    /// Or what was said in its place.
    json: Result<Value, String>,
    trace: Option<String>,
}

impl Answer {
    /// `trace` is a file that may be written.
    pub fn of(program: &Path, model: &Path, mode: &str, trace: &Path) -> Answer {
        drop(std::fs::remove_file(trace));
        let mut command = Command::new(program);
        command.arg("check").arg(model).args(["--format", "json"]).args(LIMITS);
        command.arg("--trace-out").arg(trace).args(mode.split_whitespace());
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => return Answer { status: None, json: Err(error.to_string()), trace: None },
        };
        let json = serde_json::from_slice(&output.stdout).map(without_measurements);
        let json = json.map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned());
        Answer { status: output.status.code(), json, trace: std::fs::read_to_string(trace).ok() }
    }

    /// Did time or memory end it, at a moment that is another one each time?
    pub fn is_cut(&self) -> bool {
        let Ok(json) = &self.json else { return false };
        let limits = json["limits"].as_array().into_iter().flatten();
        limits.filter_map(Value::as_str).any(|limit| limit == "time" || limit == "memory")
    }

    /// For people: what is not the same.
    pub fn differences(&self, other: &Answer) -> Vec<String> {
        let mut lines = Vec::new();
        if self.status != other.status {
            lines.push(format!("status {:?}, then {:?}", self.status, other.status));
        }
        match (&self.json, &other.json) {
            (Ok(Value::Object(before)), Ok(Value::Object(after))) => {
                let keys = before.keys().chain(after.keys().filter(|key| !before.contains_key(*key)));
                for key in keys.filter(|key| before.get(*key) != after.get(*key)) {
                    lines.push(format!("{key}: {}, then {}", short(before.get(key)), short(after.get(key))));
                }
            }
            (before, after) if before != after => lines.push(format!("{before:?}, then {after:?}")),
            _ => {}
        }
        if self.trace != other.trace {
            lines.push("the traces differ".to_string());
        }
        lines
    }
}

fn short(value: Option<&Value>) -> String {
    value.map_or("nothing".to_string(), |value| value.to_string().chars().take(200).collect())
}

fn without_measurements(mut json: Value) -> Value {
    if let Value::Object(fields) = &mut json {
        fields.remove("seconds");
        fields.remove("peak_memory_bytes");
        if let Some(Value::Object(states)) = fields.get_mut("states") {
            states.remove("bytes_per_state");
        }
    }
    json
}
