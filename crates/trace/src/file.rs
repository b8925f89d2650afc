//! The saved form of a trace: JSON with a format name and a version.

use crate::{Trace, TraceWriter, scan};
use std::ops::ControlFlow;

pub const FORMAT: &str = "panoptes-trace";
/// A file with several traces.
pub const LIST_FORMAT: &str = "panoptes-traces";
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
    /// The file cannot be read.
    Unreadable(String),
    /// A limit ended the trace before its end.
    Cut {
        steps: usize,
        length: usize,
    },
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
            TraceFileError::Unreadable(message) => write!(f, "cannot be read: {message}"),
            TraceFileError::Cut { steps, length } => {
                write!(f, "not a whole trace: a limit cut it after {steps} of {length} steps")
            }
            TraceFileError::Malformed(message) => write!(f, "a damaged trace: {message}"),
        }
    }
}

impl std::error::Error for TraceFileError {}

impl Trace {
    /// The saved form, with a newline at the end.
    pub fn to_json(&self) -> String {
        let mut writer = TraceWriter::new(Vec::new());
        let written = writer.begin(self).and_then(|()| {
            self.steps.iter().try_for_each(|step| writer.step(step))?;
            writer.end(self.end.as_ref())
        });
        written.expect("memory takes all, and a trace has only strings for keys");
        let bytes = writer.finish().expect("memory takes all");
        String::from_utf8(bytes).expect("JSON is text")
    }

    /// Reads a trace that is known to be short. A file with several gives its first.
    pub fn from_json(text: &str) -> Result<Trace, TraceFileError> {
        let mut steps = Vec::new();
        let traces = scan(text.as_bytes(), &mut |trace, step| {
            if trace == 0 {
                steps.push(step);
            }
            ControlFlow::Continue(())
        })?;
        let first = traces.into_iter().next().ok_or(TraceFileError::NotATrace)?;
        Ok(Trace { steps, ..first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    #[test]
    fn a_trace_that_is_cut_is_json_and_says_so() {
        for is_list in [false, true] {
            let out = Vec::new();
            let writer = if is_list { TraceWriter::list(out) } else { Ok(TraceWriter::new(out)) };
            let mut writer = writer.expect("memory takes all");
            writer.begin(&Trace { length: 7, ..empty() }).expect("memory takes all");
            assert!(writer.is_open());
            writer.cut().expect("memory takes all");
            assert!(!writer.is_open());
            let bytes = writer.finish().expect("memory takes all");
            let object: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
            let trace = if is_list { &object["traces"][0] } else { &object };
            assert_eq!((trace["cut"].as_bool(), trace["length"].as_u64()), (Some(true), Some(7)));
            let text = String::from_utf8(bytes).expect("JSON is text");
            assert_eq!(Trace::from_json(&text).err(), Some(TraceFileError::Cut { steps: 0, length: 7 }));
        }
    }

    fn empty() -> Trace {
        let origin = Origin { model: "m.pml".into(), fingerprint: "00".into(), ..Origin::default() };
        Trace { origin, number: None, error: None, length: 0, initial: None, steps: Vec::new(), end: None }
    }

    #[test]
    fn what_is_saved_is_read_back() {
        let json = empty().to_json();
        assert!(json.starts_with("{\n  \"format\": \"panoptes-trace\",\n  \"version\": 1,\n  \"tool\": {"));
        assert_eq!(Trace::from_json(&json), Ok(empty()));
    }

    #[test]
    fn several_traces_are_told_apart() {
        let mut writer = TraceWriter::list(Vec::new()).unwrap();
        for number in [2, 5] {
            writer.begin(&Trace { number: Some(number), ..empty() }).unwrap();
            writer.end(None).unwrap();
        }
        let json = writer.finish().unwrap();
        let traces = scan(&json[..], &mut |_, _| ControlFlow::Continue(())).unwrap();
        let numbers: Vec<_> = traces.iter().map(|trace| trace.number).collect();
        assert_eq!(numbers, [Some(2), Some(5)]);
        let none = TraceWriter::list(Vec::new()).unwrap().finish().unwrap();
        assert_eq!(scan(&none[..], &mut |_, _| ControlFlow::Continue(())), Ok(Vec::new()));
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
