//! What a program says of a model: its exit status, its JSON without what differs from run to run, and its trace.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What this limit cuts is not compared, and neither is what ends by time.
const MEMORY: &str = "1G";
/// Times and sizes.
const MEASUREMENTS: &[&str] = &["seconds", "peak_memory_bytes", "bytes_per_state"];
/// How many differences of one answer are told.
const TOLD: usize = 8;

#[derive(PartialEq)]
pub struct Answer {
    status: Option<i32>,
    /// Or what was said in its place.
    json: Result<Value, String>,
    trace: Option<Value>,
}

/// What is not the same in two answers.
pub struct Differences {
    /// The parts of an answer that differ, to count them by.
    pub class: String,
    /// For people.
    pub lines: Vec<String>,
}

impl Answer {
    /// `trace` is a file that may be written.
    pub fn of(program: &Path, model: &Path, seconds: u64, options: &[&str], trace: &Path) -> Answer {
        drop(std::fs::remove_file(trace));
        let mut command = Command::new(program);
        command.arg("check").arg(model).args(["--format", "json", "--memory", MEMORY]);
        command.args(["--time", &format!("{seconds}s")]);
        command.arg("--trace-out").arg(trace);
        command.args(options.iter().flat_map(|options| options.split_whitespace()));
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => return Answer { status: None, json: Err(error.to_string()), trace: None },
        };
        let json = serde_json::from_slice(&output.stdout);
        let json = json.map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned());
        let trace = std::fs::read_to_string(trace).ok();
        let trace = trace.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)));
        let mut answer = Answer { status: output.status.code(), json, trace };
        answer.leave_out(MEASUREMENTS);
        answer
    }

    /// Did time or memory end it, at a moment that is another one each time?
    pub fn is_cut(&self) -> bool {
        let Ok(json) = &self.json else { return false };
        let limits = json["limits"].as_array().into_iter().flatten();
        limits.filter_map(Value::as_str).any(|limit| limit == "time" || limit == "memory")
    }

    /// Takes keys out, wherever they are.
    pub fn leave_out<K: AsRef<str>>(&mut self, keys: &[K]) {
        self.json.iter_mut().chain(&mut self.trace).for_each(|value| leave_out(value, keys));
    }

    /// Takes out what `other` has no keys for.
    pub fn reduce_to(&mut self, other: &Answer) {
        if let (Ok(json), Ok(other)) = (&mut self.json, &other.json) {
            reduce_to(json, other);
        }
        if let (Some(trace), Some(other)) = (&mut self.trace, &other.trace) {
            reduce_to(trace, other);
        }
    }

    pub fn differences(&self, other: &Answer) -> Differences {
        let (mut parts, mut lines) = (Vec::new(), Vec::new());
        if self.status != other.status {
            parts.push("status");
            lines.push(format!("status: {:?}, then {:?}", self.status, other.status));
        }
        match (&self.json, &other.json) {
            (Ok(Value::Object(before)), Ok(Value::Object(after))) => {
                let keys = before.keys().chain(after.keys().filter(|key| !before.contains_key(*key)));
                for key in keys.filter(|key| before.get(*key) != after.get(*key)) {
                    parts.push(key);
                    unequal(key, before.get(key), after.get(key), &mut lines);
                }
            }
            (before, after) if before != after => {
                parts.push("message");
                lines.push(format!("{before:?}, then {after:?}"));
            }
            _ => {}
        }
        if self.trace != other.trace {
            parts.push("trace");
            unequal("trace", self.trace.as_ref(), other.trace.as_ref(), &mut lines);
        }
        let class = parts.join(" ");
        if lines.len() > TOLD {
            let more = lines.len() - TOLD;
            lines.truncate(TOLD);
            lines.push(format!("and {more} more"));
        }
        Differences { class, lines }
    }
}

fn leave_out<K: AsRef<str>>(value: &mut Value, keys: &[K]) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| !keys.iter().any(|left_out| left_out.as_ref() == key));
            fields.values_mut().for_each(|value| leave_out(value, keys));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| leave_out(value, keys)),
        _ => {}
    }
}

fn reduce_to(value: &mut Value, other: &Value) {
    match (value, other) {
        (Value::Object(fields), Value::Object(other)) => {
            fields.retain(|key, _| other.contains_key(key));
            fields.iter_mut().for_each(|(key, value)| reduce_to(value, &other[key]));
        }
        (Value::Array(values), Value::Array(other)) => {
            values.iter_mut().zip(other).for_each(|(value, other)| reduce_to(value, other));
        }
        _ => {}
    }
}

/// Tells where two values differ, each place by its path.
fn unequal(path: &str, before: Option<&Value>, after: Option<&Value>, lines: &mut Vec<String>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let keys = before.keys().chain(after.keys().filter(|key| !before.contains_key(*key)));
            keys.for_each(|key| unequal(&format!("{path}.{key}"), before.get(key), after.get(key), lines));
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                unequal(&format!("{path}[{index}]"), Some(before), Some(after), lines);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            lines.push(format!("{path}: {} of them, then {}", before.len(), after.len()));
        }
        _ => lines.push(format!("{path}: {}, then {}", short(before), short(after))),
    }
}

fn short(value: Option<&Value>) -> String {
    value.map_or("nothing".to_string(), |value| value.to_string().chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(json: Value, trace: Value) -> Answer {
        Answer { status: Some(0), json: Ok(json), trace: Some(trace) }
    }

    #[test]
    fn measurements_are_left_out_wherever_they_are() {
        let mut slow =
            answer(json!({"seconds": 3, "states": {"stored": 1, "bytes_per_state": 9}}), json!([]));
        slow.leave_out(MEASUREMENTS);
        assert!(slow == answer(json!({"states": {"stored": 1}}), json!([])));
    }

    #[test]
    fn new_keys_can_be_left_out_but_not_other_values() {
        let before = answer(json!({"errors": [{"kind": "deadlock"}]}), json!([{"step": 1}]));
        let mut after =
            answer(json!({"errors": [{"kind": "deadlock", "new": 1}]}), json!([{"step": 1, "new": 2}]));
        assert!(before != after);
        after.reduce_to(&before);
        assert!(before == after);
        let mut other = answer(json!({"errors": [{"kind": "assertion", "new": 1}]}), json!([{"step": 2}]));
        other.reduce_to(&before);
        let differences = before.differences(&other);
        assert_eq!(differences.class, "errors trace");
        assert_eq!(
            differences.lines,
            ["errors[0].kind: \"deadlock\", then \"assertion\"", "trace[0].step: 1, then 2"]
        );
    }

    #[test]
    fn a_key_that_went_and_a_list_that_grew_are_differences() {
        let before = answer(json!({"gone": 1, "errors": []}), json!([]));
        let mut after = answer(json!({"errors": [1, 2]}), json!([]));
        after.reduce_to(&before);
        assert_eq!(before.differences(&after).class, "errors gone");
    }
}
