//! What there is to say about the text of a model, for scripts; and the object for a model that cannot be used.

use crate::json::line_or_lines;
use panoptes_source::{Diagnostic, SourceMap};
use serde::Serialize;
use std::collections::BTreeMap;

/// The form of all JSON answers of `check`. It changes when a script that reads them would have to.
pub(crate) const SCHEMA: u32 = 1;

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiagnosticReport {
    pub severity: &'static str,
    /// A name that stays the same when the words change.
    pub code: &'static str,
    pub message: String,
    pub file: String,
    /// None of a file that cannot be read.
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// The place behind the last character.
    pub end_line: Option<u32>,
    pub end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl DiagnosticReport {
    pub fn of(sources: &SourceMap, diagnostic: &Diagnostic) -> DiagnosticReport {
        let (start, end) = diagnostic.range(sources);
        DiagnosticReport {
            severity: diagnostic.severity.name(),
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            file: start.file.to_string(),
            line: Some(start.line as u32),
            column: Some(start.column as u32),
            end_line: Some(end.line as u32),
            end_column: Some(end.column as u32),
            help: diagnostic.help.clone(),
        }
    }

    pub fn all(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<DiagnosticReport> {
        diagnostics.iter().map(|diagnostic| DiagnosticReport::of(sources, diagnostic)).collect()
    }

    /// The file cannot be read, or there is no model in it.
    pub fn of_file(file: &str, message: &str) -> DiagnosticReport {
        DiagnosticReport {
            severity: "error",
            code: "file",
            message: message.to_string(),
            file: file.to_string(),
            line: None,
            column: None,
            end_line: None,
            end_column: None,
            help: None,
        }
    }
}

/// What a script gets for a model that cannot be used.
#[derive(Serialize)]
struct BrokenObject<'a> {
    schema: u32,
    model: &'a str,
    language: &'a str,
    verdict: Option<&'a str>,
    complete: bool,
    limits: [&'a str; 0],
    errors: [&'a str; 0],
    error_counts: BTreeMap<&'a str, u64>,
    properties: [&'a str; 0],
    diagnostics: &'a [DiagnosticReport],
}

/// The object for a model that cannot be used, on one line if `compact`.
pub fn broken_json(model: &str, language: &str, diagnostics: &[DiagnosticReport], compact: bool) -> String {
    let object = BrokenObject {
        schema: SCHEMA,
        model,
        language,
        verdict: None,
        complete: false,
        limits: [],
        errors: [],
        error_counts: BTreeMap::new(),
        properties: [],
        diagnostics,
    };
    line_or_lines(&object, compact)
}
