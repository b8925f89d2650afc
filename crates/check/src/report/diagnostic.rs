//! One error or warning about the text of a model, with its place.

use panoptes_source::{Diagnostic, SourceMap};

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
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
