//! The saved form of a trace: JSON with a format name and a version.

use crate::Trace;
use serde::Serialize;
use serde_json::Value;

pub const FORMAT: &str = "panoptes-trace";
pub const VERSION: u64 = 1;

/// Why a file is not a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceFileError {
    NotJson {
        line: usize,
        column: usize,
        message: String,
    },
    /// JSON, but not a trace of ours.
    NotATrace,
    /// A trace of another version of the format.
    UnknownVersion(String),
    /// A trace with something missing or of the wrong type.
    Malformed(String),
}

impl std::fmt::Display for TraceFileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TraceFileError::NotJson { line, column, message } => {
                write!(f, "not JSON (line {line}, column {column}): {message}")
            }
            TraceFileError::NotATrace => write!(f, "not a trace: its `format` is not `{FORMAT}`"),
            TraceFileError::UnknownVersion(version) => {
                write!(f, "a trace of version {version}; this program reads version {VERSION}")
            }
            TraceFileError::Malformed(message) => write!(f, "a damaged trace: {message}"),
        }
    }
}

impl std::error::Error for TraceFileError {}

#[derive(Serialize)]
struct Saved<'a> {
    format: &'a str,
    version: u64,
    #[serde(flatten)]
    trace: &'a Trace,
}

impl Trace {
    /// The saved form, with a newline at the end.
    pub fn to_json(&self) -> String {
        let saved = Saved { format: FORMAT, version: VERSION, trace: self };
        let mut json = serde_json::to_string_pretty(&saved).expect("a trace has only strings for keys");
        json.push('\n');
        json
    }

    pub fn from_json(text: &str) -> Result<Trace, TraceFileError> {
        let value: Value = serde_json::from_str(text).map_err(|error| TraceFileError::NotJson {
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
        })?;
        if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(TraceFileError::NotATrace);
        }
        match value.get("version") {
            Some(version) if version.as_u64() == Some(VERSION) => {}
            Some(version) => return Err(TraceFileError::UnknownVersion(version.to_string())),
            None => return Err(TraceFileError::Malformed("missing field `version`".to_string())),
        }
        let trace: Trace =
            serde_json::from_value(value).map_err(|error| TraceFileError::Malformed(error.to_string()))?;
        if trace.length != trace.steps.len() {
            let message = format!("`length` says {}, but `steps` has {}", trace.length, trace.steps.len());
            return Err(TraceFileError::Malformed(message));
        }
        Ok(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    fn empty() -> Trace {
        let origin = Origin { model: "m.pml".into(), fingerprint: "00".into(), ..Origin::default() };
        Trace { origin, error: None, length: 0, initial: None, steps: Vec::new(), end: None }
    }

    #[test]
    fn what_is_saved_is_read_back() {
        let json = empty().to_json();
        assert!(
            json.starts_with(
                "{\n  \"format\": \"panoptes-trace\",\n  \"version\": 1,\n  \"model\": \"m.pml\""
            )
        );
        assert_eq!(Trace::from_json(&json), Ok(empty()));
    }

    #[test]
    fn bad_files_are_told_apart() {
        let error = |text: &str| Trace::from_json(text).unwrap_err();
        assert!(matches!(error("{\n x"), TraceFileError::NotJson { line: 2, .. }));
        assert_eq!(error("[]"), TraceFileError::NotATrace);
        assert_eq!(error(r#"{"format": "other"}"#), TraceFileError::NotATrace);
        assert_eq!(
            error(r#"{"format": "panoptes-trace", "version": 2}"#),
            TraceFileError::UnknownVersion("2".into())
        );
        let json = empty().to_json();
        let without = json.replace("\"steps\"", "\"strides\"");
        assert_eq!(error(&without).to_string(), "a damaged trace: missing field `steps`");
        let wrong = json.replace("\"length\": 0", "\"length\": 3");
        assert_eq!(error(&wrong).to_string(), "a damaged trace: `length` says 3, but `steps` has 0");
    }
}
